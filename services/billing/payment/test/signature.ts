import { createHmac, timingSafeEqual } from 'node:crypto';
import { now, second } from '../../../../lib/clock.ts';
import { keyFor } from '../../../../lib/encryption.ts';

const purpose = 'signature of webhooks of the test provider';
/** How far a signature's time may differ, in either direction, because clocks differ. */
const toleranceSeconds = 300;

/**
 * The header `platform-signature` of a webhook: `t=<seconds since 1970>,v1=<HMAC-SHA-256 of "t.body" in hex>`, under a
 * key of the platform's own.
 */
export function signWebhook(body: string, at: Date = now()): string {
  const seconds = Math.floor(at.getTime() / second);
  return `t=${seconds},v1=${signatureOf(String(seconds), body).toString('hex')}`;
}

/** Whether one of the signatures in the header is of this body, and was made not longer than five minutes ago. */
export function isWebhookSigned(header: string, body: string): boolean {
  const parts = header.split(',').map((part) => part.trim().split('=') as [string, string?]);
  const time = parts.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^\d{1,12}$/.test(time)) return false;
  if (Math.abs(now().getTime() / second - Number(time)) > toleranceSeconds) return false;
  const expected = signatureOf(time, body);
  return parts.some(([name, value]) => name === 'v1' && isEqual(expected, value ?? ''));
}

function signatureOf(time: string, body: string): Buffer {
  return createHmac('sha256', keyFor(purpose)).update(`${time}.${body}`).digest();
}

function isEqual(expected: Buffer, hex: string): boolean {
  const signature = Buffer.from(hex, 'hex');
  return signature.length === expected.length && timingSafeEqual(signature, expected);
}
