import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { Secret } from '../../../lib/security/secret.ts';
import { problemsOfDkim } from '../../../lib/settings/variables-mail.ts';
import { smtpTransport } from '../../../services/mail/transports/smtp.ts';
import type { OutgoingMail } from '../../../services/mail/transports/transport.ts';
import { type SmtpServer, startSmtpServer } from '../../support/smtp-server.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = new Secret(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
const published = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

const mail: OutgoingMail = {
  id: 'msg_1',
  messageId: 'msg_1@mugs.example',
  from: { name: 'Blaue Tassen, GmbH', address: 'mail@mugs.example' },
  replyTo: 'service@mugs.example',
  to: 'ada@example.com',
  subject: 'Grüße: Ihre Bestellung 🫖',
  html: '<p>Guten Tag, Frau Łukasiewicz</p>',
  text: `Guten Tag\n\n.\n${'lang '.repeat(300)}\n  \n\n`,
  attachments: [{ fileName: 'Rechnung.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF-1.7') }],
  unsubscribeUrl: 'https://mugs.example/unsubscribe?token=abc',
  isAutomatic: false,
};

let server: SmtpServer;
beforeAll(async () => {
  server = await startSmtpServer();
});
afterAll(() => server.close());

/** The mail as it travelled. */
async function sent(selector: string | null, more: Partial<OutgoingMail> = {}): Promise<string> {
  const transport = smtpTransport(server.url, selector ? { domain: 'mugs.example', selector, key } : null);
  await transport.send({ ...mail, ...more });
  transport.close();
  const { headers, text } = server.mails.at(-1)!;
  return `${headers}\n\n${text}\n`.replaceAll('\n', '\r\n');
}

/** The results of an independent verifier, which asks no server but this one for the key. */
async function verified(message: string) {
  const resolver = (name: string) =>
    name === 'platform._domainkey.mugs.example'
      ? Promise.resolve([[`v=DKIM1; k=rsa; p=${published}`]])
      : Promise.reject(Object.assign(new Error('There is no record.'), { code: 'ENOTFOUND' }));
  const { results } = await dkimVerify(message, { resolver: resolver as never });
  return results.map(({ signingDomain, status }) => [signingDomain, status.result]);
}

describe('a mail that is signed by DKIM', () => {
  test('passes a verifier that has the key of its record', async () => {
    expect(await verified(await sent('platform'))).toEqual([['mugs.example', 'pass']]);
  });

  test('passes with texts that are encoded', async () => {
    const looksEncoded = '=?utf-8?q?Your_bank?=';
    const from = { name: looksEncoded, address: 'mail@mugs.example' };
    const message = await sent('platform', { from, subject: `${looksEncoded} ${'x'.repeat(1200)}` });
    expect(await verified(message)).toEqual([['mugs.example', 'pass']]);
    expect(await verified(message.replace(/^From: .*/m, 'From: bob@mugs.example'))).not.toContainEqual([
      ...['mugs.example', 'pass'],
    ]);
  });

  test.each([
    ['subject', /Subject: .*/, 'Subject: Another'],
    ['recipient', 'To: ada@example.com', 'To: bob@example.com'],
    ['text', 'Guten Tag, Frau', 'Guten Tag, Herr'],
    ['address to unsubscribe', 'unsubscribe?token=abc', 'unsubscribe?token=abd'],
    ['way to unsubscribe', 'List-Unsubscribe=One-Click', 'List-Unsubscribe=Two-Clicks'],
    ['address for replies', 'Reply-To: service@', 'Reply-To: servant@'],
  ])('does not pass with another %s', async (_part, from, to) => {
    const message = await sent('platform');
    const changed = message.replace(from, to);
    expect(changed).not.toBe(message);
    expect(await verified(changed)).not.toContainEqual(['mugs.example', 'pass']);
  });

  test('does not pass under a selector without a record', async () => {
    expect(await verified(await sent('former'))).not.toContainEqual(['mugs.example', 'pass']);
  });
});

test('without a key a mail has no signature', async () => {
  expect(await sent(null)).not.toMatch(/^DKIM-Signature:/im);
});

test('a key without its domain or its selector is a problem of the settings', () => {
  expect(problemsOfDkim({ MAIL_DKIM_KEY: key })).toEqual([
    'MAIL_DKIM_DOMAIN and MAIL_DKIM_SELECTOR must be set when another DKIM setting is set',
  ]);
  expect(problemsOfDkim({})).toEqual([]);
});
