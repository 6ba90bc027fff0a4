import { createRequire } from 'node:module';
import type { CountryCode } from 'libphonenumber-js/min';
import { once } from '../concurrency/once.ts';

/** Longer than any number with its country code, separators and a trunk prefix. */
const maxPhoneLength = 40;
/** The maximum length with invisible marks between the characters. */
const maxTypedLength = 200;

type Library = typeof import('libphonenumber-js/min');

/** Loads the library on first use: its hundred modules would slow down every start. */
const load = once(() => createRequire(import.meta.url)('libphonenumber-js/min') as Library);

/** `number` is E.164, with `+` and the country code; `nationalNumber` has neither. */
export type PhoneNumber = { number: string; nationalNumber: string };

/**
 * A local number with a context (RFC 3966 section 5.1.5). The library accepts every second one, because its pattern is
 * stateful.
 */
const localNumber = /;phone-context=/i;

/**
 * Parses a telephone number; undefined for an invalid one. Possible numbers are accepted, not only assigned ones:
 * numbering plans change, and stored numbers must stay valid. A number with an extension is rejected, because strangers
 * share a switchboard.
 *
 * @param text as people and programs write it: see {@link plainPhone}
 * @param defaultCountry ISO 3166 alpha-2, for numbers without a country code; an unknown one counts as absent
 */
export function parsePhoneNumber(text: string, defaultCountry?: string): PhoneNumber | undefined {
  const plain = text.length > maxTypedLength ? '' : plainPhone(text);
  if (plain === '' || plain.length > maxPhoneLength || localNumber.test(plain)) return undefined;
  const { parsePhoneNumberFromString } = load();
  const parsed = parsePhoneNumberFromString(plain, { defaultCountry: toCountry(defaultCountry), extract: false });
  if (!parsed?.isPossible() || parsed.ext) return undefined;
  const { number, nationalNumber } = parsed;
  // The library removes one trunk prefix: otherwise a number with several would have several normal forms.
  if (nationalNumber.startsWith('0') && number !== plain) return parsePhoneNumber(number);
  return { number, nationalNumber };
}

const e164 = /^\+[1-9]\d{6,14}$/;

/**
 * E.164 of a number with its country code; undefined for any other text. A text that is E.164 already is accepted at
 * any length, because numbering plans change.
 */
export function toE164(text: string): string | undefined {
  if (text.length > maxTypedLength) return undefined;
  const plain = plainPhone(text);
  const number = e164.test(plain) ? plain : parsePhoneNumber(text)?.number;
  return number !== undefined && e164.test(number) ? number : undefined;
}

/**
 * Normalizes the spelling of a telephone number: ASCII digits and plus, no invisible marks such as text direction and
 * variation selectors, no `tel:` (RFC 3966) and no surrounding spaces.
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
