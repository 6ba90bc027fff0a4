import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { BrowserMeta } from '../lib/contract/context.ts';
import { day, fromNow } from '../lib/data/clock.ts';
import type { Language } from '../lib/format/language.ts';
import type { Theme } from './page-context.ts';

/** A cookie that an answer sets; an empty value removes it. Times are ISO 8601. */
export const pageCookie = z.strictObject({
  name: z.enum(['session', 'browser', 'device', 'mailbox', 'organization', 'theme', 'language']),
  value: z.string(),
  expiresAt: z.string(),
});

export type PageCookie = z.output<typeof pageCookie>;

/** The visitor's browser: values of its cookies, and setters for the cookies of the response. */
export type Browser = BrowserMeta & {
  /** Returns the browser id; generates and sets a missing one. */
  requireId: () => string;
  signIn: (sessionToken: string, expiresAt: Date) => void;
  signOut: () => void;
  /** Sets the entries that mark the browser as a known device of accounts. */
  setDevice: (value: string, expiresAt: Date) => void;
  keepMailboxToken: (token: string) => void;
  /** Remembers the organization whose console was opened last. */
  keepOrganization: (orgId: string) => void;
  /** Remembers the colour scheme; null follows the system. */
  keepTheme: (theme: Theme | null) => void;
  /** Remembers the language; null follows the browser. */
  keepLanguage: (language: Language | null) => void;
};

/** Lifetime of a choice for all pages, such as the colour scheme. */
const choiceLifetime = 365 * day;
const idPattern = /^[A-Za-z0-9_-]{22}$/;
/** Longer than the lifetime of any mailed link that is compared with the browser that requested it. */
const idLifetime = 30 * day;

/** Reads the id from a cookie; null when it is not valid. */
export function browserIdOf(cookie: string | undefined): string | null {
  return cookie !== undefined && idPattern.test(cookie) ? cookie : null;
}

/** A browser whose new cookies go to `set`. */
export function browserOf(meta: BrowserMeta, set: (cookie: PageCookie) => void): Browser {
  const keepChoice = (name: 'theme' | 'language', value: string | null): void => {
    const expiresAt = value === null ? new Date(0) : fromNow(choiceLifetime);
    set({ name, value: value ?? '', expiresAt: expiresAt.toISOString() });
  };
  const browser: Browser = {
    ...meta,
    requireId() {
      if (browser.id !== null) return browser.id;
      browser.id = randomBytes(16).toString('base64url');
      set({ name: 'browser', value: browser.id, expiresAt: fromNow(idLifetime).toISOString() });
      return browser.id;
    },
    signIn: (value, expiresAt) => set({ name: 'session', value, expiresAt: expiresAt.toISOString() }),
    signOut: () => set({ name: 'session', value: '', expiresAt: new Date(0).toISOString() }),
    keepMailboxToken: (value) => set({ name: 'mailbox', value, expiresAt: fromNow(idLifetime).toISOString() }),
    keepOrganization(orgId) {
      if (browser.organizationId === orgId) return;
      browser.organizationId = orgId;
      set({ name: 'organization', value: orgId, expiresAt: fromNow(choiceLifetime).toISOString() });
    },
    keepTheme: (theme) => keepChoice('theme', theme),
    keepLanguage: (language) => keepChoice('language', language),
    setDevice: (value, expiresAt) => set({ name: 'device', value, expiresAt: expiresAt.toISOString() }),
  };
  return browser;
}
