import type { Language } from '../../../../lib/format/language.ts';
import { german } from './de/german.ts';
import { english } from './en/english.ts';

/** Writes the clauses of stories in one language; what is said, and in which order, is the same in all. */
export type Writer = typeof english;

const writers: Record<Language, Writer> = { en: english, de: german };

export function writerOf(language: Language): Writer {
  return writers[language];
}
