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
/** Connections that one organization gets to the platform's mail server; a sixth is reserved for others. */
const mailConnections = 5;
const mailsEachRound = 2000;
const queueing = 20;

const subject = 'Order A-1042';
const textOf = (name: string) => `Hello ${name},\n\nyour order A-1042 is on its way to you.\n\nBlue Mugs\n`;

type Mailing = { platform: Platform; server: MailServer; send: HttpRequest };

/**
 * Measures accepted mails compared with events, and delivered mails compared with bare nodemailer, to the same
 * receiving server.
 */
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

/**
 * Creates a template in the platform's first organization and the request for a mail by it, to a new address each time.
 */
export async function mailRequest(platform: Platform): Promise<HttpRequest> {
  const templateId = await createTemplate(platform);
  const body = { to: 'customer.<eventId>@example.com', templateId, variables: { name: 'Grace' } };
  const headers = headersOf(platform);
  return { method: 'POST', path: '/v1/mail/send', headers, body: JSON.stringify(body), status: 202 };
}

/** Deliveries run concurrently, as story composition does for events. */
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

/** The receiving server holds the first mails until all are queued, then accepts everything. */
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
  let remaining = mailsEachRound;
  const lane = async () => {
    while (remaining > 0) {
      remaining -= 1;
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

/** Sends the request once, with a unique name. */
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

/** Milliseconds from one request for a mail until the receiving server has accepted it. */
export async function delayOfMail(server: MailServer, port: number, send: HttpRequest): Promise<number> {
  const name = randomUUID();
  const taken = tell(server, `/taken/customer.${name}@example.com`);
  const askedAt = performance.now();
  await askJson(port, send, name);
  await taken;
  return performance.now() - askedAt;
}

/** Number of mails that the receiving server has accepted. */
export async function tell({ port }: MailServer, path: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST' });
  return ((await answer.json()) as { taken: number }).taken;
}
