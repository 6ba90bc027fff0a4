import { createHash, randomFillSync } from 'node:crypto';
import { now } from './clock.ts';

/** Crockford's base32 in lower case: digits before letters, so that text order is value order. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const timeCharacters = 10;
const randomCharacters = 16;

const platformPrefixes = [
  'usr',
  'org',
  'app',
  'key',
  'role',
  'asg',
  'inv',
  'con',
  'adr',
  'bkt',
  'obj',
  'ver',
  'sgn',
  'evt',
  'pnd',
  'cus',
  'tpl',
  'msg',
  'ntf',
  'chn',
  'conv',
  'cmsg',
  'site',
  'vis',
  'sup',
  'ses',
  'cli',
  'sub',
  'chk',
  'aud',
  'grt',
  'sgk',
  'req',
  'frq',
  'hnt',
] as const;

/** A prefix that a service declares with {@link declareIdPrefix}. */
type DeclaredPrefix = string & { readonly declared: unique symbol };

export type IdPrefix = (typeof platformPrefixes)[number] | DeclaredPrefix;

const owners = new Map<string, string>(platformPrefixes.map((prefix) => [prefix, 'the platform']));

/**
 * Declares the prefix of the ids of a collection, in the file of its model.
 *
 * @throws Error unless it is 2 to 20 lower-case letters that no other collection has.
 */
export function declareIdPrefix(prefix: string, collection: string): DeclaredPrefix {
  if (!/^[a-z]{2,20}$/.test(prefix)) throw new Error(`the id prefix ${prefix} must be 2 to 20 lower-case letters`);
  const owner = owners.get(prefix) ?? collection;
  if (owner !== collection) throw new Error(`the id prefix ${prefix} belongs to ${owner}`);
  owners.set(prefix, collection);
  return prefix as DeclaredPrefix;
}

/** A new id `<prefix>_<26 characters>`: 50 bits of milliseconds, then 80 random bits; later ids sort after earlier ones. */
export function newId(prefix: IdPrefix): string {
  return randomId(prefix, now());
}

/** A new id for an instant, also with a prefix that is not registered; see {@link newId}. */
export function randomId(prefix: string, at: Date): string {
  return idFrom(prefix, at, takeRandom());
}

/** The number of random bytes that {@link idFrom} takes. */
export const idRandomBytes = randomCharacters;

/** Builds the id of an instant and of bytes, which are random or derived from the data that determines the id. */
export function idFrom(prefix: string, at: Date, random: Buffer): string {
  return `${prefix}_${encodeTime(at.getTime())}${encodeBytes(random)}`;
}

/** The id before all ids of an instant, for a range of documents by their time; instants before 1970 have none. */
export function firstIdAt(prefix: string, instant: Date): string {
  return idFrom(prefix, new Date(Math.max(0, instant.getTime())), Buffer.alloc(idRandomBytes));
}

/** The milliseconds since 1970 in an id; NaN for a text that is not an id. */
export function timeOfId(id: string): number {
  const [, text] = /^[a-z]+_([0-9a-z]{10})[0-9a-z]{16}$/.exec(id) ?? [];
  if (text === undefined) return Number.NaN;
  let time = 0;
  for (const character of text) time = time * 32 + alphabet.indexOf(character);
  return time;
}

/** Derives another id of the same prefix and instant for a scope, such as the id of a copy in each of several logs. */
export function idWithin(id: string, place: string): string {
  const digest = createHash('sha256').update(`${id} ${place}`).digest().subarray(0, randomCharacters);
  return `${id.slice(0, -randomCharacters)}${encodeBytes(digest)}`;
}

/**
 * The smallest text after an id, for a query of the documents after all that have it. A range scan of a compound index
 * starts exactly there, where `$gt` would first skip every document with the id.
 */
export function behindId(id: string): string {
  return `${id}!`;
}

/** The pattern of an id with this prefix, for input schemas. */
export function idPattern(prefix: IdPrefix): RegExp {
  return new RegExp(`^${prefix}_[${alphabet}]{${timeCharacters + randomCharacters}}$`);
}

function encodeTime(milliseconds: number): string {
  let text = '';
  let rest = milliseconds;
  for (let place = 0; place < timeCharacters; place += 1) {
    text = alphabet.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function encodeBytes(bytes: Buffer): string {
  let text = '';
  // 256 is a multiple of 32, so taking five bits of each byte is unbiased.
  for (const byte of bytes) text += alphabet.charAt(byte % 32);
  return text;
}

/** Random bytes are generated in bulk, because one call costs as much as the rest of an id. */
const bulk = Buffer.alloc(256 * randomCharacters);
let taken = bulk.length;

function takeRandom(): Buffer {
  if (taken === bulk.length) {
    randomFillSync(bulk);
    taken = 0;
  }
  taken += randomCharacters;
  return bulk.subarray(taken - randomCharacters, taken);
}
