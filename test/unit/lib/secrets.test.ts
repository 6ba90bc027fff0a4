import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { redact, redactText } from '../../../lib/log/redact.ts';
import { newApiKeyToken } from '../../../lib/security/api-key.ts';
import { Secret } from '../../../lib/security/secret.ts';

describe('a secret', () => {
  const secret = new Secret('hunter2');

  test('shows as stars wherever it is written', () => {
    expect(`${secret} ${JSON.stringify({ secret })} ${inspect({ secret })} ${String(secret)}`).not.toContain('hunter2');
    expect(JSON.stringify(redact({ list: [secret] }))).not.toContain('hunter2');
    expect(Object.values(secret)).toEqual([]);
  });

  test('is given to whoever asks for it', () => {
    expect(secret.reveal()).toBe('hunter2');
  });
});

describe('what is logged', () => {
  test('holds no API key, wherever in a value it is', () => {
    fc.assert(
      fc.property(fc.constant(null).map(newApiKeyToken), fc.jsonValue(), (token, value) => {
        const logged = JSON.stringify(redact([value, { note: `key ${token}!`, x: { deep: [token] } }]));
        expect(logged).not.toContain(token);
        expect(logged).not.toContain(token.slice(9));
      }),
    );
  });

  test.each([
    ['Authorization: Bearer abc.def-ghi_=', 'abc.def'],
    ['Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
    ['mongodb://user:pa55@db:27017/x', 'pa55'],
    ['token eyJhbGciOi.eyJzdWIiOi.c2ln', 'eyJzdWIiOi'],
  ])('hides the credential of %j', (text, credential) => {
    expect(redactText(text)).not.toContain(credential);
    expect(redactText(text)).toContain('***');
  });

  test.each(['password', 'clientSecret', 'api_key', 'Authorization', 'x-api-key', 'refreshToken', 'Cookie'])(
    'hides the text under the name %s',
    (name) => {
      expect(redact({ [name]: 'hunter2' })).toEqual({ [name]: '***' });
    },
  );

  test('ends for a cycle, a getter that throws, and anything deep or large', () => {
    const cycle: Record<string, unknown> = { name: 'cycle' };
    cycle.self = cycle;
    Object.defineProperty(cycle, 'bad', { enumerable: true, get: () => JSON.parse('{') });
    expect(redact(cycle)).toEqual({ name: 'cycle', self: '[circular]', bad: '[unreadable]' });
    const large = redact(Array.from({ length: 10_000 }, () => 'x'.repeat(100_000)));
    expect(JSON.stringify(large).length).toBeLessThan(1_000_000);
  });

  test('tells an error with its cause and what it carries', () => {
    const error = Object.assign(new Error('outer', { cause: new Error('inner svc_live_abc') }), { code: 42 });
    expect(redact(error)).toMatchObject({
      name: 'Error',
      message: 'outer',
      code: 42,
      cause: { message: 'inner svc_live_***' },
    });
  });
});
