import { apiError, inputError } from '../../../lib/errors.ts';
import type { Contact } from '../../../models/identity/user.ts';
import { contactValue } from './contact-value.ts';

export const maxContacts = 50;

/**
 * What holds among the contacts of a user, kept by each function below: of every type that has contacts exactly one is
 * primary, no type has the same value twice, and the login email is one of them. None of them changes what it is given.
 */
type Contacts = readonly Contact[];

/**
 * The contacts with one more. It becomes primary on request, or when it is the first of its type.
 *
 * @throws CONTACT_EXISTS; LIMIT_REACHED beyond 50.
 */
export function addContact(contacts: Contacts, contact: Contact): Contact[] {
  refuseDuplicate(contacts, contact);
  if (contacts.length >= maxContacts) {
    throw apiError('LIMIT_REACHED', { message: `You have ${maxContacts} contacts already; remove one first.` });
  }
  const isFirst = contacts.every(({ type }) => type !== contact.type);
  const isPrimary = contact.isPrimary || isFirst;
  return [...(isPrimary ? demote(contacts, contact) : contacts), { ...contact, isPrimary }];
}

export type ContactChange = { value?: string | undefined; isPrimary?: boolean | undefined };

/**
 * The contacts with one changed. Another value is unverified. Making it primary demotes the one that was.
 *
 * @param loginEmail the value that no contact may lose
 * @throws NOT_FOUND; CONTACT_EXISTS; CONTACT_IS_LOGIN; INPUT_INVALID for a value that is none of its type, and for
 * demoting the primary: another is made primary instead.
 */
export function changeContact(
  contacts: Contacts,
  contactId: string,
  change: ContactChange,
  { loginEmail, at }: { loginEmail: string; at: Date },
): Contact[] {
  const former = findContact(contacts, contactId);
  const others = contacts.filter((contact) => contact !== former);
  const value = change.value === undefined ? former.value : contactValue(former.type, change.value);
  const isPrimary = change.isPrimary ?? former.isPrimary;
  if (former.isPrimary && !isPrimary) throw refuseDemotion();
  const isSameValue = value === former.value;
  if (isSameValue && isPrimary === former.isPrimary) return [...contacts];
  if (!isSameValue) refuseLogin(former, loginEmail);
  const changed = { ...former, value, isPrimary, verifiedAt: isSameValue ? former.verifiedAt : null, updatedAt: at };
  refuseDuplicate(others, changed);
  const around = isPrimary ? demote(contacts, changed) : contacts;
  return around.map((contact) => (contact.contactId === contactId ? changed : contact));
}

/**
 * The contacts without one. When that was primary, the oldest left of its type is from now on.
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
  refuseLogin(removed, loginEmail);
  const left = contacts.filter((contact) => contact !== removed);
  if (!removed.isPrimary) return left;
  const [heir] = left.filter(({ type }) => type === removed.type).sort(byAge);
  return left.map((contact) => (contact === heir ? { ...contact, isPrimary: true, updatedAt: at } : contact));
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

function refuseDuplicate(contacts: Contacts, { type, value }: Contact): void {
  if (contacts.some((contact) => contact.type === type && contact.value === value)) throw apiError('CONTACT_EXISTS');
}

function refuseLogin({ type, value }: Contact, loginEmail: string): void {
  if (type === 'email' && value === loginEmail) throw apiError('CONTACT_IS_LOGIN');
}

function refuseDemotion(): Error {
  const message = 'Make another contact of this type primary instead: that demotes this one.';
  return inputError([{ path: 'body.isPrimary', message }]);
}
