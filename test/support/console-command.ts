import { expect } from '@jest/globals';
import type { ServiceBroker } from 'moleculer';
import { openConsole } from '../../runtime/console.ts';

type Command = { command: string; action: (broker: ServiceBroker, args: unknown) => Promise<void> };

/** What the operator's console prints when a command is typed with these arguments, on a node with this broker. */
export async function typeCommand(broker: ServiceBroker, name: string, args: Record<string, string>): Promise<string> {
  const isTerminal = process.stdin.isTTY;
  const opened: { options: { replOptions?: { customCommands: Command[] } }; repl: () => void } = {
    options: {},
    repl: () => undefined,
  };
  const written: string[] = [];
  const write = process.stdout.write;
  try {
    process.stdin.isTTY = true;
    openConsole(opened as never, console as never);
    const command = opened.options.replOptions!.customCommands.find((one) => one.command.split(' ')[0] === name)!;
    const named = [...command.command.matchAll(/<([^>]+)>/g)].map((match) => match[1]);
    expect(Object.keys(args)).toEqual(named);
    process.stdout.write = ((text: string) => written.push(text)) as never;
    await command.action(broker, { ...args, options: {} });
  } finally {
    process.stdout.write = write;
    process.stdin.isTTY = isTerminal;
  }
  return written.join('');
}
