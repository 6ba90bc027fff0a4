import { perLanguage } from '../../../web/catalogue.ts';
import { localeTag } from '../content.ts';
import { texts } from './texts.ts';

const names = perLanguage((language) => new Intl.DisplayNames([language], { type: 'language', fallback: 'none' }));

/** The name of a language with its tag: "German (de)"; the tag alone where it has no name. */
export function nameOfLocale(tag: string): string {
  if (!localeTag.safeParse(tag).success) return tag;
  const name = names().of(tag);
  return name === undefined ? tag : texts().locales.named(name, tag);
}
