import { inDecimalUnits } from '../lib/format/bytes.ts';
import type { Language } from '../lib/format/language.ts';
import { perLanguage } from './catalogue.ts';
import { texts } from './texts.ts';

const counts = perLanguage((language) => new Intl.NumberFormat(language));
const amounts = perLanguage((language) => new Intl.NumberFormat(language, { maximumSignificantDigits: 3 }));

/** A whole number in the language of the page: `1,284`. */
export const formatCount = (count: number): string => counts().format(count);

/** A size in decimal units, in the language of the page: `1.8 MB`. */
export function formatSize(bytes: number): string {
  const { amount, unit } = inDecimalUnits(bytes);
  return texts().size(amounts().format(amount), unit);
}

/** Creates the function that counts things in the texts of a language: `1,284 files`. */
export function counterIn(language: Language): (count: number, one: string, many: string) => string {
  const format = new Intl.NumberFormat(language);
  return (count, one, many) => `${format.format(count)} ${count === 1 ? one : many}`;
}
