import { createRequire } from 'node:module';
import type { CountryCode } from 'libphonenumber-js/min';
import { once } from './once.ts';

/** Longer than any number with its country code, separators and a trunk prefix. */
const maxPhoneLength = 40;
/** The same with invisible marks between them. */
const maxTypedLength = 200;

type Library = typeof import('libphonenumber-js/min');

/** Loads the library with the first number: its hundred modules would take a noticeable part of every start. */
const load = once(() => createRequire(import.meta.url)('libphonenumber-js/min') as Library);

/** `number` is E.164, with `+` and the country code; `nationalNumber` has neither. */
export type PhoneNumber = { number: string; nationalNumber: string };

/**
 * A local number in a context (RFC 3966 section 5.1.5). The library reads every second one, by a pattern that keeps state.
 */
const localNumber = /;phone-context=/i;

/**
 * Reads a telephone number; undefined for what is none. Possible numbers, not only assigned ones: numbering plans change
 * and a stored number must not. One with an extension is a switchboard, which strangers share, and is refused.
 *
 * @param text as people and programs write it: see {@link plainPhone}
 * @param defaultCountry ISO 3166 alpha-2, for numbers without a country code; one that is not known counts as none
 */
export function parsePhoneNumber(text: string, defaultCountry?: string): PhoneNumber | undefined {
  const plain = text.length > maxTypedLength ? '' : plainPhone(text);
  if (plain === '' || plain.length > maxPhoneLength || localNumber.test(plain)) return undefined;
  const { parsePhoneNumberFromString } = load();
  const parsed = parsePhoneNumberFromString(plain, { defaultCountry: toCountry(defaultCountry), extract: false });
  if (!parsed?.isPossible() || parsed.ext) return undefined;
  const { number, nationalNumber } = parsed;
  // The library removes one trunk prefix: without this, one number with several had several normal forms.
  if (nationalNumber.startsWith('0') && number !== plain) return parsePhoneNumber(number);
  return { number, nationalNumber };
}

const e164 = /^\+[1-9]\d{6,14}$/;

/**
 * E.164 of a number with its country code; undefined for any other text. A number that is in E.164 already is taken at
 * any length, because numbering plans change.
 */
export function toE164(text: string): string | undefined {
  if (text.length > maxTypedLength) return undefined;
  const plain = plainPhone(text);
  const number = e164.test(plain) ? plain : parsePhoneNumber(text)?.number;
  return number !== undefined && e164.test(number) ? number : undefined;
}

/**
 * The text of a telephone number as a keyboard for telephone numbers would give it: ASCII digits and plus, no invisible
 * marks, such as those of text direction and variation selectors, no `tel:` (RFC 3966) and no spaces around it.
 */
export function plainPhone(text: string): string {
  return text
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .trim()
    .replace(/^tel:\s*/i, '')
    .replace(/[\uff0b\ufe62]/g, '+')
    .replace(/\s/g, ' ')
    .replace(wideDigits, (digit) => String(digit.charCodeAt(0) & 0xf));
}

/** Fullwidth, Arabic-Indic and extended Arabic-Indic digits: each block begins at a multiple of 16. */
const wideDigits = /[\uff10-\uff19\u0660-\u0669\u06f0-\u06f9]/g;

function toCountry(code: string | undefined): CountryCode | undefined {
  const country = code?.toUpperCase();
  return country && load().isSupportedCountry(country) ? country : undefined;
}
