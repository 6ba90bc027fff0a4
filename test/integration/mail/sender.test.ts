import { describe, expect, jest, test } from '@jest/globals';
import type { Context } from 'moleculer';
import { type Counter, register } from 'prom-client';
import { now } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import type { MessageDocument } from '../../../models/mail/message.ts';
import { quietLogger, sweepOf } from '../../support/quiet-logger.ts';
import { bodyOf, partsOf, startSmtpServer } from '../../support/smtp-server.ts';
import { until } from '../../support/until.ts';
import { noBroker, ownSender } from './own-sender.ts';

const own = await ownSender();
const { standingEvents } = await import('../../../lib/clients/organizations.ts');
const { createQueue } = await import('../../../messaging/delivery/queue.ts');
const { createMailDelivery, mailRefunds, startOutbox } = await import('../../../services/mail/delivery.ts');
const { DeliveryError } = await import('../../../messaging/delivery/deliverer.ts');
const { MessageModel } = await import('../../../models/mail/message.ts');
const { connections } = await import('../../../services/mail/transports/transport.ts');
const { mailboxTransport } = await import('../../../services/mail/transports/mailbox.ts');
const { sendNotification } = await import('../../../services/mail/messages/send-notification.ts');
const { isSuppressed } = await import('../../../services/mail/suppression-store.ts');

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];
const link = 'https://mugs.example/recover?token=s3cr3t';

async function counted(name: string): Promise<number> {
  const { values } = await (register.getSingleMetric(name) as Counter).get();
  return values.reduce((sum, { value }) => sum + value, 0);
}

describe('a mail', () => {
  test('arrives once, as text and as HTML, and its text is forgotten then', async () => {
    const before = await counted('mail_sent_total');
    const id = await own.ask();
    expect(await own.read(id)).toMatchObject({ status: 'queued', attempts: 0, orgId: 'platform' });
    await own.round();
    await own.round();
    expect(own.server.mails).toHaveLength(1);
    const [mail] = own.server.mails;
    expect(mail).toMatchObject({ from: 'mail@mugs.example', to: ['ada@example.com'] });
    expect(mail!.headers).toMatch(/^From: Blue Mugs <mail@mugs\.example>$/m);
    expect(mail!.headers).toMatch(/^To: ada@example\.com$/m);
    expect(mail!.headers).toMatch(/^Subject: Choose a new password$/m);
    expect(mail!.headers).toMatch(/^Auto-Submitted: auto-generated$/m);
    expect(mail!.headers).toContain(`Message-ID: <${id}@mugs.example>`);
    const parts = partsOf(mail!);
    expect(parts['text/plain']).toContain(`\n${link}\n`);
    expect(parts['text/html']).toContain(`href="${link}"`);
    const stored = await own.read(id);
    expect(stored).toMatchObject({ status: 'sent', attempts: 1, sealedBody: null, lastError: null, leaseOwner: null });
    expect(stored.sentAt).toBeInstanceOf(Date);
    expect(await counted('mail_sent_total')).toBe(before + 1);
  });

  test('of a sender in a domain with other letters has a Message-ID in ASCII', async () => {
    for (const [address, domain] of [
      ['mail@bücher.example', 'xn--bcher-kva.example'],
      ['grüße@bücher.example', 'xn--bcher-kva.example'],
      ['mail@例え.テスト', 'xn--r8jz45g.xn--zckzah'],
      ['mail@Mugs.example', 'Mugs.example'],
    ]) {
      const id = await own.ask();
      await MessageModel.updateOne({ orgId: 'platform', _id: id }, { $set: { 'from.address': address } });
      await own.round();
      expect(own.server.mails.at(-1)!.headers).toMatch(new RegExp(`^Message-ID: <${id}@${domain}>$`, 'm'));
    }
  });

  test('is stored so that nobody reads its link in the database', async () => {
    await own.ask();
    expect(JSON.stringify(await own.all())).not.toContain('s3cr3t');
  });

  test('asked for repeatedly, also at once, under one key is one mail', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => own.ask({ key: 'registration 1' })));
    await own.round();
    expect(await own.ask({ key: 'registration 1', to: 'bob@example.com' })).toBe(ids[0]);
    await own.round();
    expect(new Set(ids).size).toBe(1);
    expect(own.server.mails.map(({ to }) => to)).toEqual([['ada@example.com']]);
    expect(await own.all()).toHaveLength(1);
  });

  test('belongs to the organization it is asked for', async () => {
    const orgId = 'org_00000000000000000000000001';
    expect(await own.read(await own.ask({ orgId }))).toMatchObject({ orgId });
  });

  test('goes in the order of asking, several at a time over kept connections', async () => {
    const transport = own.transport();
    for (let count = 0; count < 12; count += 1) {
      await own.ask({ to: `ada+${count}@example.com` });
      own.pass(1);
    }
    const sender = own.sender(transport);
    while ((await own.all()).some(({ status }) => status !== 'sent')) await own.round(sender);
    expect(own.server.mails).toHaveLength(12);
    expect(own.server.connections()).toBeLessThanOrEqual(connections);
  });

  test.each([
    ['451 4.7.1 Try again later, greylisted', 'RCPT', 2 * minute],
    ['421 4.3.2 Shutting down', 'MAIL', 2 * minute],
    ['452 4.3.1 Disk full', 'TEXT', 2 * minute],
  ] as const)('that is deferred with %s at %s is sent again later', async (reply, moment, longest) => {
    const before = await counted('mail_retried_total');
    own.server.reply(moment, reply);
    const id = await own.ask();
    await own.round();
    const deferred = await own.read(id);
    expect(deferred).toMatchObject({ status: 'waiting', attempts: 1, leaseOwner: null, lastFailure: 'deferred' });
    expect(deferred.lastError).toContain(reply.slice(0, 9));
    expect(deferred.sealedBody).not.toBeNull();
    await own.round();
    expect(own.server.mails).toEqual([]);
    own.pass(longest);
    await own.round();
    expect(own.server.mails).toHaveLength(1);
    expect(own.server.mails[0]!.headers).toContain(`<${id}@mugs.example>`);
    expect(await own.read(id)).toMatchObject({ status: 'sent', attempts: 2, lastError: null });
    expect(await counted('mail_retried_total')).toBe(before + 1);
  });

  test.each([
    ['550 5.7.1 Relaying denied', 'RCPT'],
    ['550 No such user here', 'RCPT'],
    ['550 5.1.1 Bad sender', 'MAIL'],
    ['554 5.7.1 Rejected, see https://mugs.example/recover?token=s3cr3t', 'TEXT'],
  ] as const)('that is refused with %s at %s fails at once', async (reply, moment) => {
    const before = await counted('mail_failed_total');
    own.server.reply(moment, reply);
    const id = await own.ask();
    await own.round();
    const refused = await own.read(id);
    expect(refused).toMatchObject({ status: 'failed', attempts: 1, lastFailure: 'refused', sentAt: null });
    expect(refused.lastError).toContain(reply.slice(0, 9));
    expect(refused.lastError).not.toMatch(/s3cr3t|ada@/);
    own.pass(day);
    await own.round();
    expect(own.server.mails).toEqual([]);
    expect(await counted('mail_failed_total')).toBe(before + 1);
  });

  test('of a suspended organization waits for the end of the suspension, and the platform’s own is sent', async () => {
    const orgId = newId('org');
    let isSuspended = true;
    const identity = { call: () => Promise.resolve({ isSuspended }) } as never;
    const about = { to: 'ada@example.com', category: 'transactional', subject: 'News', text: 'Text', html: '' };
    const body = { orgId, notificationId: newId('ntf'), ...about };
    const ctx = { params: { body }, meta: {}, broker: { logger: quietLogger } } as unknown as Context;
    const { messageId } = (await sendNotification.handler!.call({} as never, ctx)) as { messageId: string };
    await own.ask({ orgId });
    const round = () => own.round(createMailDelivery(own.transport(), identity, quietLogger));
    await round();
    expect(own.server.mails).toHaveLength(1);
    expect(await own.read(messageId)).toMatchObject({ status: 'waiting', lastFailure: 'deferred' });
    isSuspended = false;
    (standingEvents['identity.credentials.changed'] as (ctx: object) => void)({ params: { orgId } });
    own.pass(5 * minute);
    await round();
    expect(own.server.mails).toHaveLength(2);
    expect(await own.read(messageId)).toMatchObject({ status: 'sent' });
  });

  test.each([
    ['550 5.1.1 No such user <ada@example.com>', 'RCPT'],
    ['550-5.1.1 No such user\r\n550 5.1.1 See help', 'RCPT'],
    ['556 5.1.10 Null MX', 'RCPT'],
    ['550 5.2.1 Mailbox disabled', 'TEXT'],
  ] as const)(
    'that bounces with %s at %s is `bounced`, and its address suppressed for the organization',
    async (reply, moment) => {
      const orgId = newId('org');
      const to = `ada+${orgId.slice(-6)}@example.com`.toLowerCase();
      const send = async () => {
        const notificationId = newId('ntf');
        const body = { orgId, notificationId, to, category: 'transactional', subject: 'News', text: 'Text', html: '' };
        const ctx = { params: { body }, meta: {}, broker: { logger: quietLogger } } as unknown as Context;
        return (await sendNotification.handler!.call({} as never, ctx)) as { messageId: string; status: string };
      };
      own.server.reply(moment, reply);
      const { messageId } = await send();
      await own.round();
      const bounced = await own.read(messageId);
      expect(bounced).toMatchObject({
        status: 'bounced',
        attempts: 1,
        feedback: [{ type: 'bounced', isPermanent: true }],
      });
      expect(JSON.stringify(bounced.feedback)).not.toContain('ada@');
      expect(await isSuppressed(orgId, to, 'transactional')).toBe(true);
      expect(await send()).toMatchObject({ status: 'suppressed' });
      // The platform's own mail to the same address still goes.
      await own.ask({ orgId, to });
      await own.round();
      expect(own.server.mails).toHaveLength(1);
    },
  );

  test.each([
    [
      '<html><body><p>News.</p></body></html>',
      /^<html><body><p>News\.<\/p><p [^>]*><a href="([^"]+)"[^>]*>Unsubscribe<\/a>/,
    ],
    ['', null],
  ])('of a notification for marketing has a link to unsubscribe in each part: %s', async (html, pattern) => {
    const orgId = newId('org');
    const send = (category: string) => {
      const to = 'ada@example.com';
      const body = { orgId, notificationId: newId('ntf'), to, category, subject: 'News', text: 'News.\n', html };
      const ctx = { params: { body }, meta: {}, broker: { logger: quietLogger } } as unknown as Context;
      return sendNotification.handler!.call({} as never, ctx);
    };
    await send('marketing');
    await own.round();
    await send('transactional');
    await own.round();
    const [marketing, other] = own.server.mails;
    const url = /^List-Unsubscribe: <([^>]+)>$/m.exec(marketing!.headers.replace(/\n\s+/g, ' '))![1]!;
    expect(bodyOf(marketing!).text.trim()).toBe(`News.\n\nUnsubscribe: ${url}`);
    expect(pattern?.exec(bodyOf(marketing!).html)?.[1] ?? url).toBe(url);
    expect([bodyOf(other!).text.trim(), bodyOf(other!).html.trim()]).toEqual(['News.', html]);
  });

  test('of the platform itself that bounces suppresses nobody', async () => {
    const orgId = newId('org');
    own.server.reply('RCPT', '550 5.1.1 No such user');
    const id = await own.ask({ orgId });
    await own.round();
    expect(await own.read(id)).toMatchObject({ status: 'bounced' });
    expect(await isSuppressed(orgId, 'ada@example.com', 'marketing')).toBe(false);
  });

  test('waits while nothing listens, and goes when something does', async () => {
    const { url } = own.server;
    await own.server.close();
    const sender = own.sender(own.transport(url));
    const id = await own.ask();
    await own.round(sender);
    expect(await own.read(id)).toMatchObject({ status: 'waiting', attempts: 1, lastError: 'ECONNREFUSED' });
    own.server = await startSmtpServer(Number(new URL(url).port));
    own.pass(4 * second);
    await own.round(sender);
    expect(own.server.mails).toHaveLength(1);
  });

  test('waits while the mail server refuses our login, and the password is noted nowhere', async () => {
    own.server.reply('AUTH', '535 5.7.8 Wrong user or pa55word');
    const url = own.server.url.replace('smtp://', 'smtp://mailer:hunter2hunter2@');
    const sender = own.sender(own.transport(url));
    const id = await own.ask();
    await own.round(sender);
    const waiting = await own.read(id);
    expect(waiting).toMatchObject({ status: 'waiting', attempts: 1 });
    expect(JSON.stringify(waiting)).not.toMatch(/hunter2/);
    own.pass(4 * second);
    await own.round(sender);
    expect(own.server.mails).toHaveLength(1);
  });

  test('is given up a day after it was asked for', async () => {
    own.server.reply('RCPT', ...Array(60).fill('451 4.7.1 Later'));
    const id = await own.ask();
    for (let passed = 0; passed <= 25; passed += 1) {
      await own.round();
      own.pass(hour);
    }
    const givenUp = await own.read(id);
    expect(givenUp).toMatchObject({ status: 'failed', lastFailure: 'deferred' });
    expect(givenUp.attempts).toBeGreaterThan(20);
    expect(own.server.mails).toEqual([]);
  });

  test('that was sent while the database went away for a moment is not sent again', async () => {
    const away = Object.assign(new Error('connection closed'), { name: 'MongoNetworkError' });
    const update = jest.spyOn(MessageModel.collection, 'bulkWrite').mockRejectedValueOnce(away as never);
    const id = await own.ask();
    await own.round();
    expect(update).toHaveBeenCalledTimes(2);
    update.mockRestore();
    expect(await own.read(id)).toMatchObject({ status: 'sent', attempts: 1 });
    expect(own.server.mails).toHaveLength(1);
  });

  test('that cannot be opened waits, and holds up no other', async () => {
    const id = await own.ask();
    await MessageModel.updateOne({ orgId: 'platform', _id: id }, { $set: { sealedBody: 'AAAA' } });
    await own.ask();
    await own.round();
    expect(own.server.mails).toHaveLength(1);
    expect(await own.read(id)).toMatchObject({ status: 'waiting', attempts: 1, lastError: expect.any(String) });
  });
});

describe('a hostile name', () => {
  test('is escaped in the HTML and changes no header', async () => {
    const organizationName = `<img src=x onerror="alert('1')"> & =?utf-8?q?x?= "Co", Bcc: all@example.com;`;
    const variables = { link, organizationName, inviterName: '<b>Ada</b>', role: 'admin' };
    await own.ask({ template: 'invitation', variables } as never);
    await own.round();
    const [mail] = own.server.mails;
    expect(mail!.to).toEqual(['ada@example.com']);
    expect(mail!.headers).not.toMatch(/^Bcc:/im);
    const names = mail!.headers.match(/^[A-Za-z-]+(?=:)/gm);
    expect(names?.sort()).toEqual(
      [
        ...['Auto-Submitted', 'Content-Type', 'Date', 'From', 'MIME-Version', 'Message-ID', 'Subject', 'To'],
        ...['X-Message-ID', 'X-Ses-Message-Tags', 'X-Pm-Metadata-Message-ID'],
      ].sort(),
    );
    const { 'text/html': page, 'text/plain': text } = partsOf(mail!);
    expect(page).not.toMatch(/<img|<b>/);
    expect(page).toContain('&lt;b&gt;Ada&lt;/b&gt;');
    expect(text).toContain('<b>Ada</b>');
  });

  test('of two lines is refused, and nothing is stored', async () => {
    const variables = { link, organizationName: 'Mugs\r\nBcc: all@example.com', inviterName: 'Ada', role: 'admin' };
    const asked = own.ask({ template: 'invitation', variables } as never);
    await expect(asked).rejects.toMatchObject({ type: 'INPUT_INVALID' });
    expect(await own.all()).toEqual([]);
  });

  test.each(['ada@example.com\r\nBcc: all@example.com', 'ada@example.com>\r\nRCPT TO:<all@example.com'])(
    'as the address %j is refused, and nothing is stored',
    async (to) => {
      await expect(own.ask({ to })).rejects.toMatchObject({ type: 'INPUT_INVALID' });
      expect(await own.all()).toEqual([]);
    },
  );
});

describe('the unit of a message that dies', () => {
  const charged = async () => {
    const id = await own.ask({ orgId: 'org_00000000000000000000000003' });
    await MessageModel.collection.updateOne({ _id: id as never }, { $set: { lot: 'a batch of quota' } });
    return id;
  };
  const failing = (failure: 'faulty' | 'refused') => ({
    keepsBody: false,
    send: () => Promise.reject(new DeliveryError(failure, 'It cannot be sent.')),
    close: () => undefined,
  });
  const billing = (isUp: boolean, asked: unknown[] = []) => {
    const call = (_name: string, { body }: { body: { key: string } }) => {
      asked.push(body.key);
      return isUp ? Promise.resolve() : Promise.reject(new Error('Billing is away.'));
    };
    return { asked, broker: { call } as never };
  };

  test('is given back when it was our fault, by the sweep when billing was away, and once', async () => {
    const id = await charged();
    const away = billing(false);
    await own.round(createMailDelivery(failing('faulty'), away.broker, quietLogger));
    expect(await own.read(id)).toMatchObject({ status: 'failed', lastFailure: 'faulty', refundDue: true });
    const back = billing(true);
    await mailRefunds.sweep(back.broker, sweepOf('mail.refunds'));
    await mailRefunds.sweep(back.broker, sweepOf('mail.refunds'));
    expect([away.asked, back.asked]).toEqual([[`died:${id}`], [`died:${id}`]]);
    expect(await own.read(id)).toMatchObject({ status: 'failed', refundDue: false });
  });

  test('is kept when the recipient was refused, and there is none of the platform’s own mail', async () => {
    const { asked, broker } = billing(true);
    await charged();
    await own.round(createMailDelivery(failing('refused'), broker, quietLogger));
    await own.ask();
    await own.round(createMailDelivery(failing('faulty'), broker, quietLogger));
    await mailRefunds.sweep(broker, sweepOf('mail.refunds'));
    expect(asked).toEqual([]);
  });

  test('is given back although the refunds of another organization before it fail', async () => {
    const due = (orgId: string) => async () => {
      const id = await own.ask({ orgId });
      await MessageModel.collection.updateOne({ _id: id as never }, { $set: { refundDue: true, status: 'failed' } });
      return id;
    };
    const [poor, other] = [due('org_0000000000000000000000000a'), due('org_0000000000000000000000000b')];
    for (let count = 0; count < 5; count += 1) await poor();
    const id = await other();
    const asked: string[] = [];
    const call = (_name: string, { body: { orgId, key } }: { body: { orgId: string; key: string } }) => {
      asked.push(key);
      return orgId.endsWith('a') ? Promise.reject(new Error('It fails.')) : Promise.resolve();
    };
    await mailRefunds.sweep({ call } as never, sweepOf('mail.refunds'));
    expect(asked).toContain(`died:${id}`);
    // It is read from the database: the first failures of an organization are enough for a run.
    expect(await MessageModel.countDocuments({ refundDue: true }).setOptions({ acrossTenants: true })).toBe(5);
    await MessageModel.collection.updateMany({ refundDue: true }, { $set: { refundDue: false } });
  });
});

describe('several senders', () => {
  test('share the work, and send each mail once', async () => {
    const senders = Array.from({ length: 4 }, () => own.sender());
    const ids = await Promise.all(
      Array.from({ length: 40 }, (_, count) => own.ask({ to: `ada+${count}@example.com` })),
    );
    while ((await own.all()).some(({ status }) => status !== 'sent')) {
      await Promise.all(senders.map((sender) => own.round(sender)));
    }
    expect(own.server.mails.map(({ to }) => to[0]).sort()).toEqual(ids.map((_, n) => `ada+${n}@example.com`).sort());
  });

  test('leave alone what another holds, until its lease ends: a mail of one that died goes out then', async () => {
    const id = await own.ask();
    const queue = createQueue(MessageModel, 'dead');
    const [dead] = await queue.claim({ most: 1, maxPerOrganization: () => 1 });
    expect(dead).toMatchObject({ _id: id, status: 'sending', attempts: 1 });
    own.pass(59 * second);
    await own.round();
    expect(own.server.mails).toEqual([]);
    own.pass(second);
    await own.round();
    expect(own.server.mails).toHaveLength(1);
    expect(await own.read(id)).toMatchObject({ status: 'sent', attempts: 2 });
    // What was thought dead comes back, and does not undo what happened since.
    expect(await queue.settle({ claim: dead!, fields: { status: 'queued' } })).toBe(false);
    expect(await own.read(id)).toMatchObject({ status: 'sent' });
  });

  test('do not take what one of them still has in hand, although its lease has ended', async () => {
    const release = own.server.hold();
    const sender = own.sender();
    await own.ask();
    await sender.fill();
    await until(() => own.server.texts() === 1);
    own.pass(2 * minute);
    await sender.promote();
    await sender.fill();
    release();
    await sender.settled();
    expect(own.server.mails).toHaveLength(1);
  });
});

describe('mails of one organization that cannot be prepared', () => {
  test('delay no mail of another: 1,000 with an attachment that cannot be read', async () => {
    const orgId = 'org_00000000000000000000000001';
    const attachments = [{ bucket: orgId, key: 'terms.txt' }];
    const id = await own.ask({ orgId });
    const one = await MessageModel.findOne({ orgId, _id: id }).lean<MessageDocument>();
    const failing = Array.from({ length: 1000 }, (_, number) => {
      const _id = newId('msg');
      return { ...one!, _id, key: `failing ${number}`, attachments };
    });
    await MessageModel.collection.deleteMany({});
    await MessageModel.collection.insertMany(failing as never);
    const outbox = startOutbox(own.transport(), noBroker, quietLogger);
    try {
      await until(async () => (await MessageModel.countDocuments({ orgId, lastFailure: 'unreachable' })) > 20);
      for (let number = 0; number < 5; number += 1) {
        const to = `ada+${number}@example.com`;
        const askedAt = performance.now();
        const registration = await own.ask({ to });
        await until(async () => (await own.read(registration)).status === 'sent');
        expect(own.server.mails.find((mail) => mail.to[0] === to)!.receivedAt - askedAt).toBeLessThan(1000);
      }
      expect(own.server.mails).toHaveLength(5);
    } finally {
      await outbox.stop();
    }
  });
});

describe('the outbox of a node', () => {
  test('sends at once what is asked for, and when it stops ends what it has begun', async () => {
    const release = own.server.hold();
    const outbox = startOutbox(own.transport(), noBroker, quietLogger);
    const id = await own.ask();
    await until(() => own.server.texts() === 1);
    let stopped = false;
    const stopping = outbox.stop().then(() => {
      stopped = true;
    });
    const late = await own.ask();
    expect(stopped).toBe(false);
    release();
    await stopping;
    expect(await own.read(id)).toMatchObject({ status: 'sent' });
    expect(await own.read(late)).toMatchObject({ status: 'queued', attempts: 0 });
  });

  test('finds by itself what another node stored', async () => {
    const outbox = startOutbox(own.transport(), noBroker, quietLogger);
    const id = await own.ask();
    await until(async () => (await own.read(id)).status === 'sent');
    await MessageModel.collection.insertOne({
      ...(await own.read(id)),
      ...{ _id: 'msg_00000000000000000000000001', key: 'other', status: 'queued' },
      sealedBody: (await import('../../../services/mail/messages/store.ts')).sealBody({ html: '<p>x</p>', text: 'x' }),
    } as never);
    await until(() => own.server.mails.length === 2);
    await outbox.stop();
  });

  test('keeps the text of what goes into the mailbox for development', async () => {
    const id = await own.ask();
    await own.round(own.sender(mailboxTransport()));
    expect(await own.read(id)).toMatchObject({ status: 'sent', sealedBody: expect.any(String) });
    expect(own.server.mails).toEqual([]);
  });
});

describe('what waits for an address that is suppressed', () => {
  const orgId = 'org_00000000000000000000000001';
  const waits = ['marketing', 'transactional', 'sending', "another's", 'to another', "the platform's own"] as const;

  /** A message of each kind to one address; gives their ids. */
  async function queueAll(recipient: string): Promise<Record<(typeof waits)[number], string>> {
    const { insertMessage, newMessage } = await import('../../../services/mail/messages/store.ts');
    const from = { name: 'Blue Mugs', address: 'mail@mugs.example' };
    const add = async (fields: Partial<MessageDocument>) => {
      const _id = newId('msg');
      const whole = {
        ...newMessage(now()),
        _id,
        orgId,
        key: _id,
        to: recipient,
        recipient,
        from,
        sealedBody: 'sealed',
      };
      await insertMessage({ ...whole, templateId: 'tpl_1', templateVersion: 1, lot: 'lot', ...fields });
      return _id;
    };
    return {
      marketing: await add({ category: 'marketing' }),
      transactional: await add({ status: 'waiting' }),
      sending: await add({ status: 'sending', leaseOwner: 'another' }),
      "another's": await add({ orgId: 'org_00000000000000000000000002' }),
      'to another': await add({ recipient: `x${recipient}` }),
      "the platform's own": await add({ templateId: null }),
    };
  }

  test.each([
    ['unsubscribed', ['marketing']],
    ['complained', ['marketing', 'transactional']],
  ] as const)('(it %s) goes no more, and its unit is due: %j', async (reason, gone) => {
    const { suppress } = await import('../../../services/mail/suppression-store.ts');
    const address = `${reason}@example.com`;
    const ids = await queueAll(address);
    await suppress({ orgId, address, reason });
    for (const one of waits) {
      const { status, sealedBody, refundDue } = await own.read(ids[one]);
      const isGone = (gone as readonly string[]).includes(one);
      expect({ one, isGone: status === 'suppressed' }).toEqual({ one, isGone });
      expect({ sealedBody, refundDue }).toEqual({ sealedBody: isGone ? null : 'sealed', refundDue: isGone });
    }
  });
});

describe('mail that is over', () => {
  test('is removed 90 days after it was sent or failed', async () => {
    const { sweepMessages } = await import('../../../services/mail/retention.ts');
    own.server.reply('RCPT', '550 5.1.1 No such user');
    const failed = await own.ask();
    await own.round();
    const sent = await own.ask();
    await own.round();
    own.pass(90 * day - 1);
    await sweepMessages(new AbortController().signal);
    expect((await own.all()).map(({ _id }) => _id).sort()).toEqual([failed, sent].sort());
    const waiting = await own.ask();
    own.pass(1);
    await sweepMessages(new AbortController().signal);
    expect((await own.all()).map(({ _id }) => _id)).toEqual([waiting]);
  });

  test('and all else of an organization goes with it, repeatedly', async () => {
    const { eraseOrganization } = await import('../../../services/mail/retention.ts');
    const orgId = 'org_00000000000000000000000001';
    await own.ask({ orgId });
    await own.round();
    await own.ask({ orgId });
    const other = await own.ask({ orgId: 'org_00000000000000000000000002' });
    const ctx = { params: { body: { orgId } }, meta: {} } as never;
    for (let times = 0; times < 2; times += 1) await eraseOrganization.handler?.call({} as never, ctx);
    expect((await own.all()).map(({ _id }) => _id)).toEqual([other]);
  });
});
