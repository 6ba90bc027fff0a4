import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { emailInput, isEmailAddress, normalizeEmail } from '../../../services/identity/accounts/email.ts';

describe('an email address', () => {
  test.each([
    ['Ada@Example.COM', 'ada@example.com'],
    [' ada@example.com\n', 'ada@example.com'],
    ['jose\u0301@example.com', 'jos\u00e9@example.com'],
    ['ada+shop@example.com', 'ada+shop@example.com'],
    ['ada@b\u00fccher.example', 'ada@xn--bcher-kva.example'],
    ['ada@BU\u0308CHER.example', 'ada@xn--bcher-kva.example'],
    ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ['ada@example.com/evil', 'ada@example.com/evil'],
    ['ada@ex%61mple.com', 'ada@ex%61mple.com'],
    ['admin@localhost', 'admin@localhost'],
  ])('%j is stored and compared as %j', (typed, stored) => {
    expect(normalizeEmail(typed)).toBe(stored);
    expect(normalizeEmail(stored)).toBe(stored);
  });

  test('has one normal form, whatever the text', () => {
    const text = fc.oneof(fc.emailAddress(), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(fc.tuple(text, text), ([local, domain]) => {
        for (const typed of [local, `${local}@${domain}`]) {
          const normal = normalizeEmail(typed);
          expect(normalizeEmail(normal)).toBe(normal);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('is the same in upper case, decomposed and between spaces', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (address) => {
        const normal = normalizeEmail(address);
        const typed = [address.toUpperCase(), address.normalize('NFD'), `\t${address} \n`];
        expect(typed.map(normalizeEmail)).toEqual([normal, normal, normal]);
      }),
    );
  });

  test('that is valid stays valid, within its bounds and without what could end it early', () => {
    const part = fc.string({ unit: fc.constantFrom(...'ab1.-_@%" \u0000\u00e9\u0430\u03b1\u200b/\\<>,;') });
    fc.assert(
      fc.property(part, part, (local, domain) => {
        const address = normalizeEmail(`${local}@${domain}.com`);
        if (!isEmailAddress(address)) return;
        expect(address).toMatch(/^[^\s@"<>,;\\\p{C}]+@[a-z0-9.-]+$/u);
        expect(Buffer.byteLength(address)).toBeLessThanOrEqual(254);
        expect(emailInput.parse(address)).toBe(address);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    'ada@example.com',
    'a.b+c_d@sub.example.co',
    "o'brien!#$%&*/=?^`{|}~-@example.com",
    '1@2.example',
    'admin@localhost',
    'jos\u00e9@example.com',
    '\u0430\u0434\u0430@\u043f\u0440\u0438\u043c\u0435\u0440.com',
    '\u7530\u4e2d@\u4f8b\u3048.example',
    `${'a'.repeat(64)}@example.com`,
  ])('%j is one', (typed) => {
    expect(isEmailAddress(normalizeEmail(typed))).toBe(true);
  });

  test.each<[string, string]>([
    ['no local part', '@example.com'],
    ['no domain', 'ada@'],
    ['no at sign', 'ada.example.com'],
    ['two at signs', 'ada@home@example.com'],
    ['a space', 'ada lovelace@example.com'],
    ['a dot at the beginning', '.ada@example.com'],
    ['two dots', 'ada..l@example.com'],
    ['a quoted local part', '"ada l"@example.com'],
    ['a domain without a dot', 'ada@example'],
    ['a domain that ends with a dot', 'ada@example.com.'],
    ['a label that begins with a dash', 'ada@-example.com'],
    ['an IP address', 'ada@127.0.0.1'],
    ['an address literal', 'ada@[127.0.0.1]'],
    ['a path', 'ada@example.com/evil'],
    ['a percent-encoded letter', 'ada@ex%61mple.com'],
    ['a line break', 'ada\r\nBcc: eve@example.com'],
    ['a NUL', 'ada\u0000@example.com'],
    ['a display name', 'Ada <ada@example.com>'],
    ['two addresses', 'ada@example.com,eve@example.com'],
    ['a Cyrillic a among Latin letters', '\u0430da@example.com'],
    ['a Greek o among Latin letters', 'b\u03bfb@example.com'],
    ['a Cyrillic a in a Latin label', 'ada@ex\u0430mple.com'],
    ['the same, encoded', 'ada@xn--exmple-4nf.com'],
    ['a fullwidth letter', '\uff41da@example.com'],
    ['a ligature', '\ufb01n@example.com'],
    ['a zero width space', 'a\u200bda@example.com'],
    ['a mark that turns the direction', '\u202eada@example.com'],
    ['an accent without a letter', '\u0301ada@example.com'],
    ['a label that does not decode', 'ada@xn--a.com'],
    ['a local part of 65 bytes', `${'a'.repeat(65)}@example.com`],
    ['a local part of 66 bytes in 33 letters', `${'\u00e9'.repeat(33)}@example.com`],
    ['255 bytes', `ada@${`${'a'.repeat(60)}.`.repeat(4)}${'b'.repeat(7)}`],
    ['a label of 64 characters', `ada@${'a'.repeat(64)}.com`],
  ])('with %s is none', (_what, typed) => {
    expect(isEmailAddress(normalizeEmail(typed))).toBe(false);
    expect(emailInput.safeParse(typed).success).toBe(false);
  });

  // A pattern that tries every way to read one of these would not end.
  test('is refused, however long the text', () => {
    for (const typed of ['a.'.repeat(400), `a@${'a-'.repeat(400)}`, `a@${'a.'.repeat(400)}`, '@'.repeat(900)]) {
      expect(emailInput.safeParse(typed).success).toBe(false);
    }
    expect(emailInput.safeParse('a'.repeat(1_000_000)).success).toBe(false);
  });
});
