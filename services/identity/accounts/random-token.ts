import { randomBytes } from 'node:crypto';
import type { Operation } from '../../../lib/operation.ts';

const tokenBytes = 24;

/** A token for a mailed link: 192 random bits in 32 characters. */
export function newRandomToken(): string {
  return randomBytes(tokenBytes).toString('base64url');
}

/** The token of the link that an operation mails; the same in every run of the operation. */
export function tokenOf(operation: Operation): string {
  return operation.secretBytes('mailed link', tokenBytes).toString('base64url');
}
