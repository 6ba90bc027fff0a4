import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { newOperation, operationOf, operationSeedBytes } from '../../../lib/contract/idempotency.ts';
import { idPattern, idWithin } from '../../../lib/data/ids.ts';
import { apiKeyTokenOf, isApiKeyToken, secretBytes } from '../../../lib/security/api-key.ts';

const seed = randomBytes(operationSeedBytes);
const at = new Date('2030-01-01T00:00:00.000Z');
const made = ({ newId, key, secretBytes: secret }: ReturnType<typeof operationOf>) => [
  newId('app'),
  newId('app', 'other'),
  newId('key'),
  key,
  secret('api key', 16).toString('hex'),
  secret('link', 16).toString('hex'),
];

describe('an operation', () => {
  test('has the same ids and secrets in every run', () => {
    expect(made(operationOf(seed, at))).toEqual(made(operationOf(Buffer.from(seed), new Date(at))));
  });

  test('without a key has the same ids whenever they are asked for', () => {
    const operation = newOperation();
    expect(made(operation)).toEqual(made(operation));
  });

  test('shares none of them with another, and each is for one purpose', () => {
    const all = [
      operationOf(seed, at),
      operationOf(randomBytes(operationSeedBytes), at),
      newOperation(),
      newOperation(),
    ];
    const values = all.flatMap(made);
    expect(new Set(values).size).toBe(values.length);
  });

  test('has ids like all others, which sort by when it began', () => {
    const [earlier, later] = [operationOf(seed, at), operationOf(seed, new Date(at.getTime() + 1))];
    expect(earlier.newId('app')).toMatch(idPattern('app'));
    expect(later.newId('app') > earlier.newId('app')).toBe(true);
    expect(idWithin(earlier.newId('aud'), 'org_1')).toMatch(idPattern('aud'));
    expect(idWithin(earlier.newId('aud'), 'org_1')).not.toBe(idWithin(earlier.newId('aud'), 'org_2'));
  });

  test('makes tokens that are known by their form', () => {
    expect(isApiKeyToken(apiKeyTokenOf(operationOf(seed, at).secretBytes('api key', secretBytes)))).toBe(true);
  });

  test('is continued by a retry only with a key', () => {
    expect([operationOf(seed, at).isKeyed, newOperation().isKeyed]).toEqual([true, false]);
  });
});
