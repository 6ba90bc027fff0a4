import { createWorkerThread, ThreadEndedError } from '../../../lib/concurrency/worker-thread.ts';
import { minute } from '../../../lib/data/clock.ts';
import { DeliveryError } from '../../../messaging/delivery/deliverer.ts';
import type { Dkim } from './smtp.ts';
import type { SmtpAnswer, SmtpSettings } from './smtp-worker.ts';
import type { OutgoingMail, Transport } from './transport.ts';

/**
 * The SMTP transport in a worker thread, so that composing, signing and encoding do not delay requests. Mails in flight
 * when the thread ends fail as `unknown`: the mail server may have accepted them.
 */
export function smtpThread(url: string, dkim: Dkim | null = null, idleMilliseconds: number = minute): Transport {
  const workerData: SmtpSettings = { url, dkim: dkim && { ...dkim, key: dkim.key.reveal() } };
  const thread = createWorkerThread<OutgoingMail, SmtpAnswer>(new URL('./smtp-worker.ts', import.meta.url), {
    name: 'The mail thread',
    failure: 'Sending a mail failed',
    idleMilliseconds,
    workerData,
  });

  return {
    keepsBody: false,
    async send(mail) {
      const answer = await thread.call(mail, { transferred: ownedBytes(mail) }).catch((error: Error) => {
        if (!(error instanceof ThreadEndedError)) throw error;
        throw new DeliveryError('unknown', error.message, { cause: error.cause });
      });
      if (answer) throw new DeliveryError(answer.failed, answer.message);
    },
    close: thread.close,
  };
}

/** The buffers of attachments to transfer to the thread; only those that contain nothing else. */
function ownedBytes({ attachments }: OutgoingMail): ArrayBuffer[] {
  return attachments.flatMap(({ bytes: { buffer, byteLength } }) =>
    buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [],
  );
}
