import { apiError, inputError } from '../../lib/contract/errors.ts';
import { emailInput } from '../../lib/format/email-address.ts';
import { parsePhoneNumber } from '../../lib/format/phone-number.ts';
import { settings } from '../../lib/settings/settings.ts';
import type { Contact } from '../../models/identity/user.ts';

const handle = /^[^\s\p{C}](?:[^\p{C}\p{Zl}\p{Zp}]{0,98}[^\s\p{C}])?$/u;

/**
 * A contact's value in the one form in which it is stored and compared: an email like login emails, a phone number in
 * E.164 (one without a country code is read as a number of DEFAULT_COUNTRY), an account elsewhere as 1 to 100 visible
 * characters.
 *
 * @throws INPUT_INVALID on `body.value`.
 */
export function contactValue(type: Contact['type'], typed: string): string {
  if (type === 'email') return emailValue(typed);
  return type === 'phone' ? phoneValue(typed) : handleValue(typed);
}

function emailValue(typed: string): string {
  const { success, data, error } = emailInput.safeParse(typed);
  if (!success) throw refuse(error.issues[0]?.message ?? '');
  return data;
}

function phoneValue(typed: string): string {
  const parsed = parsePhoneNumber(typed, settings.DEFAULT_COUNTRY);
  if (!parsed) {
    throw refuse('Must be a phone number with its country code and without an extension, such as +49 30 1234567.');
  }
  return parsed.number;
}

function handleValue(typed: string): string {
  const text = typed.trim().normalize('NFC');
  if (!handle.test(text)) throw refuse('Must be 1 to 100 visible characters.');
  return text;
}

function refuse(message: string): Error {
  return inputError([{ path: 'body.value', message }]);
}

export const maxContacts = 50;

/**
 * The invariants of a user's contacts, kept by each function below: of every type that has contacts exactly one is
 * primary, no type has the same value twice, and the login email is one of them. None of the functions mutates its
 * arguments.
 */
type Contacts = readonly Contact[];

/**
 * The contacts with one more. It becomes primary on request, or when it is the first of its type.
 *
 * @throws CONTACT_EXISTS; LIMIT_REACHED beyond 50.
 */
export function addContact(contacts: Contacts, contact: Contact): Contact[] {
  rejectDuplicate(contacts, contact);
  if (contacts.length >= maxContacts) {
    throw apiError('LIMIT_REACHED', { message: `You have ${maxContacts} contacts already; remove one first.` });
  }
  const isFirst = contacts.every(({ type }) => type !== contact.type);
  const isPrimary = contact.isPrimary || isFirst;
  return [...(isPrimary ? demote(contacts, contact) : contacts), { ...contact, isPrimary }];
}

export type ContactChange = { value?: string | undefined; isPrimary?: boolean | undefined };

/**
 * The contacts with one changed. A new value is unverified. A new primary demotes the previous one.
 *
 * @param loginEmail the value that no contact may lose
 * @throws NOT_FOUND; CONTACT_EXISTS; CONTACT_IS_LOGIN; INPUT_INVALID for a value that is invalid for its type, and for
 * demoting the primary: another is made primary instead.
 */
export function changeContact(
  contacts: Contacts,
  contactId: string,
  change: ContactChange,
  { loginEmail, at }: { loginEmail: string; at: Date },
): Contact[] {
  const previous = findContact(contacts, contactId);
  const others = contacts.filter((contact) => contact !== previous);
  const value = change.value === undefined ? previous.value : contactValue(previous.type, change.value);
  const isPrimary = change.isPrimary ?? previous.isPrimary;
  if (previous.isPrimary && !isPrimary) throw rejectDemotion();
  const isSameValue = value === previous.value;
  if (isSameValue && isPrimary === previous.isPrimary) return [...contacts];
  if (!isSameValue) rejectLogin(previous, loginEmail);
  const changed = {
    ...previous,
    value,
    isPrimary,
    verifiedAt: isSameValue ? previous.verifiedAt : null,
    updatedAt: at,
  };
  rejectDuplicate(others, changed);
  const around = isPrimary ? demote(contacts, changed) : contacts;
  return around.map((contact) => (contact.contactId === contactId ? changed : contact));
}

/**
 * The contacts without one. When it was primary, the oldest remaining one of its type becomes primary.
 *
 * @param loginEmail the value that cannot be removed
 * @throws NOT_FOUND; CONTACT_IS_LOGIN.
 */
export function removeContact(
  contacts: Contacts,
  contactId: string,
  { loginEmail, at }: { loginEmail: string; at: Date },
): Contact[] {
  const removed = findContact(contacts, contactId);
  rejectLogin(removed, loginEmail);
  const remaining = contacts.filter((contact) => contact !== removed);
  if (!removed.isPrimary) return remaining;
  const [heir] = remaining.filter(({ type }) => type === removed.type).sort(byAge);
  return remaining.map((contact) => (contact === heir ? { ...contact, isPrimary: true, updatedAt: at } : contact));
}

/** The contact with this id; throws NOT_FOUND when the user has no such contact, also if another user has. */
export function findContact(contacts: Contacts, contactId: string): Contact {
  const found = contacts.find((contact) => contact.contactId === contactId);
  if (!found) throw apiError('NOT_FOUND', { message: 'You have no such contact.' });
  return found;
}

/** Demotes the primary contact of a type, before another becomes primary. */
function demote(contacts: Contacts, { type, updatedAt }: Contact): Contact[] {
  return contacts.map((contact) =>
    contact.type === type && contact.isPrimary ? { ...contact, isPrimary: false, updatedAt } : contact,
  );
}

function byAge(one: Contact, other: Contact): number {
  return one.contactId < other.contactId ? -1 : 1;
}

function rejectDuplicate(contacts: Contacts, { type, value }: Contact): void {
  if (contacts.some((contact) => contact.type === type && contact.value === value)) throw apiError('CONTACT_EXISTS');
}

function rejectLogin({ type, value }: Contact, loginEmail: string): void {
  if (type === 'email' && value === loginEmail) throw apiError('CONTACT_IS_LOGIN');
}

function rejectDemotion(): Error {
  const message = 'Make another contact of this type primary instead: that demotes this one.';
  return inputError([{ path: 'body.isPrimary', message }]);
}
