import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefix = 'svc_live_';
const secretCharacters = 30;
const checksumCharacters = 6;
const form = new RegExp(`^${prefix}[${alphabet}]{${secretCharacters + checksumCharacters}}$`);

/** A new API key's token: `svc_live_`, 30 random base62 characters (178 bits), 6 of CRC32 over what precedes them. */
export function newApiKeyToken(): string {
  const secret = randomBase62(secretCharacters);
  return `${prefix}${secret}${checksum(prefix + secret)}`;
}

/** So many random base62 characters, of 5.95 bits each. */
export function randomBase62(characters: number): string {
  return Array.from({ length: characters }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}

/** Whether a token has the form and checksum of an API key: a mistyped one is known without a look-up. */
export function isApiKeyToken(token: string): boolean {
  if (!form.test(token)) return false;
  return token.endsWith(checksum(token.slice(0, -checksumCharacters)));
}

function checksum(text: string): string {
  let rest = crc32(text);
  let encoded = '';
  for (let place = 0; place < checksumCharacters; place += 1) {
    encoded = alphabet.charAt(rest % alphabet.length) + encoded;
    rest = Math.floor(rest / alphabet.length);
  }
  return encoded;
}
