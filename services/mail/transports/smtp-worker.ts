import { parentPort, workerData } from 'node:worker_threads';
import { Secret } from '../../../lib/security/secret.ts';
import { DeliveryError, type Failure } from '../../../messaging/delivery/deliverer.ts';
import { smtpTransport } from './smtp.ts';
import type { OutgoingMail } from './transport.ts';

/** The mail server's URL and the DKIM key. */
export type SmtpSettings = { url: string; dkim: { domain: string; selector: string; key: string } | null };
export type SmtpRequest = { id: number; mail: OutgoingMail } | 'close';
/**
 * `closed`: the connections are closed. An answer with only the id: the mail server accepted the mail. `problem`: an
 * unexpected error.
 */
export type SmtpAnswer =
  | 'closed'
  | { id: number }
  | { id: number; failed: Failure; message: string }
  | { id: number; problem: string };

const { url, dkim } = workerData as SmtpSettings;
const transport = smtpTransport(url, dkim && { ...dkim, key: new Secret(dkim.key) });

const sending = new Set<Promise<void>>();

parentPort?.on('message', (request: SmtpRequest) => {
  if (request === 'close') void close();
  else sendAndAnswer(request);
});
parentPort?.postMessage('listening');

function sendAndAnswer({ id, mail }: Exclude<SmtpRequest, 'close'>): void {
  const sent = send(mail).then((outcome) => {
    answer({ id, ...outcome });
    sending.delete(sent);
  });
  sending.add(sent);
}

async function send(mail: OutgoingMail) {
  try {
    await transport.send({ ...mail, attachments: mail.attachments.map(withBuffer) });
    return {};
  } catch (error) {
    if (error instanceof DeliveryError) return { failed: error.failure, message: error.message };
    return { problem: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** Restores a Buffer, which becomes a Uint8Array between threads. */
function withBuffer<T extends { bytes: Uint8Array }>(file: T): T & { bytes: Buffer } {
  const { buffer, byteOffset, byteLength } = file.bytes;
  return { ...file, bytes: Buffer.from(buffer, byteOffset, byteLength) };
}

/** Closes the connections; the main thread then terminates the thread. */
async function close(): Promise<void> {
  await Promise.all(sending);
  transport.close();
  answer('closed');
}

function answer(message: SmtpAnswer): void {
  parentPort?.postMessage(message);
}
