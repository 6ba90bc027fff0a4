import { workerData } from 'node:worker_threads';
import { answerRequests } from '../../../lib/concurrency/worker-thread.ts';
import { Secret } from '../../../lib/security/secret.ts';
import { DeliveryError, type Failure } from '../../../messaging/delivery/deliverer.ts';
import { smtpTransport } from './smtp.ts';
import type { OutgoingMail } from './transport.ts';

/** The mail server's URL and the DKIM key. */
export type SmtpSettings = { url: string; dkim: { domain: string; selector: string; key: string } | null };
/** Why the mail could not be delivered; null when the mail server accepted it. */
export type SmtpAnswer = { failed: Failure; message: string } | null;

const { url, dkim } = workerData as SmtpSettings;
const transport = smtpTransport(url, dkim && { ...dkim, key: new Secret(dkim.key) });

answerRequests<OutgoingMail, SmtpAnswer>(async (mail) => {
  try {
    await transport.send({ ...mail, attachments: mail.attachments.map(withBuffer) });
    return null;
  } catch (error) {
    if (error instanceof DeliveryError) return { failed: error.failure, message: error.message };
    throw error;
  }
}, transport.close);

/** Restores a Buffer, which becomes a Uint8Array between threads. */
function withBuffer<T extends { bytes: Uint8Array }>(file: T): T & { bytes: Buffer } {
  const { buffer, byteOffset, byteLength } = file.bytes;
  return { ...file, bytes: Buffer.from(buffer, byteOffset, byteLength) };
}
