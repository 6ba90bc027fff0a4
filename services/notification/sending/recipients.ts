import { normalizeEmail, storedEmails } from '../../../lib/format/email-address.ts';
import { parsePhoneNumber, plainPhone, toE164 } from '../../../lib/format/phone-number.ts';

/** Digits with the separators that people type. */
const typedPhone = /^\+?[\d ()./\p{Pd}]{5,40}$/u;

/**
 * The keys of recipients: each text as it was typed, the normal form of an email address, and the digits of a telephone
 * number without prefix. They are stored with a notification, so that an erasure finds it by a normalized identifier.
 */
export function recipientKeys(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => [text, ...normalForms(text.trim())]))];
}

function normalForms(text: string): string[] {
  if (text.includes('@')) return [normalizeEmail(text)];
  const plain = plainPhone(text);
  if (!typedPhone.test(plain)) return [text];
  // A country code may be followed by the trunk prefix in brackets, which is not part of the number.
  const digits = (toE164(plain) ?? plain).replace(/\D/g, '').replace(/^0+/, '');
  return [phoneKey(digits)];
}

const phoneKey = (digits: string): string => `tel:${digits}`;

/** The keys by which a notification to the owner of a customer's identifier, such as `email:jean@example.com`, is found. */
export function keysOfIdentifier(identifier: string): string[] {
  const value = identifier.slice(identifier.indexOf(':') + 1);
  if (identifier.startsWith('email:')) return recipientKeys([value, ...storedEmails(value)]);
  if (!identifier.startsWith('phone:')) return recipientKeys([value]);
  const national = parsePhoneNumber(value)?.nationalNumber;
  // A number may be typed without its country code, and an old notification has it without its plus sign.
  return [value, value.slice(1), phoneKey(value.slice(1)), ...(national ? [phoneKey(national)] : [])];
}
