import { language } from '../../../../web/catalogue.ts';

/** Regions that have two letters and a name, but are no country of ISO 3166-1: reserved, of other uses, or made up. */
const noCountries = new Set(['AC', 'CP', 'CQ', 'DG', 'EA', 'EU', 'EZ', 'IC', 'QO', 'TA', 'UN', 'XA', 'XB', 'XK', 'ZZ']);
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });

/** The countries to choose from, each with its two-letter code, by their names in the language of the pages. */
export const countries: readonly (readonly [code: string, name: string])[] = letters
  .flatMap((first) => letters.map((second) => first + second))
  .flatMap((code) => {
    // A former code is an alias of a country that has another code now.
    const isCurrent = new Intl.Locale(`und-${code}`).region === code && !noCountries.has(code);
    const name = isCurrent ? names.of(code) : undefined;
    return name === undefined ? [] : [[code, name] as const];
  })
  .sort(([, one], [, other]) => one.localeCompare(other, language));

const byCode = new Map(countries);

/** A country's name; its code when it has none. */
export function countryName(code: string): string {
  return byCode.get(code) ?? code;
}
