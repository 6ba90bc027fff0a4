import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createEventStreams, type EventStreams } from '../../../http/event-streams.ts';
import type { HttpRequest } from '../../../http/request.ts';
import type { Caller } from '../../../lib/contract/context.ts';
import { apiError } from '../../../lib/contract/errors.ts';

let streams: EventStreams;

beforeEach(() => {
  jest.useFakeTimers();
  streams = createEventStreams();
});
afterEach(() => {
  streams.drain();
  jest.useRealTimers();
});

const request = { answerHeaders: {}, ctx: { meta: {} } } as unknown as HttpRequest;

/** A response that keeps what is written; `stop` makes its client read no more. */
class Response extends EventEmitter {
  text = '';
  closed = false;
  writableLength = 0;
  writeHead = () => this;
  write(text: string): boolean {
    this.text += text;
    return true;
  }
  end(): void {
    this.destroy();
  }
  destroy(): void {
    this.closed = true;
    this.emit('close');
  }
  stop(): void {
    this.writableLength = 2 * 1024 * 1024;
  }
}

type Opened = { response: Response; check: jest.Mock<() => Promise<readonly string[]>> };

function open(
  caller: Caller | null = null,
  channels = ['a'],
  credential = 'one',
  lastId: string | null = null,
  limits: { key: string; maximum: number }[] = [],
): Opened {
  const response = new Response();
  const check = jest.fn(() => Promise.resolve(channels as readonly string[]));
  const stream = {
    response: response as unknown as ServerResponse,
    caller,
    tokenHash: null,
    credential,
    limits,
    channels,
    check,
  };
  streams.open(request, stream, lastId);
  return { response, check };
}

const user = (id: string): Caller => ({
  type: 'user',
  id,
  memberships: [],
  orgId: 'org_1',
  scopes: [],
  clientId: 'cli_1',
});
const hint = (channel: string) => ({ id: 'hnt_01m8470j1ng7c2464dx8qdha9e', channel, event: 'changed', data: { n: 1 } });

describe('after messages may have been lost', () => {
  test('every client is told to read everything again, and is checked', async () => {
    const [one, two] = [open(), open(user('usr_1'))];
    await streams.resume();
    for (const { response, check } of [one, two]) {
      expect(response.text).toMatch(/event: open\n[\s\S]*event: reset\n/);
      expect(check).toHaveBeenCalledTimes(1);
    }
  });
});

describe('a check', () => {
  test.each(['CREDENTIAL_INVALID', 'PERMISSION_DENIED', 'NOT_FOUND'] as const)(
    'that ends in %s ends the stream',
    async (code) => {
      const { response, check } = open();
      check.mockRejectedValue(apiError(code));
      await streams.resume();
      expect(response.closed).toBe(true);
      const { length } = response.text;
      streams.deliver(hint('a'));
      expect(response.text).toHaveLength(length);
    },
  );

  test.each([apiError('UNAVAILABLE'), new Error('a fault')])(
    'that cannot be made leaves the stream open: %s',
    async (error) => {
      const { response, check } = open();
      check.mockRejectedValue(error);
      await streams.resume();
      expect(response.closed).toBe(false);
    },
  );

  test('changes what the stream hears', async () => {
    const { response, check } = open();
    check.mockResolvedValue(['b']);
    await streams.resume();
    streams.deliver(hint('a'));
    expect(response.text).not.toContain('changed');
    streams.deliver(hint('b'));
    expect(response.text).toContain('event: changed\ndata: {"n":1}\n\n');
  });

  test('follows a change of credentials or of rights, of those that it concerns', async () => {
    const [one, two] = [open(user('usr_1')), open(user('usr_2'))];
    const calls = () => [one, two].map(({ check }) => check.mock.calls.length);
    await streams.recheckCredentials({ userId: 'usr_1' });
    expect(calls()).toEqual([1, 0]);
    await streams.recheckCredentials({ clientId: 'cli_1' });
    expect(calls()).toEqual([2, 1]);
    await streams.recheckRights({ orgId: 'org_1', subjects: ['usr_2'] });
    expect(calls()).toEqual([2, 2]);
    await streams.recheckRights({ orgId: 'org_1', subjects: null });
    expect(calls()).toEqual([3, 3]);
    await streams.recheckRights({ orgId: 'org_2', subjects: null });
    expect(calls()).toEqual([3, 3]);
  });

  test('comes with a comment once in fifteen seconds', async () => {
    const { response, check } = open();
    await jest.advanceTimersByTimeAsync(15_000);
    expect(response.text.match(/^:$/gm)).toHaveLength(1);
    expect(check).toHaveBeenCalledTimes(1);
  });
});

test('a client that does not read loses its stream before more than a megabyte waits for it', () => {
  const { response } = open();
  response.stop();
  streams.deliver(hint('a'));
  expect(response.closed).toBe(true);
});

test('a credential has twenty streams, and another one its own', () => {
  const opened = Array.from({ length: 20 }, () => open());
  expect(() => open()).toThrow(/20 open event streams/);
  open(null, ['a'], 'two');
  opened[0]?.response.destroy();
  open();
});

test('a network and an organization have a maximum of open streams of their own', () => {
  const ofNetwork = { key: 'network:a', maximum: 2 };
  const organization = { key: 'organization:a', maximum: 3 };
  const opened = ['one', 'two'].map((name) => open(null, ['a'], name, null, [ofNetwork, organization]));
  expect(() => open(null, ['a'], 'three', null, [ofNetwork, organization])).toThrow(/2 open event streams/);
  const other = { key: 'network:b', maximum: 2 };
  open(null, ['a'], 'three', null, [other, organization]);
  expect(() => open(null, ['a'], 'four', null, [other, organization])).toThrow(/3 open event streams/);
  opened[0]!.response.destroy();
  open(null, ['a'], 'four', null, [ofNetwork, organization]);
});
