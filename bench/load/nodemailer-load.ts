import { createTransport } from 'nodemailer';
import { takeJob } from './job.ts';
import { createRecorder, type LoadResult } from './result.ts';

/** So many mails of one text, over so many connections that are kept. */
export type NodemailerJob = { url: string; connections: number; mails: number; subject: string; text: string };

/** What nodemailer alone takes to hand the same mails over, from memory. */
takeJob(async ({ url, connections, mails, subject, text }: NodemailerJob): Promise<LoadResult> => {
  const pool = createTransport({ pool: true, url, maxConnections: connections, maxMessages: Number.POSITIVE_INFINITY });
  const send = () => pool.sendMail({ from: 'bench@example.com', to: 'customer@example.com', subject, text });
  await Promise.all(Array.from({ length: connections * 10 }, send));
  const startedAt = performance.now();
  const recorder = createRecorder(0, Number.MAX_SAFE_INTEGER);
  let left = mails;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
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
