import { domainToASCII, domainToUnicode } from 'node:url';
import { z } from 'zod';

const maxLocalBytes = 64;
const maxAddressBytes = 254;
/** Longer than any address in any Unicode form. */
const maxTypedLength = 1000;

const domainCharacters = /^[\p{L}\p{M}\p{N}.-]+$/u;
const localPart =
  /^(?!\p{M})[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.(?!\p{M})[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const domainName = /^(?:localhost|(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)$/;

/**
 * An email address in the one form in which it is stored and compared: trimmed, Unicode NFC, lower case, and its domain
 * in ASCII (UTS 46), so that however one address is typed it is one account. Any text has such a form.
 */
export function normalizeEmail(address: string): string {
  // Lower-casing may leave letters decomposed.
  const text = address.trim().normalize('NFC').toLowerCase().normalize('NFC');
  const at = text.lastIndexOf('@');
  const domain = text.slice(at + 1);
  if (at === -1 || !domainCharacters.test(domain)) return text;
  return text.slice(0, at + 1) + (domainToASCII(domain) || domain);
}

/**
 * Whether a normalised text is an address that people have: a local part of at most 64 bytes, unquoted, and a domain
 * name, 254 bytes together (RFC 5321). Refused is what is made to look like another address: letters that Unicode calls
 * variants of others, and within the local part or one label of the domain letters of different scripts (UTS 39, highly
 * restrictive). An address whole in another script may still resemble one in Latin letters: it is another account, and
 * only mail to it confirms it.
 */
export function isEmailAddress(address: string): boolean {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, Math.max(at, 0));
  const domain = address.slice(at + 1);
  if (Buffer.byteLength(local) > maxLocalBytes || Buffer.byteLength(address) > maxAddressBytes) return false;
  if (!localPart.test(local) || !domainName.test(domain)) return false;
  return local.normalize('NFKC') === local && isOfOneScript(local) && hasPlainLabels(domain);
}

/** An email address as typed, parsed into its normal form. */
export const emailInput = z
  .string()
  .max(maxTypedLength, `Send at most ${maxTypedLength} characters.`)
  .transform(normalizeEmail)
  .refine(isEmailAddress, 'Send an address such as ada@example.com, in letters of one alphabet.');

/** The text by which a user names their account, in the form of an email address; it may not be an address. */
export const emailTyped = z
  .string()
  .max(maxTypedLength, `Send at most ${maxTypedLength} characters.`)
  .transform(normalizeEmail);

/** A label that does not decode is no name that a registry gave. */
function hasPlainLabels(domain: string): boolean {
  return domainToUnicode(domain)
    .split('.')
    .every((label) => !label.startsWith('xn--') && isOfOneScript(label));
}

/** UTS 31's recommended scripts, each alone, and those that Japanese, Chinese and Korean write together. */
const scriptSets = [
  ...['Arabic', 'Armenian', 'Bengali', 'Cyrillic', 'Devanagari', 'Ethiopic', 'Georgian', 'Greek', 'Gujarati'],
  ...['Gurmukhi', 'Hebrew', 'Kannada', 'Khmer', 'Lao', 'Malayalam', 'Myanmar', 'Oriya', 'Sinhala', 'Tamil', 'Telugu'],
  ...['Thaana', 'Thai', 'Tibetan'],
  'Latin Han Hiragana Katakana',
  'Latin Han Bopomofo',
  'Latin Han Hangul',
].map((names) => scriptSet(names.split(' ')));

function scriptSet(scripts: string[]): RegExp {
  const classes = [...scripts, 'Common', 'Inherited'].map((script) => `\\p{Script_Extensions=${script}}`);
  return new RegExp(`^[${classes.join('')}]*$`, 'u');
}

function isOfOneScript(text: string): boolean {
  return scriptSets.some((scripts) => scripts.test(text));
}
