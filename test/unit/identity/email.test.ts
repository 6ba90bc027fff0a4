import { describe, expect, test } from '@jest/globals';
import { normalizeEmail } from '../../../services/identity/accounts/email.ts';

describe('an email address', () => {
  test.each([
    ['Ada@Example.COM', 'ada@example.com'],
    [' ada@example.com\n', 'ada@example.com'],
    ['jose\u0301@example.com', 'jos\u00e9@example.com'],
    ['ada+shop@example.com', 'ada+shop@example.com'],
  ])('%j is stored and compared as %j', (typed, stored) => {
    expect(normalizeEmail(typed)).toBe(stored);
    expect(normalizeEmail(stored)).toBe(stored);
  });
});
