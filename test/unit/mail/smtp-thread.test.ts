import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { DeliveryError } from '../../../messaging/delivery/deliverer.ts';
import { smtpThread } from '../../../services/mail/transports/smtp-thread.ts';
import type { OutgoingMail, Transport } from '../../../services/mail/transports/transport.ts';
import { type SmtpServer, startSmtpServer } from '../../support/smtp-server.ts';
import { until } from '../../support/until.ts';

const mailTo = (to: string, attachments: OutgoingMail['attachments'] = []): OutgoingMail => ({
  id: 'msg_1',
  messageId: 'msg_1@mugs.example',
  from: { name: 'Blue Mugs', address: 'mail@mugs.example' },
  replyTo: null,
  to,
  subject: 'Order A-1042',
  text: 'It is on its way.',
  attachments,
  unsubscribeUrl: null,
  isAutomatic: false,
});

let server: SmtpServer;
let transport: Transport;
beforeEach(async () => {
  server = await startSmtpServer();
  transport = smtpThread(server.url);
});
afterEach(async () => {
  transport.close();
  await server.close();
});

describe('the thread that sends mail', () => {
  test('sends many mails at once, each once', async () => {
    const addresses = Array.from({ length: 40 }, (_, place) => `customer.${place}@example.com`);
    await Promise.all(addresses.map((address) => transport.send(mailTo(address))));
    expect(server.mails.flatMap(({ to }) => to).sort()).toEqual(addresses.sort());
  });

  test('sends attachments that share memory, or have their own', async () => {
    const shared = Buffer.from('a shared mug').subarray(2);
    const own = Buffer.from(new TextEncoder().encode('a mug of its own').buffer);
    const files = [shared, own].map((bytes, place) => ({ fileName: `${place}.txt`, type: 'text/plain', bytes }));
    await transport.send(mailTo('ada@example.com', files));
    expect(server.mails[0]?.text).toContain(Buffer.from('shared mug').toString('base64'));
    expect(server.mails[0]?.text).toContain(Buffer.from('a mug of its own').toString('base64'));
  });

  test('says what the mail server refused, and sends the next mail', async () => {
    server.reply('RCPT', '550 5.1.1 There is no such mailbox');
    await expect(transport.send(mailTo('nobody@example.com'))).rejects.toMatchObject({
      name: 'DeliveryError',
      failure: 'bounced',
      message: 'EENVELOPE: 550 5.1.1 There is no such mailbox',
    } satisfies Partial<DeliveryError>);
    await transport.send(mailTo('ada@example.com'));
    expect(server.mails).toHaveLength(1);
  });

  test('fails a mail by a defect with its description, and no other', async () => {
    const faulty = { ...mailTo('ada@example.com'), from: null as never };
    const sent = transport.send(mailTo('bob@example.com'));
    await expect(transport.send(faulty)).rejects.toThrow(/Sending a mail failed: TypeError/);
    await sent;
    expect(server.mails.map(({ to }) => to)).toEqual([['bob@example.com']]);
  });

  test('ends after a while without mail, with its connections, and starts again', async () => {
    const brief = smtpThread(server.url, null, 50);
    await brief.send(mailTo('ada@example.com'));
    expect(server.connections()).toBe(1);
    await until(() => server.open() === 0);
    await brief.send(mailTo('ada@example.com'));
    expect(server.connections()).toBe(2);
    brief.close();
  });

  test('completes what it is sending when it is closed, and starts again', async () => {
    const release = server.hold();
    const sent = transport.send(mailTo('ada@example.com'));
    await until(() => server.texts() === 1);
    transport.close();
    const next = transport.send(mailTo('bob@example.com'));
    release();
    await Promise.all([sent, next]);
    expect(server.mails.flatMap(({ to }) => to).sort()).toEqual(['ada@example.com', 'bob@example.com']);
    await until(() => server.open() === 1);
  });

  test('fails what it was sending as unknown when it ends without an answer', async () => {
    const broken = smtpThread('smtp://[');
    const failed = expect.objectContaining({ name: 'DeliveryError', failure: 'unknown' });
    const sent = [broken.send(mailTo('ada@example.com')), broken.send(mailTo('bob@example.com'))];
    expect(await Promise.allSettled(sent)).toEqual([
      { status: 'rejected', reason: failed },
      { status: 'rejected', reason: failed },
    ]);
    await expect(broken.send(mailTo('ada@example.com'))).rejects.toMatchObject({ failure: 'unknown' });
  });
});
