import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { isFromThisMachine } from '../../../http/request.ts';

const requestFrom = (remoteAddress: string | undefined, host: string | undefined = 'localhost:3000') =>
  ({ socket: { remoteAddress }, headers: host === undefined ? {} : { host } }) as unknown as IncomingMessage;
const development = { isPublic: false } as never;

describe('a request', () => {
  test.each(['127.0.0.1', '127.3.2.1', '::1', '::ffff:127.0.0.1', '::FFFF:127.0.0.1'])('from %s is local', (peer) => {
    expect(isFromThisMachine(requestFrom(peer), development)).toBe(true);
    expect(isFromThisMachine(requestFrom(peer), { isPublic: true } as never)).toBe(false);
  });

  test.each([
    '192.168.0.2',
    '172.17.0.1',
    '10.0.0.1',
    '::ffff:10.0.0.1',
    'fe80::1',
    '127.0.0.1.evil.example',
    '',
    undefined,
  ])('from %s is not, whatever host it names', (peer) => {
    expect(isFromThisMachine(requestFrom(peer), development)).toBe(false);
  });

  test.each(['evil.example', 'localhost.evil.example', 'localhost.', '0.0.0.0', '128.0.0.1', 'a b', '/', '[::2]', ''])(
    'for the host %j is not',
    (host) => {
      expect(isFromThisMachine(requestFrom('127.0.0.1', host), development)).toBe(false);
    },
  );
});
