import { emailInput } from '../../../lib/email-address.ts';
import { inputError } from '../../../lib/errors.ts';
import { parsePhoneNumber } from '../../../lib/phone-number.ts';
import { settings } from '../../../lib/settings.ts';
import type { Contact } from '../../../models/identity/user.ts';

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
