import { textOfWholeNumber } from '../../../lib/data/exact-json.ts';
import { emailInput, storedEmails } from '../../../lib/format/email-address.ts';
import { parsePhoneNumber } from '../../../lib/format/phone-number.ts';
import { type BusinessEvent, isCustomerActor } from './event.ts';
import { field } from './payload.ts';
import { isNothing, isTemplate } from './placeholders.ts';

export type Identifier = {
  type: 'id' | 'email' | 'phone';
  value: string;
};

/** Beyond this a value is data that strayed into an id field; cutting it could make two customers one. */
const maxIdLength = 256;

const controlCharacter = /\p{Cc}/u;
const oneDigitRepeated = /^(\d)\1*$/;
const digitsUp = '01234567890123456789';
const digitsDown = '98765432109876543210';

/** Mailbox names that are shared, or that stand for no address. */
const sharedAddress =
  /(?:^|[._+-])(?:no|do[._-]?not)[._-]?reply(?:$|[^a-z])|^(?:mailer-daemon|postmaster|no[._-]?e?[._-]?mail|no[._-]?one)$/;

/**
 * The identifiers of the customer an event is about, the id first, without repetitions; empty for an event without a
 * customer. At most seven by construction: one id, and an email and a phone each from `payload` and `payload.customer`;
 * an email with a domain that is not ASCII has two. A list of addresses is never used: it names recipients, not a
 * person.
 *
 * @param defaultCountry ISO 3166 alpha-2, for phone numbers without a country code
 */
export function identifiersOf(event: Pick<BusinessEvent, 'actor' | 'payload'>, defaultCountry?: string): Identifier[] {
  const customer = field(event.payload, 'customer');
  return distinct([
    toIdentifier('id', customerIdOf(event)),
    ...emailIdentifiers(field(event.payload, 'email')),
    ...emailIdentifiers(field(customer, 'email')),
    toIdentifier('phone', normalizePhone(field(event.payload, 'phone'), defaultCountry)),
    toIdentifier('phone', normalizePhone(field(customer, 'phone'), defaultCountry)),
  ]);
}

/** The sender's id for the customer an event is about: the actor's if it is one, otherwise the payload's. */
export function customerIdOf(event: Pick<BusinessEvent, 'actor' | 'payload'>): string | undefined {
  const actorId = isCustomerActor(field(event.actor, 'type')) ? normalizeId(field(event.actor, 'id')) : undefined;
  return (
    actorId ??
    normalizeId(field(event.payload, 'customerId')) ??
    normalizeId(field(field(event.payload, 'customer'), 'id'))
  );
}

/**
 * The possible meanings of `resolve?q=`, the most literal first: a customer id, an email, a phone number. A leading
 * blank before a digit is the `+` of a phone number that a client left unescaped in the query string.
 */
export function lookupIdentifiers(query: string, defaultCountry?: string): Identifier[] {
  const phone = /^ \d/.test(query) ? `+${query.trim()}` : query;
  return distinct([
    // Unchanged: earlier versions stored ids that the current rules reject.
    toIdentifier('id', trimId(query)),
    ...emailIdentifiers(query),
    toIdentifier('phone', normalizePhone(phone, defaultCountry)),
  ]);
}

/** `id:…`, `email:…` or `phone:+…`. */
export function identifierKey(identifier: Identifier): string {
  return `${identifier.type}:${identifier.value}`;
}

/**
 * The identifier of a key; undefined for a text of another form. Does not apply the current rules to a key stored by
 * older ones.
 */
export function parseIdentifierKey(key: string): Identifier | undefined {
  const parts = /^(id|email|phone):(.+)$/s.exec(key);
  if (!parts) return undefined;
  const [, type, value = ''] = parts;
  if (type === 'phone') return /^\+\d{5,15}$/.test(value) ? { type, value } : undefined;
  return { type: type === 'email' ? 'email' : 'id', value };
}

/**
 * Trims an id and keeps its case; whole numbers become text. Undefined for a value that is not an identifier:
 * placeholders for an unknown user, and templates that were not filled, would merge strangers into one customer.
 */
export function normalizeId(value: unknown): string | undefined {
  const id = trimId(value);
  return id === undefined || isNothing(id) || isTemplate(id) ? undefined : id;
}

function trimId(value: unknown): string | undefined {
  const text = textOfWholeNumber(value) ?? value;
  if (typeof text !== 'string' || text.length > maxIdLength) return undefined;
  const id = text.trim();
  return id === '' || controlCharacter.test(id) || !id.isWellFormed() ? undefined : id;
}

/**
 * The identifiers of an email address: its normal form, and the form in which earlier versions stored one whose domain
 * is not ASCII, so that both belong to the same customer.
 */
export function emailIdentifiers(value: unknown): Identifier[] {
  const email = normalizeEmail(value);
  return email === undefined ? [] : storedEmails(email).map((form) => ({ type: 'email', value: form }));
}

/**
 * The normal form of an email address; dots and tags stay, because only the mailbox's host knows what they mean.
 * Undefined for a shared address, a placeholder or a template.
 */
export function normalizeEmail(value: unknown): string | undefined {
  const address = emailInput.safeParse(value).data;
  if (address === undefined || address.endsWith('@localhost')) return undefined;
  const [localPart = ''] = address.split('@');
  return isNothing(localPart) || isTemplate(address) || sharedAddress.test(localPart) ? undefined : address;
}

/** E.164. Undefined for placeholders, such as one digit repeated or digits in sequence. */
export function normalizePhone(value: unknown, defaultCountry?: string): string | undefined {
  const text = textOfWholeNumber(value) ?? value;
  if (typeof text !== 'string') return undefined;
  const parsed = parsePhoneNumber(text, defaultCountry);
  if (!parsed || isTypedInOrder(parsed.nationalNumber)) return undefined;
  return parsed.number;
}

function isTypedInOrder(digits: string): boolean {
  return oneDigitRepeated.test(digits) || digitsUp.includes(digits) || digitsDown.includes(digits);
}

function toIdentifier(type: Identifier['type'], value: string | undefined): Identifier | undefined {
  return value === undefined ? undefined : { type, value };
}

function distinct(identifiers: (Identifier | undefined)[]): Identifier[] {
  const present = identifiers.filter((identifier) => identifier !== undefined);
  return [...new Map(present.map((identifier) => [identifierKey(identifier), identifier])).values()];
}
