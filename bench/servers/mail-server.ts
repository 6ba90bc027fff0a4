import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { takeServer } from '../load/job.ts';
import { answerJson, listen } from './json-server.ts';

/**
 * `port` is that of HTTP: every answer says how many mails were taken. POST /hold lets replies wait, POST /release ends
 * it. POST /taken/<address> is answered when a mail to the address was taken, POST /taken/<number> when so many were.
 */
export type MailServer = { url: string; port: number };

/** A mail server that takes everything and forgets it: the far end of the platform and of nodemailer alone. */
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
  // Whoever is measured may close its connections in the midst of a mail.
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
