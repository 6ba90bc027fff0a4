import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number }, Buffer>(scrypt);

/**
 * The strength that OWASP's password storage cheat sheet asks of scrypt, in the variant that takes the least memory:
 * 16 MiB and about a quarter of a second a hash.
 */
const costExponent = 14;
const blockSize = 8;
const parallelization = 5;
const saltBytes = 16;
const hashBytes = 32;

/**
 * The scrypt hash (RFC 7914) of a password in Unicode NFC, as a PHC string that holds its parameters:
 * `$scrypt$ln=14,r=8,p=5$<salt>$<hash>`, both in base64 without padding. Parameters may change; old hashes stay valid.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const parameters = { N: 2 ** costExponent, r: blockSize, p: parallelization };
  const hash = await derive(password.normalize('NFC'), salt, hashBytes, parameters);
  return `$scrypt$ln=${costExponent},r=${blockSize},p=${parallelization}$${unpadded(salt)}$${unpadded(hash)}`;
}

/** A password for somebody who chose none: 120 random bits in 20 characters. */
export function newPassword(): string {
  return randomBytes(15).toString('base64url');
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
