import { describe, expect, test } from '@jest/globals';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { z } from 'zod';
import type { Action } from '../../../lib/contract/define-action.ts';
import { defineCommand } from '../../../lib/contract/define-command.ts';
import { requireDeclarations } from '../../../lib/contract/service-declarations.ts';
import { findServices, readService } from '../../../runtime/load-service.ts';
import { commandsOf, nameOf } from '../../../runtime/operator/commands.ts';

const schemas = await Promise.all([...(await findServices()).values()].map((file) => readService(file)));

/** A broker that knows the actions of these services, and notes each call. */
function brokerOf(services: ServiceSchema[]) {
  const calls: unknown[] = [];
  const list = services.flatMap(({ name, actions = {} }) =>
    Object.entries(actions).map(([action, definition]) => ({ name: `${name}.${action}`, action: definition })),
  );
  const broker = {
    registry: { getActionList: () => list },
    call(...call: unknown[]) {
      calls.push(call);
      return Promise.resolve({ lines: ['first', 'second'] });
    },
  };
  return { broker: broker as unknown as ServiceBroker, calls, list };
}

const { broker, list } = brokerOf(schemas);
const declared = commandsOf(broker).filter(({ service }) => service !== undefined);

describe('the commands of the services', () => {
  test('are all in the console, beside those of the platform and of the registry', () => {
    const names = commandsOf(broker).map(nameOf);
    expect(new Set(names).size).toBe(names.length);
    expect(declared.length).toBeGreaterThan(15);
    expect(names).toEqual(expect.arrayContaining(['jobs', 'audit', 'notify:redrive', 'billing:give', 'call']));
  });

  test.each(declared.map((command) => [command.usage, command] as const))(
    '%s sends what its action takes',
    async (_usage, command) => {
      const one = brokerOf(schemas);
      const placeholders = [...command.usage.matchAll(/<([^>]+)>/g)].map(([, name = '']) => [name, `a ${name}`]);
      expect(await command.run(one.broker, Object.fromEntries(placeholders))).toBe('first\nsecond');
      const [[name, params]] = one.calls as [[string, { body: object }]];
      const action = list.find((known) => known.name === name)?.action as Action;
      expect(action.contract.permission).toBe('internal');
      expect(action.schemas().input.body?.safeParse(params.body)).toMatchObject({ success: true });
    },
  );
});

const echo = (usage: string, more: object = {}): ServiceSchema => ({
  name: 'hello',
  actions: {
    'console.echo': defineCommand({
      commands: [{ usage, description: 'Echo', ...more }],
      body: z.strictObject({}),
      handler: () => ({ lines: [] }),
    }),
  },
});

describe('a command of a service', () => {
  test('names the fields of its arguments, and has fields that are always sent', async () => {
    const one = brokerOf([echo('hello:echo <person> [mood]', { fields: { person: 'userId' }, fixed: { loud: true } })]);
    const command = commandsOf(one.broker).find(({ usage }) => usage.startsWith('hello:echo'));
    await command?.run(one.broker, { person: 'ada', mood: 'good' });
    await command?.run(one.broker, { person: 'ada' });
    expect(one.calls).toEqual([
      ['hello.console.echo', { body: { userId: 'ada', mood: 'good', loud: true } }],
      ['hello.console.echo', { body: { userId: 'ada', loud: true } }],
    ]);
  });

  test('that changes something when it has arguments asks only then', () => {
    const one = brokerOf([echo('hello:echo [mood]', { changes: 'withArguments' })]);
    const changes = commandsOf(one.broker).find(({ usage }) => usage.startsWith('hello:echo'))?.changes;
    const asks = changes as (broker: ServiceBroker, args: Record<string, string>) => boolean;
    expect([asks(one.broker, {}), asks(one.broker, { mood: 'good' })]).toEqual([false, true]);
  });

  test('cannot take the name of one of the platform', () => {
    const one = brokerOf([echo('jobs')]);
    expect(commandsOf(one.broker).filter((command) => nameOf(command) === 'jobs')).toHaveLength(1);
    expect(() => requireDeclarations(echo('jobs'))).toThrow('its command jobs must begin with hello:');
  });

  test.each(['hello', 'hello:echo', 'hello:echo <one> <two> [three]'])('%s is allowed', (usage) => {
    expect(() => requireDeclarations(echo(usage))).not.toThrow();
  });

  test.each([
    ['billing:echo', 'must begin with hello:'],
    ['audit', 'must begin with hello:'],
    ['hello:echo [one] <two>', 'must read name <required> [optional]'],
    ['Hello', 'must read name <required> [optional]'],
    ['', 'must read name <required> [optional]'],
  ])('%s is refused', (usage, reason) => {
    expect(() => requireDeclarations(echo(usage))).toThrow(reason);
  });

  test('calls an internal action alone', () => {
    const schema = echo('hello:echo');
    const action = schema.actions?.['console.echo'] as Action;
    action.contract.permission = 'public';
    expect(() => requireDeclarations(schema)).toThrow('its action console.echo is not internal');
  });
});
