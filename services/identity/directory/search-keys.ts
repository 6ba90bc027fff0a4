import { emailInput } from '../../../lib/format/email-address.ts';
import { parsePhoneNumber } from '../../../lib/format/phone-number.ts';
import { fromEachWord, searchForm } from '../../../lib/format/search-form.ts';
import { settings } from '../../../lib/settings/settings.ts';
import type { UserDocument } from '../../../models/identity/user.ts';

/** The fields of a user that make their keys. */
export type SearchedUser = Pick<
  UserDocument,
  'email' | 'contacts' | 'displayName' | 'preferredName' | 'firstName' | 'middleName' | 'lastName'
>;

/**
 * Marks a key that only a complete email address or telephone number finds: contacts are private, and a search by their
 * beginnings would reveal them digit by digit. No text that is typed contains it.
 */
const complete = '\u0001';
const maxKeyLength = 100;
const maxKeys = 128;

/**
 * The keys by which a user is found, each once and sorted: their names from each word on and the login email, which are
 * found by their beginning; the login email, confirmed email addresses and telephone numbers, which are found whole.
 */
export function searchKeysOf(user: SearchedUser): string[] {
  const { firstName, middleName, lastName, displayName, preferredName } = user;
  const [fullName, reversedName] = [
    [firstName, middleName, lastName],
    [lastName, firstName, middleName],
  ].map((parts) => searchForm(parts.filter((name) => name !== null).join(' '))) as [string, string];
  const names = [displayName, preferredName].map((name) => searchForm(name ?? ''));
  const begun = [searchForm(user.email), reversedName, ...[...names, fullName].flatMap(fromEachWord)];
  const contacts = user.contacts.filter(
    ({ type, verifiedAt }) => type === 'phone' || (type === 'email' && verifiedAt !== null),
  );
  const whole = [user.email, ...contacts.map(({ value }) => value)].map((value) => complete + searchForm(value));
  const keys = [...longest(begun.map(shorten)), ...whole.map(shorten)];
  return [...new Set(keys)].sort(byCodePoint).slice(0, maxKeys);
}

/** The texts without those that others begin with: a search that finds these finds the others, in one row less. */
function longest(texts: string[]): string[] {
  const sorted = [...new Set(texts)].filter((text) => text !== '').sort(byCodePoint);
  return sorted.filter((text, index) => !sorted[index + 1]?.startsWith(text));
}

function shorten(key: string): string {
  return key.length <= maxKeyLength ? key : [...key].slice(0, maxKeyLength).join('');
}

/** The order of the database, which compares UTF-8 bytes. */
export function byCodePoint(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** The condition of a search on the keys: one key, or all that begin with a text. */
export type SearchTerm = { text: string; isWhole: boolean };

/** The term of a search: a complete email address, a telephone number, or the beginning of a name or login email. */
export function searchTermOf(typed: string): SearchTerm {
  const email = typed.includes('@') ? emailInput.safeParse(typed).data : undefined;
  const phone = email === undefined ? parsePhoneNumber(typed, settings.DEFAULT_COUNTRY)?.number : undefined;
  const whole = email ?? phone;
  if (whole !== undefined) return { text: shorten(complete + searchForm(whole)), isWhole: true };
  return { text: shorten(searchForm(typed)), isWhole: false };
}

/** Whether a search finds a key. */
export function isFoundBy({ text, isWhole }: SearchTerm, key: string): boolean {
  return isWhole ? key === text : key.startsWith(text);
}
