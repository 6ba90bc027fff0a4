import type { Language } from '../lib/format/language.ts';
import { pageContext } from './page-context.ts';

/**
 * The texts of a part of the platform, by language; the type of English is the type of all. The reader that is returned
 * is called where a text is shown, not when a module is loaded, since a page's language is only known then.
 */
export function catalogue<T>(texts: { en: T } & Record<Language, NoInfer<T>>): () => T {
  return () => texts[pageContext().language];
}

/** Creates a value once for each language, such as a formatter. */
export function perLanguage<T>(make: (language: Language) => T): () => T {
  const made = new Map<Language, T>();
  return () => {
    const language = pageLanguage();
    const known = made.get(language);
    if (known !== undefined) return known;
    const value = make(language);
    made.set(language, value);
    return value;
  };
}

/** The language of the page that is rendered. */
export function pageLanguage(): Language {
  return pageContext().language;
}
