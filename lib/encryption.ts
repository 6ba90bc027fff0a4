import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { secretKey } from './secret-key.ts';

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
