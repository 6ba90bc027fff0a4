import { randomUUID } from 'node:crypto';
import { type Figure, medianBy } from '../figure.ts';
import type { FillJob } from '../load/fill-mail-queue.ts';
import type { HttpRequest } from '../load/http-request.ts';
import type { Options } from '../options.ts';
import { runJob, startServer, temporaryFolder } from '../processes.ts';
import { say } from '../progress.ts';
import type { MailServer } from '../servers/mail-server.ts';
import { startPlatform } from '../servers/platform.ts';
import { askJson, delayOfMail, mailRequest, tell } from './mail.ts';

const queued = 100_000;
const mailsEachRound = 10;
const maxMilliseconds = 1000;

type Mailing = { server: MailServer; port: number; send: HttpRequest };

/**
 * Measures how long a mail of one organization takes from its request to the receiving server, while another
 * organization has a hundred thousand in the queue of the same node.
 */
export async function measureFairness({ rounds }: Options): Promise<Figure> {
  const database = await startServer<{ url: string }>('servers/embedded-database.ts', { folder: temporaryFolder() });
  const served = await startServer<MailServer>('servers/mail-server.ts', {});
  const server = served.address;
  const { url } = database.address;
  const settings = { SMTP_URL: server.url, MONGO_URL: url, SECRET_KEY: randomUUID() };
  const platform = await startPlatform(temporaryFolder(), settings);
  const mailing = { server, port: platform.port, send: await mailRequest(platform) };
  const delay = () => delayOfMail(server, mailing.port, mailing.send);
  const alone: number[] = [];
  for (let mail = 0; mail < mailsEachRound; mail += 1) alone.push(await delay());
  await fillQueue(mailing, url);
  const delays: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const ofRound: number[] = [];
    for (let mail = 0; mail < mailsEachRound; mail += 1) ofRound.push(await delay());
    delays.push(...ofRound);
    say(`mail behind ${queued.toLocaleString('en')} queued, round ${round}/${rounds}: ${describe(ofRound)}`);
  }
  await platform.stop();
  await Promise.all([served.stop(), database.stop()]);
  const worst = Math.max(...delays);
  return {
    name: `a mail while ${queued.toLocaleString('en')} of another organization are queued, until delivered`,
    value: `${describe(delays)} (of ${delays.length} mails)`,
    beside: `with an empty queue: ${describe(alone)}`,
    ratio: null,
    bar: `≤ ${maxMilliseconds} ms`,
    holds: worst <= maxMilliseconds,
    rounds: delays,
  };
}

/** Holds one mail at the receiving server, and copies it while it is still encrypted in the queue. */
async function fillQueue({ server, port, send }: Mailing, url: string): Promise<void> {
  await tell(server, '/hold');
  const { messageId } = await askJson<{ messageId: string }>(port, send, 'copied');
  const job: FillJob = { url, messageId, count: queued };
  await runJob('load/fill-mail-queue.ts', job);
  await tell(server, '/release');
}

function describe(delays: number[]): string {
  const median = medianBy(delays, (delay) => delay);
  return `median ${Math.round(median)} ms, ${Math.round(Math.max(...delays))} ms maximum`;
}
