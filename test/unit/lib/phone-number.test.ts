import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parsePhoneNumber, plainPhone, toE164 } from '../../../lib/format/phone-number.ts';

const number = '+49301234567';

describe('a telephone number', () => {
  test.each([
    '+49 30 1234567',
    '+49 (0) 30 / 123-45-67',
    'tel:+49-30-1234567',
    'TEL: +49 30 1234567',
    'tel:+49-30-1234567;isub=12',
    '\uff0b49 30 1234567',
    '\ufe6249 30 1234567',
    '\u202a+49 30 1234567\u202c',
    '\u200e+49\u200f30\u20661234567\u2069',
    '+49\ufe0f 30 123\u00ad4567\ufeff',
    '+49\u00a030\u20111234567',
    '+49\u200930\u202f1234567',
    '+\uff14\uff19 \uff13\uff10 1234567',
    '+\u0664\u0669 \u0663\u0660 1234567',
    '+\u06f4\u06f9 30 1234567',
  ])('is the same, written as %j', (text) => {
    expect(parsePhoneNumber(text)).toEqual({ number, nationalNumber: '301234567' });
    expect(toE164(text)).toBe(number);
  });

  test('is the same without its country code, in its country', () => {
    for (const text of ['030 1234567', '\u200e(030) 123 45 67', 'tel:030-1234567', '0049 30 1234567']) {
      expect(parsePhoneNumber(text, 'DE')?.number).toBe(number);
      expect(parsePhoneNumber(text)).toBeUndefined();
    }
  });

  test.each([
    '',
    ' ',
    '\u200e',
    'tel:',
    'call +49 30 1234567',
    '+49 30 1234567 ext. 5',
    'tel:+49-30-1234567;ext=5',
    'tel:030-1234567;phone-context=+49',
    '\u2795 49 30 1234567',
    `+4930${'1'.repeat(40)}`,
    `${number}${'\u200b'.repeat(300)}`,
    'ada@example.com',
  ])('is not %j', (text) => {
    expect(parsePhoneNumber(text)).toBeUndefined();
    expect(toE164(text)).toBeUndefined();
  });

  test('in E.164 is taken at a length that its country does not know', () => {
    expect(toE164('+1234567')).toBe('+1234567');
    expect(toE164('1234567')).toBeUndefined();
  });

  test('has one normal form, whatever the text', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 6, maxLength: 12 });
    const unit = fc.constantFrom(...'+0123456789 ()-/.;:telx\uff0b\uff11\u0661\u200e\ufe0f\u2011\u00a0');
    const text = fc.oneof(
      fc.string({ unit, maxLength: 30 }),
      digits.map((typed) => `+49${typed}`),
    );
    fc.assert(
      fc.property(text, fc.constantFrom(undefined, 'DE', 'US'), (typed, country) => {
        const parsed = parsePhoneNumber(typed, country);
        if (parsed) expect(parsePhoneNumber(parsed.number, country)).toEqual(parsed);
        expect(parsePhoneNumber(`\u202a${typed}\ufe0f`, country)).toEqual(parsed);
        expect(parsePhoneNumber(plainPhone(typed), country)).toEqual(parsed);
      }),
      { numRuns: 500 },
    );
  });
});
