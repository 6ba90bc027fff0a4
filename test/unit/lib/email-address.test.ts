import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  asciiDomain,
  emailAsSent,
  emailDomainInput,
  emailInput,
  emailSpelling,
  isEmailAddress,
  normalizeEmail,
  readableEmail,
  spellEmail,
  storedEmails,
} from '../../../lib/format/email-address.ts';
import { anyCodePoint } from '../../support/code-points.ts';

describe('an email address', () => {
  test.each([
    ['Ada@Example.COM', 'ada@example.com'],
    [' ada@example.com\n', 'ada@example.com'],
    ['jose\u0301@example.com', 'jos\u00e9@example.com'],
    ['ada+shop@example.com', 'ada+shop@example.com'],
    ['ada@b\u00fccher.example', 'ada@xn--bcher-kva.example'],
    ['ada@BU\u0308CHER.example', 'ada@xn--bcher-kva.example'],
    ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ['ada@example.com.', 'ada@example.com'],
    ['\ufeffada@example.com\u200e ', 'ada@example.com'],
    ['\u2068a\u200bda@exam\u00adple.com\u2069', 'ada@example.com'],
    ['ada\ufe0f@example\u200d.com', 'ada@example.com'],
    ['ada@b\u00fccher\u3002example\uff0e', 'ada@xn--bcher-kva.example'],
    ['ada@XN--BCHER-KVA.example', 'ada@xn--bcher-kva.example'],
    ['ada@\uff45xample.com', 'ada@example.com'],
    ['ada@\u2615.example', 'ada@xn--53h.example'],
    // The joiner is part of the word.
    ['ada@\u0646\u0627\u0645\u0647\u200c\u0627\u06cc.com', 'ada@xn--mgba3gch31f060k.com'],
    ['ada@example.com/evil', 'ada@example.com/evil'],
    ['ada@ex%61mple.com', 'ada@ex%61mple.com'],
    ['admin@localhost', 'admin@localhost'],
  ])('%j is stored and compared as %j', (typed, stored) => {
    expect(normalizeEmail(typed)).toBe(stored);
    expect(normalizeEmail(stored)).toBe(stored);
  });

  test('has one normal form, whatever the text', () => {
    const text = fc.oneof(fc.emailAddress(), fc.string({ unit: anyCodePoint }), fc.string({ unit: 'grapheme' }));
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

  test('is the same with its domain in letters or encoded, and with invisible marks and a dot at its end', () => {
    const label = fc.string({ unit: fc.constantFrom(...'ab\u00fc\u00e9'), minLength: 1, maxLength: 10 });
    const mark = fc.constantFrom('', '\u200b', '\u200e', '\u2066', '\u00ad', '\ufe0f', '\ufeff', '\u2060');
    fc.assert(
      fc.property(fc.tuple(label, label), mark, mark, ([local, name], before, between) => {
        const encoded = asciiDomain(`${name}.example`);
        const typed = [
          `${local}@${name}.example`,
          `${local}@${encoded}`,
          `${local.toUpperCase()}@${encoded.toUpperCase()}.`,
          `${before}${local}${between}@${name}${before}.exam${between}ple${before}`,
          `${local}@${name.toUpperCase().normalize('NFD')}\u3002example`,
        ];
        expect(new Set(typed.map(normalizeEmail))).toEqual(new Set([`${local}@${encoded}`]));
      }),
    );
  });

  test('has a spelling for delivery of the same normal form, which says nothing more', () => {
    const text = fc.oneof(fc.emailAddress(), fc.string({ unit: anyCodePoint }), fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(fc.tuple(text, text), ([local, domain]) => {
        const spelling = spellEmail(`${local}@${domain}`);
        expect(normalizeEmail(spelling)).toBe(normalizeEmail(`${local}@${domain}`));
        expect(spellEmail(spelling)).toBe(spelling);
      }),
    );
    expect(spellEmail('\u200eJos\u00e9@B\u00fccher.Example. ')).toBe('Jos\u00e9@B\u00fccher.Example');
  });

  test('is found where earlier versions stored it', () => {
    expect(storedEmails('Ada@B\u00fccher.example')).toEqual(['ada@xn--bcher-kva.example', 'ada@b\u00fccher.example']);
    expect(storedEmails('Ada@example.com')).toEqual(['ada@example.com']);
    expect(readableEmail('ada@xn--bcher-kva.example')).toBe('ada@b\u00fccher.example');
    expect(readableEmail('ada@xn--a.example')).toBe('ada@xn--a.example');
    fc.assert(
      fc.property(fc.emailAddress(), (address) => {
        expect(storedEmails(address)).toContain(address.toLowerCase());
      }),
    );
  });

  test('is taken by every schema or by none', () => {
    const part = fc.string({ unit: fc.constantFrom(...'ab1.-_@&\'" \u0000\u00e9\u0430\u200b\u200d<,'), maxLength: 8 });
    const host = fc.oneof(
      part,
      fc.constantFrom('xn--80ak6aa92e.xn--p1ai', 'b\u00fccher.example', 'localhost', 'x.co.'),
    );
    const address = fc.oneof(
      fc.emailAddress(),
      fc.tuple(part, host).map(([local, domain]) => `${local}@${domain}`),
    );
    fc.assert(
      fc.property(address, (typed) => {
        const [sent, normal, spelling] = [emailAsSent, emailInput, emailSpelling].map((schema) =>
          schema.safeParse(typed),
        );
        expect([normal?.success, spelling?.success]).toEqual([sent?.success, sent?.success]);
        if (!sent?.success) return;
        expect(sent.data).toBe(typed);
        for (const schema of [emailAsSent, emailInput, emailSpelling]) {
          expect(schema.safeParse(normal?.data).success).toBe(true);
          expect(schema.safeParse(spelling?.data).success).toBe(true);
        }
      }),
      { numRuns: 1000 },
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
    'a&b@example.com',
    'ivan@xn--80ak6aa92e.xn--p1ai',
    'ada@example.com.',
    '\u202eada@example.com',
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
    ['a domain that ends with two dots', 'ada@example.com..'],
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
    ['a local part that ends with a dot', 'ada.@example.com'],
    ['a label that ends with a dash', 'ada@example-.com'],
    ['a control character', 'ada@exa\u0085mple.com'],
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

describe('the domain of addresses', () => {
  test.each([
    ['Acme.Example', 'acme.example'],
    [' acme.example.\n', 'acme.example'],
    ['b\u00fccher.example', 'xn--bcher-kva.example'],
    ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
    ['sub.acme.example', 'sub.acme.example'],
    ['localhost', 'localhost'],
  ])('%j is compared as %j, as in an address', (typed, stored) => {
    expect(emailDomainInput.parse(typed)).toBe(stored);
    expect(normalizeEmail(`ada@${typed.trim()}`)).toBe(`ada@${stored}`);
  });

  test.each(['', '.', 'acme', '@acme.example', 'ada@acme.example', '*.acme.example', 'acme..example', 'a b.example'])(
    '%j is none',
    (typed) => expect(emailDomainInput.safeParse(typed).success).toBe(false),
  );

  test('has a length that addresses can have', () => {
    expect(emailDomainInput.safeParse(`${'a.'.repeat(130)}example`).success).toBe(false);
    expect(emailDomainInput.safeParse('a'.repeat(1001)).success).toBe(false);
  });
});
