import { AsyncLocalStorage } from 'node:async_hooks';
import { defaultLanguage, type Language } from '../lib/format/language.ts';

export const themes = ['light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/**
 * A visitor's choices for all pages: they decide how a page is rendered, not what it shows. Rendering runs in their
 * context, so that components and texts need no parameter for them.
 */
export type PageContext = {
  language: Language;
  /** The chosen colour scheme; null follows the system. */
  theme: Theme | null;
};

const contexts = new AsyncLocalStorage<PageContext>();
const usual: PageContext = { language: defaultLanguage, theme: null };

/** Renders a page in a context. Texts that are read inside are in its language. */
export function runInPageContext<T>(context: PageContext, work: () => T): T {
  return contexts.run(context, work);
}

/** The context of the page that is rendered; English and the system's colours outside of one. */
export function pageContext(): PageContext {
  return contexts.getStore() ?? usual;
}

/** Reads the colour scheme from a cookie or a form; null when it is none. */
export function themeOf(text: string | undefined): Theme | null {
  return themes.find((theme) => theme === text) ?? null;
}
