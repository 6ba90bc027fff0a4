import { domainToASCII, domainToUnicode } from 'node:url';
import { z } from 'zod';

const maxLocalBytes = 64;
const maxAddressBytes = 254;
/** Longer than any address in any Unicode form. */
const maxTypedLength = 1000;

const localPart =
  /^(?!\p{M})[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.(?!\p{M})[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const domainName = /^(?:localhost|(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)$/;

/**
 * A domain that `domainToASCII` converts safely: only the ASCII characters of a domain, because it parses the
 * delimiters of a URL.
 */
const convertibleDomain = /^(?:[A-Za-z0-9._-]|[^\p{ASCII}\s])+$/u;
const ascii = /^\p{ASCII}*$/u;
/** The full stops that UTS 46 maps to a dot. */
const fullStops = /[\u3002\uff0e\uff61]/g;
/** The joiners that change the meaning of a word in some scripts, so that UTS 46 keeps them where they are valid. */
const joiners = /[\u200c\u200d]/g;
const invisibleMarks = /\p{Default_Ignorable_Code_Point}/gu;
const marksOfDomains = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/gu;

/**
 * Normalizes an email address for comparison and as a unique key: Unicode NFC, lower case, the domain in ASCII
 * (A-labels, UTS 46) without the trailing dot, without surrounding spaces and without invisible marks. Any text has a
 * normal form; an ASCII address is only lowercased. Lower case, because mail servers ignore the case of the local part,
 * although RFC 5321 section 2.4 allows them to distinguish it.
 */
export function normalizeEmail(address: string): string {
  const { local, domain } = partsOf(address);
  // Lower-casing may leave letters decomposed.
  const normalLocal = local.toLowerCase().normalize('NFC');
  return domain === null ? normalLocal : `${normalLocal}@${asciiDomain(domain)}`;
}

/**
 * An address as its owner spells it, for display and delivery: Unicode NFC, case and the letters of the domain kept,
 * without spaces around it, invisible marks and the dot at its end.
 */
export function spellEmail(address: string): string {
  const { local, domain } = partsOf(address);
  return domain === null ? local : `${local}@${withoutLastDot(domain.replace(fullStops, '.'))}`;
}

/** A domain in lower case and in ASCII (UTS 46, A-labels), without the dot at its end. Any text has such a form. */
export function asciiDomain(domain: string): string {
  const lower = () => domain.toLowerCase().normalize('NFC');
  if (ascii.test(domain) || !convertibleDomain.test(domain)) return withoutLastDot(lower());
  const encoded = domainToASCII(domain) || domainToASCII(domain.replace(joiners, ''));
  return withoutLastDot(encoded || lower());
}

/** Formats a normal form for display: the domain in Unicode instead of A-labels. */
export function readableEmail(normal: string): string {
  const at = normal.lastIndexOf('@');
  const domain = normal.slice(at + 1);
  return domain.includes('xn--') ? normal.slice(0, at + 1) + (lettersOf(domain) ?? domain) : normal;
}

/**
 * The keys under which an address may be stored, the normal form first. Earlier versions stored a domain that is not
 * ASCII in Unicode.
 */
export function storedEmails(address: string): string[] {
  const normal = normalizeEmail(address);
  return [...new Set([normal, readableEmail(normal)])];
}

/** The keys of the addresses among a customer's identifiers, such as `email:ada@example.com`. */
export function storedEmailsOf(identifiers: string[]): string[] {
  const addresses = identifiers.flatMap((key) => (key.startsWith('email:') ? [key.slice('email:'.length)] : []));
  return [...new Set(addresses.flatMap(storedEmails))];
}

/**
 * Whether a normal form is a usable address: a local part of at most 64 bytes, unquoted, and a domain name, 254 bytes
 * in total (RFC 5321 section 4.5.3.1, RFC 3696 erratum 1690). Letters of all scripts are allowed (RFC 6531). Lookalikes
 * are rejected: letters that Unicode lists as variants of others, and mixed scripts within the local part or one label
 * of the domain (UTS 39, highly restrictive). An address entirely in another script may still resemble one in Latin
 * letters: it is a different account, and only mail to it confirms it.
 */
export function isEmailAddress(normal: string): boolean {
  const at = normal.lastIndexOf('@');
  const local = normal.slice(0, Math.max(at, 0));
  const domain = normal.slice(at + 1);
  if (Buffer.byteLength(local) > maxLocalBytes || Buffer.byteLength(normal) > maxAddressBytes) return false;
  if (!localPart.test(local) || !domainName.test(domain)) return false;
  return local.normalize('NFKC') === local && isOfOneScript(local) && hasPlainLabels(domain);
}

/**
 * An email address, kept exactly as it was sent: for texts that are signed. All endpoints accept the same addresses.
 */
export const emailAsSent = z
  .string()
  .max(maxTypedLength, { error: `Must be at most ${maxTypedLength} characters.`, abort: true })
  .meta({ format: 'idn-email', pattern: '.@.' })
  .refine(
    (address) => isEmailAddress(normalizeEmail(address)),
    'Must be a valid email address, such as ada@example.com.',
  );

/** An email address, parsed into its normal form. */
export const emailInput = emailAsSent.transform(normalizeEmail);

/** An email address, parsed into its owner's spelling: for display and delivery. */
export const emailSpelling = emailAsSent.transform(spellEmail);

/** The domain of email addresses, such as `example.com`, parsed into the form that it has in a normal address. */
export const emailDomainInput = z
  .string()
  .max(maxTypedLength, { error: `Must be at most ${maxTypedLength} characters.`, abort: true })
  .refine((domain) => isEmailAddress(ofDomain(domain)), 'Must be a domain, such as example.com.')
  .transform((domain) => ofDomain(domain).slice(1 + ofDomain(domain).indexOf('@')));

/** Whether an address in its normal form is of one of these domains. A subdomain of one is not. */
export function isOfDomains(email: string, domains: readonly string[]): boolean {
  return domains.includes(email.slice(email.lastIndexOf('@') + 1));
}

/** An address of a domain, in its normal form. A text with another `@` makes no address. */
const ofDomain = (domain: string): string => normalizeEmail(`x@${domain.trim()}`);

/** The text by which a user names their account, in the form of an email address; it may not be an address. */
export const emailTyped = z
  .string()
  .max(maxTypedLength, `Must be at most ${maxTypedLength} characters.`)
  .transform(normalizeEmail);

/** The parts before and after the last `@`, without invisible marks; `domain` is null for a text without `@`. */
function partsOf(address: string): { local: string; domain: string | null } {
  const at = address.lastIndexOf('@');
  if (at === -1) return { local: address.replace(invisibleMarks, '').trim().normalize('NFC'), domain: null };
  const local = address.slice(0, at).replace(invisibleMarks, '').trimStart().normalize('NFC');
  const domain = address
    .slice(at + 1)
    .replace(marksOfDomains, '')
    .trimEnd()
    .normalize('NFC');
  return { local, domain };
}

/** Removes a trailing dot, but none of several: a text that ends with several dots is not a domain. */
const withoutLastDot = (domain: string): string => domain.replace(/(?<=[^.])\.$/, '');

/** Whether all labels of a domain decode; no registry accepts other labels. */
function hasPlainLabels(domain: string): boolean {
  if (!domain.includes('xn--')) return true;
  return lettersOf(domain)?.split('.').every(isOfOneScript) ?? false;
}

/**
 * Decodes the A-labels of a domain to Unicode; null when a label does not decode, which runtimes display differently.
 */
function lettersOf(domain: string): string | null {
  const letters = domainToUnicode(domain);
  return letters === '' || /(?:^|\.)xn--|\ufffd/.test(letters) ? null : letters;
}

/** UTS 31's recommended scripts, each alone, and the combinations that Japanese, Chinese and Korean use. */
const scriptSets = [
  'Latin Han Hiragana Katakana',
  ...['Arabic', 'Armenian', 'Bengali', 'Cyrillic', 'Devanagari', 'Ethiopic', 'Georgian', 'Greek', 'Gujarati'],
  ...['Gurmukhi', 'Hebrew', 'Kannada', 'Khmer', 'Lao', 'Malayalam', 'Myanmar', 'Oriya', 'Sinhala', 'Tamil', 'Telugu'],
  ...['Thaana', 'Thai', 'Tibetan'],
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
