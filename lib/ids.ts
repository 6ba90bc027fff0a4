import { randomFillSync } from 'node:crypto';
import { now } from './clock.ts';

/** Crockford's base32 in lower case: digits before letters, so that text order is value order. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const timeCharacters = 10;
const randomCharacters = 16;

export type IdPrefix =
  | 'usr'
  | 'org'
  | 'app'
  | 'key'
  | 'role'
  | 'asg'
  | 'inv'
  | 'con'
  | 'adr'
  | 'obj'
  | 'evt'
  | 'cus'
  | 'tpl'
  | 'msg'
  | 'ntf'
  | 'chn'
  | 'conv'
  | 'ses'
  | 'cli'
  | 'sub'
  | 'chk'
  | 'aud'
  | 'grt'
  | 'sgk'
  | 'req';

/** A new id `<prefix>_<26 characters>`: 50 bits of milliseconds, then 80 random bits; later ids sort after earlier ones. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}_${encodeTime(now().getTime())}${encodeRandom()}`;
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

function encodeRandom(): string {
  let text = '';
  // 256 is a multiple of 32, so taking five bits of each byte favours no character.
  for (const byte of takeRandom()) text += alphabet.charAt(byte % 32);
  return text;
}

/** Chance is asked for in bulk, for asking costs as much as making the rest of an id. */
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
