import { createRequire } from 'node:module';
import type { CountryCode } from 'libphonenumber-js/min';
import { once } from './once.ts';

/** Longer than any number with its country code, separators and a trunk prefix. */
export const maxPhoneLength = 40;

type Library = typeof import('libphonenumber-js/min');

/** Loads the library with the first number: its hundred modules would take a noticeable part of every start. */
const load = once(() => createRequire(import.meta.url)('libphonenumber-js/min') as Library);

/** `number` is E.164, with `+` and the country code; `nationalNumber` has neither. */
export type PhoneNumber = { number: string; nationalNumber: string };

/**
 * Reads a telephone number; undefined for what is none. Possible numbers, not only assigned ones: numbering plans change
 * and a stored number must not. One with an extension is a switchboard, which strangers share, and is refused.
 *
 * @param defaultCountry ISO 3166 alpha-2, for numbers without a country code; one that is not known counts as none
 */
export function parsePhoneNumber(text: string, defaultCountry?: string): PhoneNumber | undefined {
  if (text.length > maxPhoneLength) return undefined;
  const { parsePhoneNumberFromString } = load();
  const parsed = parsePhoneNumberFromString(text, { defaultCountry: toCountry(defaultCountry), extract: false });
  if (!parsed?.isPossible() || parsed.ext) return undefined;
  return { number: parsed.number, nationalNumber: parsed.nationalNumber };
}

function toCountry(code: string | undefined): CountryCode | undefined {
  const country = code?.toUpperCase();
  return country && load().isSupportedCountry(country) ? country : undefined;
}
