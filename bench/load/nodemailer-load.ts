import { createTransport } from 'nodemailer';
import { takeJob } from './job.ts';
import { createRecorder, type LoadResult } from './result.ts';

/** Number of mails with the same text, and number of persistent connections. */
export type NodemailerJob = { url: string; connections: number; mails: number; subject: string; text: string };

/** Measures how fast bare nodemailer sends the same mails from memory. */
takeJob(async ({ url, connections, mails, subject, text }: NodemailerJob): Promise<LoadResult> => {
  const pool = createTransport({ pool: true, url, maxConnections: connections, maxMessages: Number.POSITIVE_INFINITY });
  const send = () => pool.sendMail({ from: 'bench@example.com', to: 'customer@example.com', subject, text });
  await Promise.all(Array.from({ length: connections * 10 }, send));
  const startedAt = performance.now();
  const recorder = createRecorder(0, Number.MAX_SAFE_INTEGER);
  let remaining = mails;
  const lane = async () => {
    while (remaining > 0) {
      remaining -= 1;
      const from = performance.now();
      await send();
      recorder.succeeded(from);
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  const seconds = (performance.now() - startedAt) / 1000;
  pool.close();
  return { ...recorder.result(), perSecond: mails / seconds };
});
