import { once } from '../../../../lib/once.ts';
import { language } from '../../../../web/catalogue.ts';
import { countries as codes } from '../../addresses/countries.ts';

const names = once(() => new Intl.DisplayNames(language, { type: 'region' }));

/** The countries to choose from, each with its two-letter code, by their names in the language of the pages. */
export const countries = once((): readonly (readonly [code: string, name: string])[] =>
  [...codes]
    .map((code) => [code, countryName(code)] as const)
    .sort(([, one], [, other]) => one.localeCompare(other, language)),
);

/** A country's name; its code when it has none. */
export function countryName(code: string): string {
  return (codes.has(code) && names().of(code)) || code;
}
