import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const prefix = 'svc_live_';
const secretCharacters = 30;
const checksumCharacters = 6;
const base = BigInt(alphabet.length);
const form = new RegExp(`^${prefix}[${alphabet}]{${secretCharacters + checksumCharacters}}$`);

/** The random bytes for 30 base62 characters (178 bits). The surplus bits make the modulo bias negligible. */
export const secretBytes = 64;

/** A new API key's token. */
export function newApiKeyToken(): string {
  return apiKeyTokenOf(randomBytes(secretBytes));
}

/** The token of {@link secretBytes} bytes: `svc_live_`, 30 base62 characters, 6 of CRC32 over the preceding ones. */
export function apiKeyTokenOf(bytes: Buffer): string {
  const secret = base62(bytes);
  return `${prefix}${secret}${checksum(prefix + secret)}`;
}

/** {@link secretBytes} bytes as 30 base62 characters. */
export function base62(bytes: Buffer): string {
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let place = 0; place < secretCharacters; place += 1) {
    text += alphabet.charAt(Number(rest % base));
    rest /= base;
  }
  return text;
}

/** Whether a token has the form and checksum of an API key, so that a mistyped key is rejected without a look-up. */
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
