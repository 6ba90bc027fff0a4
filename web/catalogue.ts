/** The languages that pages are written in. */
export type Language = 'en';

/** The language of a page, as `lang` of HTML and as the locale of `Intl`. */
export const language: Language = 'en';

/**
 * The texts of a part of the platform, by language; the type of English is the type of all. The reader that is returned
 * is called where a text is shown, not when a module is loaded, since a page's language may be known only then.
 */
export function catalogue<T>(texts: Record<Language, T>): () => T {
  return () => texts[language];
}
