import { startWorkerThread, type WorkerThread } from '../../../lib/concurrency/worker-thread.ts';
import { minute } from '../../../lib/data/clock.ts';
import { DeliveryError } from '../../../messaging/delivery/deliverer.ts';
import type { Dkim } from './smtp.ts';
import type { SmtpAnswer, SmtpRequest, SmtpSettings } from './smtp-worker.ts';
import type { OutgoingMail, Transport } from './transport.ts';

type Waiting = { resolve: () => void; reject: (error: Error) => void };
type Thread = WorkerThread<SmtpRequest> & {
  /** The mails in flight, by request number. */
  waiting: Map<number, Waiting>;
  ending: NodeJS.Timeout | undefined;
};

/**
 * The SMTP transport in a worker thread, so that composing, signing and encoding do not delay requests. The thread
 * starts with the first mail and ends after `idleMilliseconds` without one. Mails in flight when it ends fail as
 * `unknown`: the mail server may have accepted them.
 */
export function smtpThread(url: string, dkim: Dkim | null = null, idleMilliseconds: number = minute): Transport {
  const settings: SmtpSettings = { url, dkim: dkim && { ...dkim, key: dkim.key.reveal() } };
  let thread: Thread | null = null;
  let lastId = 0;

  function start(): Thread {
    const started = startThread(settings);
    started.worker.on('exit', () => {
      if (thread === started) thread = null;
    });
    return started;
  }

  function close(): void {
    thread?.post('close');
    thread = null;
  }

  function rest(rested: Thread): void {
    if (rested !== thread || rested.waiting.size > 0) return;
    rested.worker.unref();
    rested.ending = setTimeout(close, idleMilliseconds).unref();
  }

  return {
    keepsBody: false,
    async send(mail) {
      thread ??= start();
      const used = thread;
      clearTimeout(used.ending);
      used.worker.ref();
      lastId += 1;
      const id = lastId;
      const sent = new Promise<void>((resolve, reject) => used.waiting.set(id, { resolve, reject }));
      used.post({ id, mail }, ownedBytes(mail));
      try {
        await sent;
      } finally {
        used.waiting.delete(id);
        rest(used);
      }
    },
    close,
  };
}

function startThread(workerData: SmtpSettings): Thread {
  const waiting: Thread['waiting'] = new Map();
  const thread = startWorkerThread<SmtpRequest, SmtpAnswer>(new URL('./smtp-worker.ts', import.meta.url), {
    called: 'The mail thread',
    workerData,
    answered(answer) {
      if (answer === 'closed') return void thread.worker.terminate();
      const { resolve, reject } = waiting.get(answer.id) ?? {};
      if ('failed' in answer) reject?.(new DeliveryError(answer.failed, answer.message));
      else if ('problem' in answer) reject?.(new Error(`Sending a mail failed: ${answer.problem}`));
      else resolve?.();
    },
    ended(cause) {
      const error = new DeliveryError('unknown', 'The mail thread ended.', { cause });
      for (const { reject } of waiting.values()) reject(error);
    },
  });
  return { ...thread, waiting, ending: undefined };
}

/** The buffers of attachments to transfer to the thread; only those that contain nothing else. */
function ownedBytes({ attachments }: OutgoingMail): ArrayBuffer[] {
  return attachments.flatMap(({ bytes: { buffer, byteLength } }) =>
    buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [],
  );
}
