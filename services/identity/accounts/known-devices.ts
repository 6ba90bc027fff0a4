import { randomBytes } from 'node:crypto';
import { day, fromNow, now } from '../../../lib/data/clock.ts';
import { isSigned, sign } from '../../../lib/security/encryption.ts';
import type { Browser } from '../../../web/browser.ts';

/*
 * A browser becomes a known device of an account by a login. Its cookie holds an entry for each account: a random id,
 * the time of the login, and a signature over both and the email address, so that the cookie reveals no address
 * (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). Any node verifies it, because it needs no stored
 * state.
 */

const purpose = 'identity.known-device';
const lifetime = 180 * day;
/** Several people may share a browser, or one person have several accounts. */
const maxAccounts = 5;

type Entry = { id: string; issuedAt: string; signature: string };

/** The id of the device that an account with this email address knows; null for any other browser. */
export function knownDeviceIn(cookie: string | null | undefined, email: string): string | null {
  return entriesOf(cookie).find((entry) => isOf(email, entry))?.id ?? null;
}

/** Makes the browser a known device of the account with this email address. */
export function rememberDevice(browser: Browser, email: string): void {
  const entries = entriesOf(browser.device);
  const { own = [], others = [] } = Object.groupBy(entries, (entry) => (isOf(email, entry) ? 'own' : 'others'));
  const id = own[0]?.id ?? randomBytes(16).toString('base64url');
  const issuedAt = now().getTime().toString(36);
  const entry = { id, issuedAt, signature: sign(purpose, textOf({ id, issuedAt }, email)) };
  const kept = [entry, ...others].slice(0, maxAccounts);
  const value = kept.map(({ id, issuedAt, signature }) => [id, issuedAt, signature].join('~')).join('.');
  browser.setDevice(value, fromNow(lifetime));
}

function entriesOf(cookie: string | null | undefined): Entry[] {
  const texts = (cookie ?? '').split('.').slice(0, maxAccounts);
  return texts.flatMap((text) => {
    const [id = '', issuedAt = '', signature = '', ...others] = text.split('~');
    return signature === '' || others.length > 0 ? [] : [{ id, issuedAt, signature }];
  });
}

function isOf(email: string, { signature, ...entry }: Entry): boolean {
  if (!isSigned(purpose, textOf(entry, email), signature)) return false;
  return Number.parseInt(entry.issuedAt, 36) > now().getTime() - lifetime;
}

const textOf = ({ id, issuedAt }: Omit<Entry, 'signature'>, email: string): string =>
  JSON.stringify([id, issuedAt, email]);
