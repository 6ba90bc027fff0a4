import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import addressparser from 'nodemailer/lib/addressparser';
import { smtpTransport } from '../../../services/mail/transports/smtp.ts';
import type { OutgoingMail, Transport } from '../../../services/mail/transports/transport.ts';
import { headerOf, type ReceivedMail, type SmtpServer, startSmtpServer } from '../../support/smtp-server.ts';

const mail: OutgoingMail = {
  id: 'msg_1',
  messageId: 'msg_1@mugs.example',
  from: { name: 'Blue Mugs', address: 'mail@mugs.example' },
  replyTo: null,
  to: 'ada@example.com',
  subject: 'Order A-1042',
  text: 'It is on its way.',
  attachments: [],
  unsubscribeUrl: 'https://mugs.example/mail/unsubscribe/abc',
  isAutomatic: false,
};

let server: SmtpServer;
let transport: Transport;
beforeAll(async () => {
  server = await startSmtpServer();
  transport = smtpTransport(server.url);
});
afterAll(async () => {
  transport.close();
  await server.close();
});

async function sent(more: Partial<OutgoingMail>): Promise<ReceivedMail> {
  await transport.send({ ...mail, ...more });
  return server.mails.at(-1)!;
}

const rawFrom = ({ headers }: ReceivedMail): string => /^From:((?:.*\n[ \t])*.*)$/m.exec(headers)![1]!;

/** The addresses of the From header, as a mail program reads them: it decodes the names after it has split the header. */
function sendersOf(received: ReceivedMail) {
  return addressparser(rawFrom(received).replaceAll('\n', '')).map((one) => ({
    name: headerOf({ headers: `Name: ${one.name}` }, 'Name'),
    address: 'address' in one ? one.address : null,
  }));
}

const isShort = ({ headers, text }: ReceivedMail): boolean =>
  `${headers}\n${text}`.split('\n').every((line) => Buffer.byteLength(line) <= 998);

const encodedWord = '=?utf-8?q?Your_bank?=';

describe('a subject', () => {
  test.each([
    ['in ASCII', 'Order A-1042 is on its way'],
    ['with an encoded word', `${encodedWord} writes`],
    ['of encoded words', `${encodedWord} =?utf-8?b?WW91ciBiYW5r?=`],
    ['with the beginning of an encoded word', 'Is 1 =? 2 ?= or a=?b'],
    ['with an encoded word and other letters', `Grüße von ${encodedWord}`],
    ['with a word of 1,200 letters', `Order ${'x'.repeat(1200)}`],
    ['with a word of 77 letters', 'x'.repeat(77)],
    ['with a long word and an encoded word', `${encodedWord}${'x'.repeat(1200)} ${'y'.repeat(1200)}`],
    ['with a long word of other letters', '注文'.repeat(600)],
    ['of many words', 'word '.repeat(400).trim()],
    ['with quotes', `"Acme" ${encodedWord}`],
  ])('%s arrives as it was typed, in short lines', async (_what, subject) => {
    const received = await sent({ subject });
    expect(headerOf(received, 'Subject')).toBe(subject);
    expect(isShort(received)).toBe(true);
    expect(received.headers).toMatch(/^[\t\n -~]*$/);
  });

  test('in ASCII is not encoded, for filters and people who read it raw', async () => {
    expect((await sent({ subject: 'Order A-1042?' })).headers).toMatch(/^Subject: Order A-1042\?$/m);
  });

  test('of any text arrives as it was typed', async () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.constantFrom('=?', '?=', '=?utf-8?q?', '=?UTF-8?B?', 'x'.repeat(200), ' ', '_', '=', '"'),
    );
    const subjects = fc
      .array(piece, { maxLength: 8 })
      // As templates and senders write them: on one line, with single spaces.
      .map((pieces) =>
        pieces
          .join('')
          .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
          .trim(),
      )
      .filter((subject) => subject !== '');
    await fc.assert(
      fc.asyncProperty(subjects, async (subject) => {
        const received = await sent({ subject });
        expect(headerOf(received, 'Subject')).toBe(subject);
        expect(isShort(received)).toBe(true);
      }),
    );
  });
});

describe('the name of a sender', () => {
  test.each([
    ['Müller, Ada'],
    ['Acme, "Bikes"'],
    ['Ada <eve@example.com>, Bob'],
    ['Müller: Ada; (Bikes) @example.com'],
    [encodedWord],
    [`${encodedWord} via Platform`],
    [`Müller, ${encodedWord}`],
    ['back\\slash "quote"'],
    ['x'.repeat(1200)],
    ['Ada\r\nBcc: eve@example.com'],
  ])('%j is one name of one address', async (name) => {
    const received = await sent({ from: { name, address: 'mail@bücher.example' } });
    expect(sendersOf(received)).toEqual([{ name: name.replace('\r\n', ' '), address: 'mail@xn--bcher-kva.example' }]);
    expect(received.from).toBe('mail@xn--bcher-kva.example');
    expect(isShort(received)).toBe(true);
    expect(received.headers).not.toMatch(/^(?:Bcc|X-Encoded-From):/im);
  });

  test('that looks like an encoded word is not left as one in quotes, which mail programs decode', async () => {
    const received = await sent({ from: { name: encodedWord, address: 'mail@mugs.example' } });
    expect(rawFrom(received)).not.toContain(encodedWord);
  });
});

test('a long file name makes no long line, and keeps its extension', async () => {
  const fileName = `${'invoice'.repeat(145)}.pdf`;
  const received = await sent({ attachments: [{ fileName, type: 'application/pdf', bytes: Buffer.from('%PDF') }] });
  expect(isShort(received)).toBe(true);
  expect(received.text).toMatch(/invoice\.pdf/);
});

test.each([
  ['Ada@B\u00fccher.Example', 'Ada@xn--bcher-kva.example'],
  ['ada@B\u00dcCHER.example', 'ada@xn--bcher-kva.example'],
  ['ada@\uff45xample.com', 'ada@example.com'],
  ['Ada+1@Example.com', 'Ada+1@example.com'],
])('a mail to %s goes to the domain in ASCII', async (to, sentTo) => {
  const received = await sent({ to, replyTo: to });
  const inLowerDomain = (address: string) => address.replace(/@.*/, (domain) => domain.toLowerCase());
  expect(received.to.map(inLowerDomain)).toEqual([sentTo]);
  for (const name of ['To', 'Reply-To']) expect(inLowerDomain(headerOf(received, name))).toBe(sentTo);
});
