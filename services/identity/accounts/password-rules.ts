import { z } from 'zod';
import { normalizeEmail } from '../../../lib/email-address.ts';
import { inputError } from '../../../lib/errors.ts';

const minLength = 8;
const maxLength = 256;
const maxTypedLength = 4096;
const controls = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** A password as typed, in any Unicode form. {@link requireGoodPassword} has the rules for a new one. */
export const passwordTyped = z.string().max(maxTypedLength, `Must be at most ${maxLength} characters.`);

/** A password that is chosen; `requireGoodPassword` holds the rest of the rules. */
export const newPasswordTyped = passwordTyped.meta({
  description: `${minLength} to ${maxLength} characters; not one of the common passwords, nor the email address.`,
});

/**
 * Refuses a new password that is too short or too long (8 to 256 characters of Unicode NFC), is one of those that are
 * guessed first, or is the email address of its owner or the part before the @.
 *
 * @param path the path of the password in the input
 * @throws INPUT_INVALID on that path, in words for the person who chose it.
 */
export async function requireGoodPassword(password: string, email: string, path = 'body.password'): Promise<void> {
  const message = await passwordProblem(password, email);
  if (message !== null) throw inputError([{ path, message }]);
}

/** The problem of a new password, as a sentence; null when it has none. */
export async function passwordProblem(password: string, email: string): Promise<string | null> {
  const normal = password.normalize('NFC');
  // Characters as people count them, not UTF-16.
  const { length } = [...normal];
  if (length < minLength) return `Choose at least ${minLength} characters.`;
  if (length > maxLength) return `Choose at most ${maxLength} characters.`;
  if (controls.test(normal)) return 'Choose characters that can be typed, without line breaks or control characters.';
  const folded = normal.toLowerCase();
  if (normalizeEmail(password) === email || folded === email.slice(0, email.lastIndexOf('@'))) {
    return 'Choose a password that is not your email address.';
  }
  if ((await commonPasswords()).has(folded)) return 'This password is too common; choose another.';
  return null;
}

let loading: Promise<ReadonlySet<string>> | undefined;

/** Some 50,000 passwords of past leaks, in lower case; loaded when first needed. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  loading ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'].map((password) => password.toLowerCase())),
  );
  return loading;
}
