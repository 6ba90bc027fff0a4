import { randomUUID } from 'node:crypto';
import { compare } from '../compare.ts';
import type { Figure } from '../figure.ts';
import { type HttpRequest, loadWith } from '../load/http-request.ts';
import type { NodemailerJob } from '../load/nodemailer-load.ts';
import type { LoadResult } from '../load/result.ts';
import type { Options } from '../options.ts';
import { runJob, startServer, temporaryFolder, waitUntilQuiet } from '../processes.ts';
import type { MailServer } from '../servers/mail-server.ts';
import { headersOf, type Platform, startPlatform } from '../servers/platform.ts';
import { postEvent } from './beside-bare.ts';

const least = { accepted: 0.5, delivered: 0.7 };
const connections = 32;
/** Those that one organization gets to the platform's mail server, which keeps a sixth for others. */
const mailConnections = 5;
const mailsEachRound = 2000;
const queueing = 20;

const subject = 'Order A-1042';
const textOf = (name: string) => `Hello ${name},\n\nyour order A-1042 is on its way to you.\n\nBlue Mugs\n`;

type Mailing = { platform: Platform; server: MailServer; send: HttpRequest };

/** Mails accepted beside events, and mails delivered beside nodemailer alone, to one far end. */
export async function measureMail(options: Options): Promise<Figure[]> {
  const served = await startServer<MailServer>('servers/mail-server.ts', {});
  const server = served.address;
  const platform = await startPlatform(temporaryFolder(), { SMTP_URL: server.url });
  const mailing = { platform, server, send: await mailRequest(platform) };
  const figures = [await compareAccepted(options, mailing), await compareDelivered(options, mailing)];
  await platform.stop();
  await served.stop();
  return figures;
}

/** The request for a mail by a new template of the platform's first organization, to an address of its own each time. */
export async function mailRequest(platform: Platform): Promise<HttpRequest> {
  const templateId = await createTemplate(platform);
  const body = { to: 'customer.<eventId>@example.com', templateId, variables: { name: 'Grace' } };
  const headers = headersOf(platform);
  return { method: 'POST', path: '/v1/mail/send', headers, body: JSON.stringify(body), status: 202 };
}

/** Deliveries go on meanwhile, as the stories of events do. */
async function compareAccepted(options: Options, { platform, send }: Mailing): Promise<Figure> {
  const { port, pid } = platform;
  const load = async (request: HttpRequest) => {
    const time = { seconds: options.seconds, warmUpSeconds: options.seconds / 3 };
    const result = await loadWith(request, { ...time, port, connections });
    await waitUntilQuiet(pid);
    return result;
  };
  return await compare(options, {
    name: 'POST /v1/mail/send',
    subject: () => load(send),
    besideName: 'POST /events',
    beside: () => load({ ...postEvent(platform), headers: headersOf(platform) }),
    unit: 'req/s',
    atLeast: least.accepted,
  });
}

async function compareDelivered(options: Options, mailing: Mailing): Promise<Figure> {
  const { url } = mailing.server;
  const job: NodemailerJob = {
    url,
    connections: mailConnections,
    mails: mailsEachRound,
    subject,
    text: textOf('Grace'),
  };
  return await compare(options, {
    name: 'mails delivered from the queue',
    subject: () => deliverQueue(mailing),
    besideName: 'nodemailer alone, pooled',
    beside: () => runJob<LoadResult>('load/nodemailer-load.ts', job),
    unit: 'mails/s',
    atLeast: least.delivered,
  });
}

/** The far end lets the first mails wait until all are queued, then takes everything. */
async function deliverQueue({ platform, server, send }: Mailing): Promise<LoadResult> {
  const before = await tell(server, '/hold');
  await queue(platform, send);
  await waitUntilQuiet(platform.pid);
  const startedAt = performance.now();
  await tell(server, '/release');
  await tell(server, `/taken/${before + mailsEachRound}`);
  const milliseconds = performance.now() - startedAt;
  await waitUntilQuiet(platform.pid);
  const each = (milliseconds * mailConnections) / mailsEachRound;
  const perSecond = (mailsEachRound * 1000) / milliseconds;
  return { perSecond, p50: each, p99: each, count: mailsEachRound, failures: 0, firstFailure: null };
}

async function queue({ port }: Platform, send: HttpRequest): Promise<void> {
  let left = mailsEachRound;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await askJson(port, send, randomUUID());
    }
  };
  await Promise.all(Array.from({ length: queueing }, lane));
}

async function createTemplate(platform: Platform): Promise<string> {
  const variables = [{ name: 'name', required: true, sample: 'Grace' }];
  const body = JSON.stringify({ name: 'Order', subject, text: textOf('{{ name }}'), variables });
  const request = { path: '/v1/mail/templates', headers: headersOf(platform), body };
  return (await askJson<{ id: string }>(platform.port, request)).id;
}

/** Sends the request once, with a name of its own. */
export async function askJson<T>(
  port: number,
  { path, headers, body = '' }: Pick<HttpRequest, 'path' | 'headers' | 'body'>,
  name = '',
): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: body.replace('<eventId>', name),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`POST ${path} was answered ${answer.status}: ${text}`);
  return JSON.parse(text) as T;
}

/** Milliseconds from one request for a mail until the far end has taken the mail. */
export async function delayOfMail(server: MailServer, port: number, send: HttpRequest): Promise<number> {
  const name = randomUUID();
  const taken = tell(server, `/taken/customer.${name}@example.com`);
  const askedAt = performance.now();
  await askJson(port, send, name);
  await taken;
  return performance.now() - askedAt;
}

/** How many mails the far end has taken. */
export async function tell({ port }: MailServer, path: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST' });
  return ((await answer.json()) as { taken: number }).taken;
}
