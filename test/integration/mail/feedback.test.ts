import { createHmac, createSign, sign as signOnce } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { newId } from '../../../lib/data/ids.ts';
import type { Report } from '../../../services/mail/feedback/signed.ts';
import { selfSigned } from './self-signed.ts';

const folder = await mkdtemp(join(tmpdir(), 'feedback-'));
process.env.DATA_DIR = folder;
const { MessageModel } = await import('../../../models/mail/message.ts');
const { SuppressionModel } = await import('../../../models/mail/suppression.ts');
const { newMessage } = await import('../../../services/mail/messages/store.ts');
const { applyReport, isFeedbackSigned } = await import('../../../services/mail/feedback/signed.ts');
const { handleSes } = await import('../../../services/mail/feedback/ses.ts');
const { isSuppressed, suppress } = await import('../../../services/mail/suppression-store.ts');
const { unsubscribePages } = await import('../../../services/mail/pages/unsubscribe.ts');
const { readUnsubscribeToken, unsubscribeUrlOf } = await import('../../../services/mail/suppressions.ts');

let database: EmbeddedMongo;
beforeAll(async () => {
  database = await startEmbeddedMongo({ dir: join(folder, 'mongo') });
  await mongoose.connect(database.url, { dbName: 'platform', autoIndex: false, autoCreate: false });
  await MessageModel.createIndexes();
  await SuppressionModel.createIndexes();
}, 60_000);
afterAll(async () => {
  await mongoose.disconnect();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

/** A message that was sent; each to an address and from an organization of its own. */
async function sent(more: object = {}) {
  const _id = newId('msg');
  const orgId = newId('org');
  const to = `Grace+${_id.slice(-6)}@Example.com`;
  const named = { _id, orgId, key: _id, to, recipient: to.toLowerCase(), templateId: newId('tpl'), status: 'sent' };
  const from = { name: 'Mugs', address: 'mail@mugs.example' };
  const document = { ...newMessage(new Date()), ...named, from, sealedBody: null, ...more };
  await MessageModel.collection.insertOne(document as never);
  return { _id, orgId, to };
}

const read = async (orgId: string, _id: string) => await MessageModel.findOne({ orgId, _id }).lean();
const bounce = (messageId: string, more: Partial<Report> = {}): Report => {
  const report = { messageId, recipient: null, type: 'bounced', isPermanent: true, detail: '550 5.1.1 No such user' };
  return { ...report, ...more } as Report;
};

describe('a report', () => {
  test('of a final bounce is noted once, and suppresses the address for its organization alone', async () => {
    const { _id, orgId, to } = await sent();
    await applyReport(bounce(_id, { detail: '550 <grace@example.com> see https://mugs.example/?token=1' }));
    await applyReport(bounce(_id));
    const { status, feedback } = (await read(orgId, _id))!;
    expect([status, feedback.length]).toEqual(['bounced', 1]);
    expect(feedback[0]!.detail).toBe('550 (address) see (link)');
    expect(await isSuppressed(orgId, to.toUpperCase(), 'transactional')).toBe(true);
    expect(await isSuppressed(newId('org'), to, 'transactional')).toBe(false);
  });

  test('of a bounce that may pass is noted only', async () => {
    const { _id, orgId, to } = await sent();
    await applyReport(bounce(_id, { isPermanent: false }));
    expect(await read(orgId, _id)).toMatchObject({ status: 'sent', feedback: [{ isPermanent: false }] });
    expect(await isSuppressed(orgId, to, 'marketing')).toBe(false);
  });

  test('names the recipient in any spelling, and the address is suppressed in each', async () => {
    const to = 'Grace@M\u00fcnchen.example';
    const { _id, orgId } = await sent({ to, recipient: 'grace@m\u00fcnchen.example' });
    await applyReport(bounce(_id, { recipient: 'grace@xn--mnchen-3ya.example' }));
    for (const typed of [to, 'grace@XN--MNCHEN-3YA.example.', '\u200egrace@mu\u0308nchen\u3002example']) {
      expect(await isSuppressed(orgId, typed, 'transactional')).toBe(true);
    }
    expect(await isSuppressed(orgId, 'grace@munchen.example', 'marketing')).toBe(false);
  });

  test.each(['bounced', 'unsubscribed'] as const)(
    'finds an address that was %s before domains were stored in ASCII',
    async (reason) => {
      const orgId = newId('org');
      const address = 'grace@m\u00fcnchen.example';
      const former = { _id: newId('sup'), orgId, address, reason, messageId: null, createdAt: new Date() };
      await SuppressionModel.collection.insertOne(former as never);
      const typed = 'grace@xn--mnchen-3ya.example';
      expect(await isSuppressed(orgId, typed, 'marketing')).toBe(true);
      expect(await isSuppressed(orgId, typed, 'transactional')).toBe(reason === 'bounced');
      await suppress({ orgId, address: typed, reason: 'complained' });
      expect(await isSuppressed(orgId, address, 'transactional')).toBe(true);
    },
  );

  test('about another recipient or an unknown message changes nothing', async () => {
    const { _id, orgId, to } = await sent();
    await applyReport(bounce(_id, { recipient: 'bob@example.com' }));
    for (const messageId of [newId('msg'), '', '{"$gt":""}']) await applyReport(bounce(messageId));
    expect(await read(orgId, _id)).toMatchObject({ status: 'sent', feedback: [] });
    expect(await isSuppressed(orgId, to, 'marketing')).toBe(false);
  });

  test("about the platform's own mail suppresses nobody", async () => {
    for (const orgId of ['platform', newId('org')]) {
      const { _id, to } = await sent({ orgId, templateId: null, key: `system:${newId('req')}` });
      await applyReport(bounce(_id));
      expect((await read(orgId, _id))!.status).toBe('bounced');
      expect(await isSuppressed(orgId, to, 'transactional')).toBe(false);
    }
  });

  test.each(['bounced', 'complained'] as const)(
    'of a notification that %s suppresses, also what waits',
    async (type) => {
      const notification = () => ({ templateId: null, key: `notification:${newId('ntf')}` });
      const { _id, orgId, to } = await sent(notification());
      const recipient = to.toLowerCase();
      const waiting = await sent({ ...notification(), orgId, to, recipient, status: 'queued' });
      const own = await sent({
        templateId: null,
        key: `system:${newId('req')}`,
        orgId,
        to,
        recipient,
        status: 'queued',
      });
      await applyReport(bounce(_id, { type }));
      expect(await isSuppressed(orgId, to, 'transactional')).toBe(true);
      expect(await read(orgId, waiting._id)).toMatchObject({ status: 'suppressed', refundDue: false });
      expect(await read(orgId, own._id)).toMatchObject({ status: 'queued' });
    },
  );

  test('that is repeated counts once: an address that was removed from the list stays removed', async () => {
    const { _id, orgId, to } = await sent();
    await Promise.all([applyReport(bounce(_id)), applyReport(bounce(_id))]);
    expect((await read(orgId, _id))!.feedback).toHaveLength(1);
    await SuppressionModel.deleteMany({ orgId });
    await applyReport(bounce(_id));
    expect(await isSuppressed(orgId, to, 'transactional')).toBe(false);
    await applyReport(bounce(_id, { type: 'complained' }));
    expect(await isSuppressed(orgId, to, 'transactional')).toBe(true);
  });
});

describe('unsubscribing', () => {
  const visit = (token: string) =>
    ({ meta: {}, params: { path: { token }, query: {}, body: {}, headers: {} } }) as never;
  const {
    'pages.unsubscribe.submit': submit,
    'pages.unsubscribe.show': show,
    'pages.unsubscribe.undo': undo,
  } = unsubscribePages;
  const run = (page: object, token: string) =>
    (page as { handler: (ctx: never) => Promise<{ html: string }> }).handler.call({}, visit(token));
  const tokenOf = (message: Awaited<ReturnType<typeof sent>>) => unsubscribeUrlOf(message).split('/').at(-1)!;

  test('ends marketing and no receipts; a GET ends nothing', async () => {
    const message = await sent({ category: 'marketing' });
    const { orgId, to } = message;
    expect((await run(show, tokenOf(message))).html).toContain('>Unsubscribe</button>');
    expect(await isSuppressed(orgId, to, 'marketing')).toBe(false);
    for (let times = 0; times < 2; times += 1) await run(submit, tokenOf(message));
    expect(await isSuppressed(orgId, to, 'marketing')).toBe(true);
    expect(await isSuppressed(orgId, to, 'transactional')).toBe(false);
    const used = await run(show, tokenOf(message));
    expect(used.html).toContain('You are unsubscribed');
    expect(used.html).not.toContain('>Unsubscribe</button>');
    // A bounce afterwards suppresses all.
    await applyReport(bounce(message._id));
    expect(await isSuppressed(orgId, to, 'transactional')).toBe(true);
  });

  test('can be undone by the same link, where nothing else suppresses the address', async () => {
    const message = await sent({ category: 'marketing' });
    const { orgId, to } = message;
    expect((await run(submit, tokenOf(message))).html).toContain('>Undo</button>');
    expect((await run(undo, tokenOf(message))).html).toContain('You are subscribed again');
    expect(await isSuppressed(orgId, to, 'marketing')).toBe(false);
    await run(submit, tokenOf(message));
    await applyReport(bounce(message._id));
    for (const page of [show, submit, undo]) {
      const { html } = await run(page, tokenOf(message));
      expect(html).toContain('You are unsubscribed');
      expect(html).not.toContain('/undo"');
    }
    expect(await isSuppressed(orgId, to, 'transactional')).toBe(true);
  });

  test('takes only links that the platform made', async () => {
    const message = await sent();
    const [text = '', signature = ''] = tokenOf(message).split('.');
    expect(readUnsubscribeToken(`${text}.${signature}`)).toMatchObject({ orgId: message.orgId, address: message.to });
    const other = Buffer.from(JSON.stringify([message.orgId, 'bob@example.com', message._id])).toString('base64url');
    for (const token of ['', '.', text, `${other}.${signature}`, `${text}.${signature}.x`, `${text}.AAAA`]) {
      expect(readUnsubscribeToken(token)).toBeNull();
    }
  });
});

describe('the signature of the generic endpoint', () => {
  const key = 'a key of at least thirty-two characters';
  const body = '{"type":"bounced"}';
  const signed = (seconds: number, text = body, by = key) =>
    `t=${seconds},v1=${createHmac('sha256', by).update(`${seconds}.${text}`).digest('hex')}`;
  const at = Math.floor(Date.now() / 1000);

  test('is valid for five minutes, for its body and key', () => {
    expect(isFeedbackSigned(key, signed(at), body)).toBe(true);
    const wrong = [signed(at - 400), signed(at + 400), signed(at, '{}'), signed(at, body, 'another'), '', 't=1,v1='];
    for (const signature of wrong)
      expect([signature, isFeedbackSigned(key, signature, body)]).toEqual([signature, false]);
  });
});

describe('Amazon SES', () => {
  const topic = 'arn:aws:sns:eu-central-1:123456789012:bounces';
  const host = 'https://sns.eu-central-1.amazonaws.com';
  const own = selfSigned('20200101000000Z', '20991231235959Z');
  const stranger = selfSigned('20200101000000Z', '20991231235959Z');
  const expired = selfSigned('20200101000000Z', '20210101000000Z');

  type Fields = Record<string, string>;
  const order = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
  function message(fields: Fields, { privateKey } = own, version = '2'): string {
    const whole: Fields = { Type: 'Notification', MessageId: '1', TopicArn: topic, Message: '{}', ...fields };
    whole.Timestamp ??= new Date().toISOString();
    const text = order.flatMap((name) => (whole[name] === undefined ? [] : [`${name}\n${whole[name]}\n`])).join('');
    const Signature =
      version === '2'
        ? signOnce('sha256', Buffer.from(text), privateKey).toString('base64')
        : createSign('RSA-SHA1').update(text).sign(privateKey, 'base64');
    return JSON.stringify({
      SigningCertURL: `${host}/SimpleNotificationService-own.pem`,
      SignatureVersion: version,
      Signature,
      ...whole,
    });
  }
  const asked: string[] = [];
  const take = (body: string) =>
    handleSes(body, [topic], (address) => {
      asked.push(address);
      return Promise.resolve(address.endsWith('-expired.pem') ? expired.certificate : own.certificate);
    });
  const noticeOf = (messageId: string, to: string) =>
    JSON.stringify({
      notificationType: 'Bounce',
      mail: { headers: [{ name: 'X-Message-Id', value: messageId }] },
      bounce: { bounceType: 'Permanent', bouncedRecipients: [{ emailAddress: to, diagnosticCode: 'smtp; 550' }] },
    });

  test.each(['1', '2'])('reports a bounce under signature version %s', async (version) => {
    const { _id, orgId, to } = await sent();
    await take(message({ Message: noticeOf(_id, `Grace <${to}>`), Subject: 'Bounce' }, own, version));
    expect(await read(orgId, _id)).toMatchObject({ status: 'bounced', feedback: [{ detail: 'smtp; 550' }] });
  });

  test('reports a complaint, by the tag of an event', async () => {
    const { _id, orgId, to } = await sent();
    const complaint = { complainedRecipients: [{ emailAddress: to }], complaintFeedbackType: 'abuse' };
    const event = { eventType: 'Complaint', mail: { tags: { 'message-id': [_id] } }, complaint };
    await take(message({ Message: JSON.stringify(event) }));
    expect((await read(orgId, _id))!.feedback).toMatchObject([{ type: 'complained', detail: 'abuse' }]);
    expect(await isSuppressed(orgId, to, 'transactional')).toBe(true);
  });

  test.each([
    { eventType: 'Complaint', complaint: { complaintFeedbackType: 'not-spam', complainedRecipients: [] as object[] } },
    { eventType: 'Bounce', bounce: { bounceType: 'Transient', bouncedRecipients: [] as object[] } },
    { eventType: 'Bounce', bounce: { bounceType: 'Undetermined', bouncedRecipients: [] as object[] } },
  ])('suppresses nobody for %j', async ({ eventType, complaint, bounce: came }) => {
    const { _id, orgId, to } = await sent();
    const recipients = [{ emailAddress: to }];
    const mail = { tags: { 'message-id': [_id] } };
    const reports = {
      ...(complaint && { complaint: { ...complaint, complainedRecipients: recipients } }),
      ...(came && { bounce: { ...came, bouncedRecipients: recipients } }),
    };
    await take(message({ Message: JSON.stringify({ eventType, mail, ...reports }) }));
    expect(await read(orgId, _id)).toMatchObject({ status: 'sent', feedback: [{ isPermanent: false }] });
    expect(await isSuppressed(orgId, to, 'marketing')).toBe(false);
  });

  test.each<[string, (text: string) => string]>([
    ['by another key', (text) => message({ Message: text }, stranger)],
    ['that was changed', (text) => message({ Message: '{}' }).replace('"{}"', JSON.stringify(text))],
    ['of another topic', (text) => message({ Message: text, TopicArn: `${topic}-of-others` })],
    ['of yesterday', (text) => message({ Message: text, Timestamp: new Date(Date.now() - 86_400_000).toISOString() })],
    [
      'under an expired certificate',
      (text) => message({ Message: text, SigningCertURL: `${host}/SimpleNotificationService-expired.pem` }),
    ],
    ['that is no JSON', (text) => text.slice(1)],
  ])('is not believed with a message %s', async (_what, bodyOf) => {
    const { _id, orgId, to } = await sent();
    await expect(take(bodyOf(noticeOf(_id, to)))).rejects.toMatchObject({ type: 'WEBHOOK_INVALID' });
    expect((await read(orgId, _id))!.feedback).toEqual([]);
  });

  test.each([
    'https://sns.eu-central-1.amazonaws.com.evil.example/SimpleNotificationService-own.pem',
    'https://evil.example/sns.eu-central-1.amazonaws.com/SimpleNotificationService-own.pem',
    'https://sns.eu-central-1.amazonaws.com:8443/SimpleNotificationService-own.pem',
    'https://user@sns.eu-central-1.amazonaws.com/SimpleNotificationService-own.pem',
    'http://sns.eu-central-1.amazonaws.com/SimpleNotificationService-own.pem',
    'https://s3.amazonaws.com/SimpleNotificationService-own.pem',
    'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-own.pem',
    'https://sns.eu-central-1.amazonaws.com/own.pem',
    'https://169.254.169.254/SimpleNotificationService-own.pem',
    'file:///SimpleNotificationService-own.pem',
  ])('is asked for no certificate at %s', async (SigningCertURL) => {
    asked.length = 0;
    await expect(take(message({ SigningCertURL }))).rejects.toMatchObject({ type: 'WEBHOOK_INVALID' });
    expect(asked).toEqual([]);
  });

  test('of another topic has no certificate fetched', async () => {
    asked.length = 0;
    await expect(take(message({ TopicArn: `${topic}-of-others` }))).rejects.toMatchObject({ type: 'WEBHOOK_INVALID' });
    expect(asked).toEqual([]);
  });

  test('has its subscription confirmed at its own host alone', async () => {
    asked.length = 0;
    const confirmation = (SubscribeURL: string) =>
      message({ Type: 'SubscriptionConfirmation', Token: 't', SubscribeURL });
    await take(confirmation(`${host}/?Action=ConfirmSubscription&Token=t`));
    expect(asked).toContain(`${host}/?Action=ConfirmSubscription&Token=t`);
    const elsewhere = take(confirmation('https://169.254.169.254/latest'));
    await expect(elsewhere).rejects.toMatchObject({ type: 'WEBHOOK_INVALID' });
    expect(asked).not.toContain('https://169.254.169.254/latest');
  });
});
