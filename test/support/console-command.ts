import { expect } from '@jest/globals';
import type { ServiceBroker } from 'moleculer';

/** What a command of the operator's console prints with these arguments, on a node with this broker. */
export async function typeCommand(broker: ServiceBroker, name: string, args: Record<string, string>): Promise<string> {
  // Imported late, because it reads the settings, which a test may choose before: its folder of data above all.
  const { commandsOf, nameOf } = await import('../../runtime/operator/commands.ts');
  const command = commandsOf(broker).find((one) => nameOf(one) === name)!;
  const required = [...command.usage.matchAll(/<([^>]+)>/g)].map((match) => match[1]);
  expect(Object.keys(args)).toEqual(required);
  const output = await Promise.resolve(command.run(broker, args)).catch((error: Error) => error.message);
  return `${typeof output === 'string' ? output : output.text}\n`;
}
