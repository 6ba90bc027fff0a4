import { domainToASCII, domainToUnicode } from 'node:url';
import { z } from 'zod';

const maxLocalBytes = 64;
const maxAddressBytes = 254;
/** Longer than any address in any Unicode form. */
const maxTypedLength = 1000;

const localPart =
  /^(?!\p{M})[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.(?!\p{M})[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const domainName = /^(?:localhost|(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)$/;

/** Of ASCII only what a domain may hold: of a URL's other characters `domainToASCII` would read more than a host. */
const convertibleDomain = /^(?:[A-Za-z0-9._-]|[^\p{ASCII}\s])+$/u;
const ascii = /^\p{ASCII}*$/u;
/** The full stops that UTS 46 maps to a dot. */
const fullStops = /[\u3002\uff0e\uff61]/g;
/** The joiners that change the meaning of a word in some scripts, so that UTS 46 keeps them where they are valid. */
const joiners = /[\u200c\u200d]/g;
const invisibleMarks = /\p{Default_Ignorable_Code_Point}/gu;
const marksOfDomains = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/gu;

/**
 * An email address in the one form in which it is compared, and in which it is a unique key: Unicode NFC, lower case,
 * the domain in ASCII (A-labels, UTS 46) without the dot at its end, without spaces around it and without invisible
 * marks. Any text has such a form; that of an address in ASCII is its lower case. Lower case, because mail servers ignore
 * the case of the local part, although RFC 5321 section 2.4 lets them tell cases apart.
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

/** A normal form as people read it: with the letters of its domain instead of A-labels. */
export function readableEmail(normal: string): string {
  const at = normal.lastIndexOf('@');
  const domain = normal.slice(at + 1);
  return domain.includes('xn--') ? normal.slice(0, at + 1) + (lettersOf(domain) ?? domain) : normal;
}

/**
 * The keys by which an address may be stored, the normal form first. Earlier versions kept the letters of a domain that
 * is not ASCII.
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
 * Whether a normal form is an address that people have: a local part of at most 64 bytes, unquoted, and a domain name,
 * 254 bytes together (RFC 5321 section 4.5.3.1, RFC 3696 erratum 1690). Letters of all scripts are allowed (RFC 6531).
 * Refused is what is made to look like another address: letters that Unicode calls variants of others, and within the
 * local part or one label of the domain letters of different scripts (UTS 39, highly restrictive). An address whole in
 * another script may still resemble one in Latin letters: it is another account, and only mail to it confirms it.
 */
export function isEmailAddress(normal: string): boolean {
  const at = normal.lastIndexOf('@');
  const local = normal.slice(0, Math.max(at, 0));
  const domain = normal.slice(at + 1);
  if (Buffer.byteLength(local) > maxLocalBytes || Buffer.byteLength(normal) > maxAddressBytes) return false;
  if (!localPart.test(local) || !domainName.test(domain)) return false;
  return local.normalize('NFKC') === local && isOfOneScript(local) && hasPlainLabels(domain);
}

/** An email address, exactly as it was sent: for texts that are signed. Every endpoint takes the same addresses. */
export const emailAsSent = z
  .string()
  .max(maxTypedLength, { error: `Send at most ${maxTypedLength} characters.`, abort: true })
  .meta({ format: 'idn-email', pattern: '.@.' })
  .refine(
    (address) => isEmailAddress(normalizeEmail(address)),
    'Send an address such as ada@example.com, in letters of one alphabet.',
  );

/** An email address, parsed into its normal form. */
export const emailInput = emailAsSent.transform(normalizeEmail);

/** An email address, parsed into its owner's spelling: for display and delivery. */
export const emailSpelling = emailAsSent.transform(spellEmail);

/** The text by which a user names their account, in the form of an email address; it may not be an address. */
export const emailTyped = z
  .string()
  .max(maxTypedLength, `Send at most ${maxTypedLength} characters.`)
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

/** Of several dots none is removed: such a text is no domain. */
const withoutLastDot = (domain: string): string => domain.replace(/(?<=[^.])\.$/, '');

/** A domain whose labels do not all decode is no name that a registry gave. */
function hasPlainLabels(domain: string): boolean {
  if (!domain.includes('xn--')) return true;
  return lettersOf(domain)?.split('.').every(isOfOneScript) ?? false;
}

/** A domain in A-labels with its letters; null when a label does not decode, which runtimes show in different ways. */
function lettersOf(domain: string): string | null {
  const letters = domainToUnicode(domain);
  return letters === '' || /(?:^|\.)xn--|\ufffd/.test(letters) ? null : letters;
}

/** UTS 31's recommended scripts, each alone, and those that Japanese, Chinese and Korean write together. */
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
