import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { takeServer } from '../load/job.ts';
import { answerJson, listen } from './json-server.ts';

/**
 * `port` is the HTTP control port: every response has the number of accepted mails. POST /hold delays SMTP replies,
 * POST /release ends that. POST /taken/<address> responds when a mail to the address was accepted, POST /taken/<number>
 * when that many were.
 */
export type MailServer = { url: string; port: number };

/** A mail server that accepts and discards every mail: the receiving server of the platform and of bare nodemailer. */
async function start(): Promise<MailServer> {
  let taken = 0;
  let held: (() => void)[] | null = null;
  const awaited = new Map<string, () => void>();
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onData(stream, session, callback) {
      const take = () => {
        taken += 1;
        awaited.get(session.envelope.rcptTo[0]?.address ?? '')?.();
        awaited.get(String(taken))?.();
        callback(null);
      };
      stream.resume();
      stream.once('error', () => undefined);
      stream.once('end', () => (held ? held.push(take) : take()));
    },
  });
  // A measured client may close its connections in the middle of a mail.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = await listen((request, response) => {
    if (request.url === '/hold') held ??= [];
    if (request.url === '/release') {
      for (const take of held ?? []) take();
      held = null;
    }
    const answer = () => answerJson(response, 200, { taken });
    const [, mail] = /^\/taken\/(.+)$/.exec(request.url ?? '') ?? [];
    if (mail === undefined || Number(mail) <= taken) answer();
    else awaited.set(mail, answer);
  });
  return { url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`, port };
}

takeServer(start);
