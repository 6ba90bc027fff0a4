import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isApiKeyToken, newApiKeyToken } from '../../../lib/security/api-key.ts';
import { hashToken } from '../../../lib/security/token-hash.ts';

const base62 = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
const token = fc.constant(null).map(newApiKeyToken);
const place = fc.integer({ min: 'svc_live_'.length, max: 'svc_live_'.length + 35 });

describe('an API key', () => {
  test('has the documented form and passes its checksum', () => {
    const tokens = Array.from({ length: 1_000 }, newApiKeyToken);
    for (const made of tokens) {
      expect(made).toMatch(/^svc_live_[0-9A-Za-z]{36}$/);
      expect(isApiKeyToken(made)).toBe(true);
    }
    expect(new Set(tokens).size).toBe(tokens.length);
  });

  test('with one character mistyped fails its checksum', () => {
    fc.assert(
      fc.property(token, place, fc.constantFrom(...base62), (made, at, character) => {
        fc.pre(made[at] !== character);
        expect(isApiKeyToken(made.slice(0, at) + character + made.slice(at + 1))).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  test('with two neighbours exchanged fails its checksum', () => {
    fc.assert(
      fc.property(token, place, (made, at) => {
        fc.pre(at + 1 < made.length && made[at] !== made[at + 1]);
        expect(isApiKeyToken(made.slice(0, at) + made[at + 1] + made[at] + made.slice(at + 2))).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['nothing', ''],
    ['the prefix alone', 'svc_live_'],
    ['the reserved test prefix', newApiKeyToken().replace('live', 'test')],
    ['one character less', newApiKeyToken().slice(0, -1)],
    ['one character more', `${newApiKeyToken()}0`],
    ['a line end', `${newApiKeyToken()}\n`],
    ['upper case', newApiKeyToken().toUpperCase()],
  ])('is not %s', (_name, text) => {
    expect(isApiKeyToken(text)).toBe(false);
  });

  test('is stored as its SHA-256 in hex', () => {
    const made = newApiKeyToken();
    expect(hashToken(made)).toBe(createHash('sha256').update(made).digest('hex'));
  });
});
