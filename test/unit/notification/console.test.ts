import { expect, test } from '@jest/globals';
import type { ServiceBroker } from 'moleculer';
import { typeCommand } from '../../support/console-command.ts';

test.each([
  ['notify:queue', {}, 'notification.console.queue', {}],
  ['notify:redrive', { what: 'all' }, 'notification.console.redrive', { what: 'all' }],
])('%s asks the notification service and prints its lines', async (command, args, action, body) => {
  const asked: unknown[] = [];
  const call = (...request: unknown[]) => {
    asked.push(request);
    return Promise.resolve({ lines: ['first', 'second'] });
  };
  expect(await typeCommand({ call } as unknown as ServiceBroker, command, args)).toBe('first\nsecond\n');
  expect(asked).toEqual([[action, { body }]]);
});
