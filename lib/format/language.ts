/** The languages of pages, mails and stories, as `lang` of HTML and as the locale of `Intl`. */
export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** The language that is used where a person has chosen none. */
export const defaultLanguage = 'en' satisfies Language;

/** Reads a language from a cookie or a form; null when it is none. */
export function languageOf(text: string | undefined): Language | null {
  return languages.find((language) => language === text) ?? null;
}

/** No browser lists more, and a client could send thousands. */
const maxRanges = 20;

/**
 * The language that a browser prefers, by its `Accept-Language` (RFC 9110 section 12.5.4; a range matches by its
 * primary subtag, so `de-AT` is German); null when it names none of ours.
 */
export function preferredLanguage(acceptLanguage: string | undefined): Language | null {
  const ranges = (acceptLanguage ?? '').split(',', maxRanges).map(readRange);
  const accepted = ranges.filter(({ weight }) => weight > 0).toSorted((one, other) => other.weight - one.weight);
  for (const { language } of accepted) {
    const known = languageOf(language);
    if (known) return known;
  }
  return null;
}

function readRange(text: string): { language: string; weight: number } {
  const [range = '', ...parameters] = text
    .trim()
    .toLowerCase()
    .split(/\s*;\s*/);
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  return { language: range.split('-')[0] ?? '', weight: Number.isNaN(weight) ? 0 : weight };
}
