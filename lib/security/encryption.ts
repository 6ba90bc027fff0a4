import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings } from '../settings/settings.ts';

let key: string | undefined;
let generatedFile: string | undefined;

/**
 * The platform's secret key: SECRET_KEY, or a key generated on first use and kept in DATA_DIR, readable by the owner
 * only.
 */
export function secretKey(): string {
  key ??= settings.SECRET_KEY?.reveal() ?? readOrMake(join(settings.DATA_DIR, 'secret-key'));
  return key;
}

/** Removes the key file that this process has generated, because the database requires another key. */
export function discardGeneratedKey(): void {
  if (generatedFile) rmSync(generatedFile, { force: true });
  generatedFile = undefined;
}

function readOrMake(file: string): string {
  mkdirSync(settings.DATA_DIR, { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600, flush: true });
  try {
    // Creating a link is atomic and never overwrites another process's key.
    linkSync(draft, file);
    generatedFile = file;
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
  } finally {
    unlinkSync(draft);
  }
  return readFileSync(file, 'utf8');
}

function isAlreadyThere(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EEXIST';
}

const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts a text for storage: AES-256-GCM under a key derived (HKDF-SHA-256) from the platform's secret key for this
 * purpose only, so that a value stored for one purpose cannot be decrypted for another. Base64 of iv, tag and
 * ciphertext.
 */
export function encrypt(purpose: string, text: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', keyFor(purpose), iv);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64');
}

/**
 * Decrypts a text of {@link encrypt}; throws when it was changed, or encrypted for another purpose or under another
 * key.
 */
export function decrypt(purpose: string, stored: string): string {
  const bytes = Buffer.from(stored, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', keyFor(purpose), bytes.subarray(0, ivBytes));
  decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8');
}

/** Derived keys by purpose. Purposes are names in the code, so they are few. */
const keys = new Map<string, KeyObject>();

/** A 32-byte key for this purpose only, derived (HKDF-SHA-256) from the platform's secret key. */
export function keyFor(purpose: string): KeyObject {
  const key =
    keys.get(purpose) ?? createSecretKey(Buffer.from(hkdfSync('sha256', secretKey(), 'platform', purpose, 32)));
  keys.set(purpose, key);
  return key;
}

/**
 * Signs a text for this purpose only (HMAC-SHA-256, base64url). All nodes of a pool can verify the signature, because
 * they share the key.
 */
export function sign(purpose: string, text: string): string {
  return createHmac('sha256', keyFor(purpose)).update(text).digest('base64url');
}

/** Verifies a signature of {@link sign} in constant time. */
export function isSigned(purpose: string, text: string, signature: string): boolean {
  const expected = Buffer.from(sign(purpose, text));
  const received = Buffer.from(signature);
  return received.length === expected.length && timingSafeEqual(received, expected);
}
