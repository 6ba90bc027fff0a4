import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/**
 * One mail as the server took it: the envelope, the headers and text as they travelled, and when the text had arrived by
 * `performance.now()`.
 */
export type ReceivedMail = { from: string; to: string[]; headers: string; text: string; receivedAt: number };

/** What a client says at a moment of the conversation, and what it is answered instead of what is usual. */
export type Moment = 'GREETING' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'TEXT';

export type SmtpServer = {
  url: string;
  /** Accepted mail, in the order it came. */
  mails: ReceivedMail[];
  /** The next time the conversation is there, this is the reply; several replies are given in turn. */
  reply: (moment: Moment, ...replies: string[]) => void;
  /** Until the function it gives is called, the reply to a mail's text waits. */
  hold: () => () => void;
  /** Texts that were received, answered or not. */
  texts: () => number;
  connections: () => number;
  /** Connections that have not ended. */
  open: () => number;
  close: () => Promise<void>;
};

const usual: Record<Moment, string> = {
  GREETING: '220 test ESMTP',
  EHLO: '250-test\r\n250-AUTH PLAIN\r\n250-8BITMIME\r\n250 SMTPUTF8',
  AUTH: '235 2.7.0 Accepted',
  MAIL: '250 2.1.0 Ok',
  RCPT: '250 2.1.5 Ok',
  DATA: '354 Go on',
  TEXT: '250 2.0.0 Ok',
};

/** A mail server on loopback (RFC 5321, as much as a client needs) that accepts everything unless told otherwise. */
export async function startSmtpServer(port = 0): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const scripted = new Map<Moment, string[]>();
  const sockets = new Set<Socket>();
  let connections = 0;
  let texts = 0;
  let free: Promise<void> = Promise.resolve();
  const replyAt = (moment: Moment) => scripted.get(moment)?.shift() ?? usual[moment];

  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    void converse(socket);
  });

  async function converse(socket: Socket): Promise<void> {
    let envelope: Pick<ReceivedMail, 'from' | 'to'> = { from: '', to: [] };
    let lines: string[] | null = null;
    const answer = (moment: Moment): boolean => {
      const reply = replyAt(moment);
      if (!socket.destroyed) socket.write(`${reply}\r\n`);
      return /^[23]/.test(reply);
    };
    answer('GREETING');
    for await (const line of createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (lines) {
        if (line !== '.') {
          lines.push(line.replace(/^\./, ''));
          continue;
        }
        texts += 1;
        const receivedAt = performance.now();
        await free;
        const end = lines.indexOf('');
        const [headers, text] = [lines.slice(0, end).join('\n'), lines.slice(end + 1).join('\n')];
        if (answer('TEXT')) mails.push({ ...envelope, headers, text, receivedAt });
        lines = null;
        continue;
      }
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'EHLO' || verb === 'HELO') answer('EHLO');
      else if (verb === 'AUTH') answer('AUTH');
      else if (verb === 'MAIL') {
        envelope = { from: addressIn(line), to: [] };
        answer('MAIL');
      } else if (verb === 'RCPT') {
        if (answer('RCPT')) envelope.to.push(addressIn(line));
      } else if (verb === 'DATA') lines = answer('DATA') ? [] : null;
      else if (verb === 'QUIT') socket.end('221 Bye\r\n');
      else socket.write(verb === 'RSET' || verb === 'NOOP' ? '250 Ok\r\n' : '502 Unknown\r\n');
    }
  }

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    reply: (moment, ...replies) => scripted.set(moment, [...(scripted.get(moment) ?? []), ...replies]),
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      free = promise;
      return resolve;
    },
    texts: () => texts,
    connections: () => connections,
    open: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function addressIn(command: string): string {
  return /<([^>]*)>/.exec(command)?.[1] ?? '';
}

/** A mail's parts by content type, decoded from quoted-printable or base64. */
export function partsOf({ headers, text }: ReceivedMail): Record<string, string> {
  const boundary = /boundary="([^"]+)"/.exec(headers)?.[1] ?? '';
  const parts = text.split(`--${boundary}`).slice(1, -1);
  return Object.fromEntries(
    parts.map((part) => {
      const [head = '', ...rest] = part.replace(/^\n/, '').split('\n\n');
      const type = /content-type: ([a-z/]+)/i.exec(head)?.[1] ?? '';
      return [type, decode(rest.join('\n\n'), /content-transfer-encoding: (\S+)/i.exec(head)?.[1] ?? '7bit')];
    }),
  );
}

/** The HTML and the text of a mail of one part or several; empty where it has no such part. */
export function bodyOf(mail: ReceivedMail): { html: string; text: string } {
  const type = headerOf(mail, 'Content-Type').split(';', 1)[0] ?? '';
  const encoding = headerOf(mail, 'Content-Transfer-Encoding') || '7bit';
  const parts = type.startsWith('multipart/') ? partsOf(mail) : { [type]: decode(mail.text, encoding) };
  return { html: parts['text/html'] ?? '', text: parts['text/plain'] ?? '' };
}

/** A header as a mail program shows it: on one line, with its encoded words decoded (RFC 2047 section 6.2). */
export function headerOf({ headers }: Pick<ReceivedMail, 'headers'>, name: string): string {
  const [, value = ''] = new RegExp(`^${name}:((?:.*\\n[ \\t])*.*)$`, 'im').exec(headers) ?? [];
  const words = value.replace(/\n/g, '').replace(/(=\?[^? ]+\?[BQ]\?[^? ]*\?=)\s+(?==\?)/gi, '$1');
  return words
    .replace(/=\?utf-8\?([BQ])\?([^? ]*)\?=/gi, (_word, encoding: string, text: string) =>
      encoding.toUpperCase() === 'B' ? decode(text, 'base64') : decode(text.replaceAll('_', ' '), 'quoted-printable'),
    )
    .trim();
}

function decode(text: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(text, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return text;
  const bytes = text
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_match, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
