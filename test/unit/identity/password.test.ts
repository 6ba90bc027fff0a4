import { scryptSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { hashPassword, newPassword } from '../../../services/identity/accounts/password.ts';

const form = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

/** The hash anew, by the parameters and salt that the stored text names. */
function derive(password: string, stored: string): string {
  const [, costExponent, r, p, salt] = form.exec(stored)!;
  const options = { N: 2 ** Number(costExponent), r: Number(r), p: Number(p) };
  return scryptSync(password, Buffer.from(salt!, 'base64'), 32, options).toString('base64').replace('=', '');
}

describe('a stored password', () => {
  test('is a scrypt hash of at least the strength that OWASP asks for, which anybody can check', async () => {
    const stored = await hashPassword('correct horse');
    const [, costExponent, r, p, , hash] = form.exec(stored)!;
    expect(2 ** Number(costExponent) * Number(r) * Number(p)).toBeGreaterThanOrEqual(2 ** 14 * 8 * 5);
    expect(derive('correct horse', stored)).toBe(hash);
    expect(derive('correct horsf', stored)).not.toBe(hash);
  });

  test('has a salt of its own', async () => {
    const [one, other] = await Promise.all([hashPassword('same'), hashPassword('same')]);
    expect(one).not.toBe(other);
  });

  test('is the same however its characters were composed', async () => {
    const stored = await hashPassword('Caf\u00e9 12345');
    const decomposed = await hashPassword('Cafe\u0301 12345');
    expect(derive('Caf\u00e9 12345', stored)).toBe(form.exec(stored)![5]);
    expect(derive('Caf\u00e9 12345', decomposed)).toBe(form.exec(decomposed)![5]);
  });
});

describe('a generated password', () => {
  test('has 120 random bits in characters that survive a shell', () => {
    const made = Array.from({ length: 1000 }, newPassword);
    expect(made.filter((password) => !/^[\w-]{20}$/.test(password))).toEqual([]);
    expect(new Set(made).size).toBe(made.length);
  });
});
