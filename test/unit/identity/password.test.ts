import { randomBytes, scryptSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  dummyPasswordHash,
  hashPassword,
  needsRehash,
  newPassword,
  passwordProblem,
  verifyPassword,
} from '../../../services/identity/accounts/password.ts';
import { propertyCases } from '../../support/property-cases.ts';

const form = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

const client = { network: 'test', range: 'test', isProven: false };

/** The hash anew, by the parameters and salt that the stored text names. */
function derive(password: string, stored: string): string {
  const [, costExponent, r, p, salt] = form.exec(stored)!;
  const options = { N: 2 ** Number(costExponent), r: Number(r), p: Number(p) };
  return scryptSync(password, Buffer.from(salt!, 'base64'), 32, options).toString('base64').replace('=', '');
}

describe('a stored password', () => {
  test('is a scrypt hash of at least the strength that OWASP asks for, which anybody can check', async () => {
    const stored = await hashPassword('correct horse', client);
    const [, costExponent, r, p, , hash] = form.exec(stored)!;
    expect(2 ** Number(costExponent) * Number(r) * Number(p)).toBeGreaterThanOrEqual(2 ** 14 * 8 * 5);
    expect(derive('correct horse', stored)).toBe(hash);
    expect(derive('correct horsf', stored)).not.toBe(hash);
  });

  test('has a salt of its own', async () => {
    const [one, other] = await Promise.all([hashPassword('same', client), hashPassword('same', client)]);
    expect(one).not.toBe(other);
  });

  test('is the same however its characters were composed', async () => {
    const stored = await hashPassword('Caf\u00e9 12345', client);
    const decomposed = await hashPassword('Cafe\u0301 12345', client);
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

/** A hash as other parameters make it. */
function hashWith(password: string, { ln = 14, r = 8, p = 5, bytes = 32, saltBytes = 16 }): string {
  const salt = randomBytes(saltBytes);
  const hash = scryptSync(password, salt, bytes, { N: 2 ** ln, r, p, maxmem: 2 ** 28 });
  const text = (value: Buffer): string => value.toString('base64').replace(/=+$/, '');
  return `$scrypt$ln=${ln},r=${r},p=${p}$${text(salt)}$${text(hash)}`;
}

describe('the check of a password', () => {
  test('passes the right one and no other', async () => {
    const stored = await hashPassword('correct horse', client);
    expect(await verifyPassword('correct horse', stored, client)).toBe(true);
    for (const wrong of ['correct horsf', 'Correct horse', 'correct horse ', '', 'correct']) {
      expect(await verifyPassword(wrong, stored, client)).toBe(false);
    }
  });

  test('passes it by the parameters it was stored with', async () => {
    const cases = [
      { ln: 10, p: 1 },
      { ln: 12, r: 4 },
      { ln: 16, r: 8, p: 1 },
      { ln: 10, bytes: 64 },
      { ln: 10, saltBytes: 8 },
    ];
    for (const parameters of cases) {
      expect(await verifyPassword('correct horse', hashWith('correct horse', parameters), client)).toBe(true);
      expect(await verifyPassword('correct horsf', hashWith('correct horse', parameters), client)).toBe(false);
    }
  });

  test('of nobody takes present parameters, and passes nothing', async () => {
    expect(dummyPasswordHash.split('$').slice(0, 3)).toEqual((await hashPassword('x', client)).split('$').slice(0, 3));
    expect(await verifyPassword('', dummyPasswordHash, client)).toBe(false);
  });

  test.each(['', 'correct horse', '$2b$10$abc', '$scrypt$ln=14,r=8,p=5$AAAA', '$scrypt$ln=,r=8,p=5$AAAA$AAAA'])(
    'fails loudly when %j is stored',
    async (stored) => {
      await expect(verifyPassword('x', stored, client)).rejects.toThrow('not a PHC string');
    },
  );

  test.each<[object, boolean]>([
    [{}, false],
    [{ ln: 13 }, true],
    [{ p: 1 }, true],
    [{ r: 4 }, true],
    [{ bytes: 16 }, true],
    [{ saltBytes: 8 }, true],
    [{ ln: 15 }, false],
    [{ bytes: 64 }, false],
  ])('tells of %j whether it is weaker than present ones: %s', (parameters, isWeaker) => {
    expect(needsRehash(hashWith('x', parameters))).toBe(isWeaker);
  });
});

describe('a chosen password', () => {
  const email = 'ada.lovelace@example.com';

  test.each<[string, string | null]>([
    ['correct horse battery staple', null],
    ['\u{1f511}'.repeat(8), null],
    ['x'.repeat(7), 'at least 8'],
    ['\u{1f511}'.repeat(7), 'at least 8'],
    ['e\u0301'.repeat(7), 'at least 8'],
    [`${'gh2!'.repeat(64)}`, null],
    [`${'gh2!'.repeat(64)}x`, 'at most 256'],
    ['\u{1f511}'.repeat(256), null],
    ['\u{1f511}'.repeat(257), 'at most 256'],
    ['e\u0301'.repeat(256), null],
    ['password1', 'too common'],
    ['PassWord1', 'too common'],
    ['1234567890', 'too common'],
    ['qwertyuiop', 'too common'],
    [email, 'email'],
    ['ADA.Lovelace@Example.com', 'email'],
    ['Ada.Lovelace', 'email'],
    ['ada.lovelace1', null],
    ['line\nbreak', 'control'],
    ['nul\u0000byte', 'control'],
    ['half\ud800pair', 'control'],
  ])('%j: %j', async (password, problem) => {
    const found = await passwordProblem(password, email);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toContain(problem);
  });

  test('has 8 to 256 characters of Unicode NFC, however it is composed', async () => {
    const property = fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 300 }), async (password) => {
      const found = await passwordProblem(password, email);
      const length = [...password.normalize('NFC')].length;
      expect(found?.includes('at least') ?? false).toBe(length < 8);
      expect(found?.includes('at most') ?? false).toBe(length > 256);
      expect(await passwordProblem(password.normalize('NFD'), email)).toBe(found);
    });
    await fc.assert(property, { numRuns: propertyCases(30, 300) });
  });

  test('is refused in upper and lower case alike when it is a common one', async () => {
    const { dictionary } = await import('@zxcvbn-ts/language-common');
    const common = dictionary['passwords-common'].filter((password) => password.length >= 8);
    expect(common.length).toBeGreaterThan(5000);
    const property = fc.asyncProperty(fc.constantFrom(...common), async (password) => {
      for (const typed of [password, password.toUpperCase(), password.toLowerCase()]) {
        expect(await passwordProblem(typed, email)).not.toBeNull();
      }
    });
    await fc.assert(property, { numRuns: propertyCases(30, 300) });
  });
});
