import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { ServiceBroker } from 'moleculer';
import { call } from '../../../lib/contract/context.ts';
import { isError } from '../../../lib/contract/errors.ts';
import { day, hour, setClock } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import { type AttachmentDocument, AttachmentModel } from '../../../models/connect/attachment.ts';
import { BlockModel } from '../../../models/connect/block.ts';
import { ConversationModel } from '../../../models/connect/conversation.ts';
import { MessageModel } from '../../../models/connect/message.ts';
import { RateWindowModel } from '../../../models/connect/rate-window.ts';
import { SiteModel } from '../../../models/connect/site.ts';
import { VisitorModel } from '../../../models/connect/visitor.ts';
import { sweepUnusedAttachments, takeAttachments } from '../../../services/connect/attachments.ts';
import { eraseCustomer, sweepRetention } from '../../../services/connect/cleanup.ts';
import { findPresent } from '../../../services/connect/conversations/conversations.ts';
import { notify } from '../../../services/connect/conversations/notify.ts';
import { postOfVisitor } from '../../../services/connect/conversations/post-to-visitor.ts';
import { firstSite } from '../../../services/connect/sites/make-site.ts';
import { countVisitor, sweepRateWindows, visitorBytesOf } from '../../../services/connect/visitors/rate-limits.ts';
import { storeIdentified, storeVisitor } from '../../../services/connect/visitors/visitors.ts';
import { connectOwnDatabase, type OwnDatabase } from '../../support/own-database.ts';
import { sweepOf } from '../../support/quiet-logger.ts';

/*
 * The service's parts in this process, with a clock and a database of their own. Of the other services there are as many
 * actions as are called.
 */

const models = [SiteModel, VisitorModel, ConversationModel, MessageModel, AttachmentModel, BlockModel, RateWindowModel];
const broker = new ServiceBroker({ logger: false });
let database: OwnDatabase;
let deleted: string[] = [];
let whileDescribed = async (): Promise<void> => undefined;
let days: number | null = 30;
let putBack = (): void => undefined;

broker.createService({ name: 'connect', actions: { 'messages.notify': notify, 'customers.erase': eraseCustomer } });
broker.createService({ name: 'context', actions: { 'retention.describe': () => ({ days }) } });
broker.createService({ name: 'identity', actions: { 'organizations.describe': () => ({ organization: {} }) } });
broker.createService({
  name: 'storage',
  actions: {
    'system.describe': async ({ params }: { params: { body: { keys: string[] } } }) => {
      await whileDescribed();
      return { objects: params.body.keys.map((key) => ({ key, size: 1, mimeType: 'b/c' })) };
    },
    'system.delete': ({ params }: { params: { body: { keys: string[] } } }) => void deleted.push(...params.body.keys),
  },
});

beforeAll(async () => {
  database = await connectOwnDatabase(...models);
  await broker.start();
});

afterAll(async () => {
  await broker.stop();
  await database.close();
});

afterEach(() => {
  putBack();
  deleted = [];
  whileDescribed = async () => undefined;
  days = 30;
});

const ago = (milliseconds: number): void => {
  putBack();
  const at = Date.now();
  putBack = setClock(() => new Date(at - milliseconds));
};
const attachmentOf = (folder: string, id = newId('obj')) => ({
  key: `${folder}/${id}`,
  fileName: 'a',
  mimeType: 'b/c',
  size: 1,
});
let echo = 0;

async function say(visitor: Awaited<ReturnType<typeof storeVisitor>>, text: string, withFile = false) {
  const attachments = withFile ? [attachmentOf(visitor._id)] : [];
  echo += 1;
  return await postOfVisitor(visitor, { id: newId('cmsg'), echoKey: `visitor:${echo}`, text, attachments });
}

async function anonymous(orgId: string) {
  const unknown = { name: null, email: null, locale: null, network: null };
  return await storeVisitor(newId('vis'), { orgId, siteId: newId('site'), ...unknown });
}

async function identified(orgId: string, siteId: string, userId: string, email: string | null = null) {
  const identifiers = [`id:${userId}`, ...(email ? [`email:${email}`] : [])];
  return await storeIdentified({ orgId, siteId, userId, identifiers, name: null, email, locale: null, network: null });
}

/** How many conversations, stored messages and visitors there are. */
const counts = async (orgId: string) => [
  await ConversationModel.countDocuments({ orgId }),
  await MessageModel.countDocuments({ orgId }),
  await VisitorModel.countDocuments({ orgId }),
];

describe('retention', () => {
  const sweep = () => sweepRetention(broker, sweepOf('connect.retention'));

  test('removes conversations, older messages of others, and their files, after the days of the plan', async () => {
    const orgId = newId('org');
    ago(31 * day);
    const [gone, busy] = [await anonymous(orgId), await anonymous(orgId)];
    for (const text of ['1', '2', '3']) await say(gone, text, true);
    await say(busy, 'old', true);
    ago(29 * day);
    await say(busy, 'kept');
    await VisitorModel.updateOne({ orgId, _id: busy._id }, { $set: { lastSeenAt: new Date() } });
    ago(0);
    await sweep();
    expect(await findPresent(orgId, gone._id)).toBeNull();
    expect(await findPresent(orgId, busy._id)).toMatchObject({ lastSeq: 2, preview: 'kept' });
    expect(await counts(orgId)).toEqual([1, 0, 1]);
    expect(deleted).toHaveLength(4);
  });

  test('removes visitors and files of an organization whose last conversation is gone', async () => {
    const orgId = newId('org');
    ago(31 * day);
    await anonymous(orgId);
    const record = {
      _id: newId('obj'),
      orgId,
      folder: 'vis_1',
      fileName: 'a',
      usedAt: new Date(),
      createdAt: new Date(),
    };
    await AttachmentModel.create({ ...record, createdAt: new Date(Date.now() - 31 * day) });
    ago(29 * day);
    const kept = await anonymous(orgId);
    ago(0);
    await sweep();
    expect((await VisitorModel.find({ orgId }).lean()).map(({ _id }) => _id)).toEqual([kept._id]);
    expect(await AttachmentModel.countDocuments({ orgId })).toBe(0);
  });

  test('removes nothing while it is not known, or the plan has none', async () => {
    const orgId = newId('org');
    ago(400 * day);
    await say(await anonymous(orgId), 'old');
    ago(0);
    days = null;
    await sweep();
    expect(await counts(orgId)).toEqual([1, 0, 1]);
  });

  const sweepFiles = () => sweepUnusedAttachments(broker, sweepOf('connect.attachments'));
  const fileOf = (orgId: string, about: Partial<AttachmentDocument>, age: number): AttachmentDocument => {
    const unused = { byVisitor: false, usedAt: null, claimedAt: null };
    const createdAt = new Date(Date.now() - age);
    return { _id: newId('obj'), orgId, folder: 'vis_1', fileName: 'a', ...unused, createdAt, ...about };
  };
  const leftOf = async (orgId: string) =>
    (await AttachmentModel.find({ orgId }, { _id: 1 }).lean()).map(({ _id }) => _id).sort();

  test('removes files that no message names: of a visitor after an hour, of an agent after a day', async () => {
    const orgId = newId('org');
    const gone = [
      fileOf(orgId, { byVisitor: true }, hour + 1000),
      fileOf(orgId, {}, day + 1000),
      fileOf(orgId, { byVisitor: true, claimedAt: new Date() }, 2 * day),
    ];
    const kept = [
      fileOf(orgId, { byVisitor: true }, hour - 60_000),
      fileOf(orgId, {}, day - 60_000),
      fileOf(orgId, { byVisitor: true, usedAt: new Date() }, 2 * day),
    ];
    await AttachmentModel.create([...gone, ...kept]);
    await sweepFiles();
    expect(deleted.sort()).toEqual(gone.map(({ _id }) => `vis_1/${_id}`).sort());
    expect(await leftOf(orgId)).toEqual(kept.map(({ _id }) => _id).sort());
  });

  test('removes all unused files in one run, however many there are', async () => {
    const orgId = newId('org');
    const files = Array.from({ length: 450 }, () => fileOf(orgId, { byVisitor: true }, 2 * hour));
    await AttachmentModel.insertMany(files);
    await sweepFiles();
    expect(await leftOf(orgId)).toEqual([]);
  });

  test('refuses a message whose file is removed while it is looked up, naming that file', async () => {
    const orgId = newId('org');
    const files = [fileOf(orgId, { byVisitor: true }, 1000), fileOf(orgId, { byVisitor: true }, 2 * hour)];
    await AttachmentModel.insertMany(files);
    whileDescribed = sweepFiles;
    const ids = files.map(({ _id }) => _id);
    await expect(takeAttachments(broker, orgId, 'vis_1', ids)).rejects.toMatchObject({
      data: { details: [expect.objectContaining({ path: 'body.attachments.1' })] },
    });
    expect(await leftOf(orgId)).toEqual([ids[0]]);
  });

  test('removes no file that a message has named since the sweep read it, and none that is removed can be named', async () => {
    const orgId = newId('org');
    const files = Array.from({ length: 20 }, () => fileOf(orgId, { byVisitor: true }, 2 * hour));
    await AttachmentModel.insertMany(files);
    const taking = files.map(({ _id }) => takeAttachments(broker, orgId, 'vis_1', [_id]));
    const [outcomes] = await Promise.all([Promise.allSettled(taking), sweepFiles()]);
    const taken = files.flatMap(({ _id }, at) => (outcomes[at]?.status === 'fulfilled' ? [_id] : []));
    expect(await leftOf(orgId)).toEqual(taken.sort());
    expect(deleted.filter((key) => taken.some((id) => key.endsWith(id)))).toEqual([]);
    const [claimed] = [fileOf(orgId, { byVisitor: true, claimedAt: new Date() }, 2 * hour)];
    await AttachmentModel.create(claimed);
    await expect(takeAttachments(broker, orgId, 'vis_1', [claimed._id])).rejects.toMatchObject({
      type: 'INPUT_INVALID',
    });
  });
});

describe('the erasure of a customer', () => {
  const erase = (orgId: string, identifiers: string[]) =>
    call(broker, 'connect.customers.erase', { body: { orgId, identifiers } });

  test('removes the conversations of all who have one of the identifiers, and of no other', async () => {
    const [orgId, otherOrg] = [newId('org'), newId('org')];
    const [site, otherSite] = [newId('site'), newId('site')];
    const theirs = [
      await identified(orgId, site, 'C-1', 'jean@example.com'),
      await identified(orgId, otherSite, 'C-2', 'jean@example.com'),
    ];
    const others = [
      await identified(orgId, site, 'C-3'),
      await anonymous(orgId),
      await identified(otherOrg, site, 'C-1'),
    ];
    for (const visitor of [...theirs, ...others]) for (const text of ['1', '2']) await say(visitor, text, true);
    expect(await erase(orgId, ['email:jean@example.com'])).toEqual({ isComplete: true, erased: true });
    expect(await counts(orgId)).toEqual([2, 2, 2]);
    expect(await counts(otherOrg)).toEqual([1, 1, 1]);
    expect(deleted.filter((key) => theirs.some(({ _id }) => key.startsWith(_id)))).toHaveLength(4);
    expect(deleted).toHaveLength(4);
    expect(await erase(orgId, ['email:jean@example.com'])).toEqual({ isComplete: true, erased: false });
  });

  test('removes what anonymous visitors wrote who gave one of the addresses, in any case', async () => {
    const orgId = newId('org');
    const about = { orgId, siteId: newId('site'), name: 'Jean', locale: null, network: null };
    const theirs = await storeVisitor(newId('vis'), { ...about, email: 'Jean@Example.com' });
    const others = [
      await storeVisitor(newId('vis'), { ...about, email: 'ada@example.com' }),
      await storeVisitor(newId('vis'), { ...about, email: null }),
    ];
    for (const visitor of [theirs, ...others]) for (const text of ['1', '2']) await say(visitor, text, true);
    for (const identifiers of [['id:C-1'], ['email:jean@example.com']]) {
      const erased = identifiers[0] !== 'id:C-1';
      expect(await erase(orgId, identifiers)).toEqual({ isComplete: true, erased });
    }
    expect(await counts(orgId)).toEqual([2, 2, 2]);
    expect(deleted.every((key) => key.startsWith(theirs._id))).toBe(true);
  });

  test('is complete although the customer writes meanwhile', async () => {
    const orgId = newId('org');
    const visitor = await identified(orgId, newId('site'), 'C-1');
    await say(visitor, '0');
    const writing = Array.from({ length: 10 }, (_none, at) => say(visitor, `${at}`));
    for (let isComplete = false; !isComplete; ) ({ isComplete } = await erase(orgId, ['id:C-1']));
    await Promise.all(writing);
    for (let isComplete = false; !isComplete; ) ({ isComplete } = await erase(orgId, ['id:C-1']));
    expect(await counts(orgId)).toEqual([0, 0, 0]);
  });
});

describe('a notification', () => {
  const ask = (body: { orgId: string; recipient: string; text: string; key: string; siteId?: string }) =>
    call(broker, 'connect.messages.notify', { body });

  test('comes into the open conversation of a customer, once for its key', async () => {
    const orgId = newId('org');
    const { _id: siteId } = await firstSite(broker, orgId);
    const visitor = await identified(orgId, siteId, 'C-1');
    const { conversation } = await say(visitor, 'hello');
    const sent = { orgId, recipient: 'C-1', text: 'Your order has left', key: 'ntf_1' };
    const answers = await Promise.all([ask(sent), ask(sent), ask(sent)]);
    expect(answers).toEqual(Array(3).fill({ conversationId: conversation._id, messageId: expect.any(String), seq: 2 }));
    expect(new Set(answers.map(({ messageId }) => messageId)).size).toBe(1);
    await expect(ask({ ...sent, text: 'Another' })).rejects.toMatchObject({ type: 'IDEMPOTENCY_MISMATCH' });
    expect(await findPresent(orgId, visitor._id)).toMatchObject({ lastSeq: 2, visitorUnread: 1 });
    expect(await ask({ ...sent, recipient: visitor._id, key: 'ntf_2' })).toMatchObject({ seq: 3 });
  });

  test('begins another conversation after a closed one, once', async () => {
    const orgId = newId('org');
    const { _id: siteId } = await firstSite(broker, orgId);
    const visitor = await identified(orgId, siteId, 'C-1');
    const { conversation } = await say(visitor, 'hello');
    await ConversationModel.updateOne({ orgId }, { $set: { status: 'closed', closedAt: new Date() } });
    const sent = { orgId, recipient: 'C-1', text: 'Your order has left', key: 'ntf_1' };
    const first = await ask(sent);
    expect(first).toMatchObject({ seq: 1 });
    expect(first.conversationId).not.toBe(conversation._id);
    await ConversationModel.updateMany({ orgId }, { $set: { status: 'closed', closedAt: new Date() } });
    expect(await ask(sent)).toEqual(first);
    expect(await ConversationModel.countDocuments({ orgId })).toBe(2);
  });

  test('waits for a customer who has never been on the site, and is refused where there is none', async () => {
    const orgId = newId('org');
    const sent = { orgId, recipient: 'C-8', text: 'Welcome', key: 'ntf_1' };
    await expect(ask(sent)).rejects.toMatchObject({ type: 'NOT_FOUND' });
    const { _id: siteId } = await firstSite(broker, orgId);
    const { conversationId } = await ask(sent);
    const visitor = await identified(orgId, siteId, 'C-8');
    expect(await findPresent(orgId, visitor._id)).toMatchObject({
      _id: conversationId,
      preview: 'Welcome',
      customerId: 'C-8',
    });
    for (const wrong of [{ recipient: newId('vis') }, { siteId: newId('site') }]) {
      await expect(ask({ ...sent, key: 'ntf_2', ...wrong })).rejects.toMatchObject({ type: 'NOT_FOUND' });
    }
    const other = newId('org');
    await firstSite(broker, other);
    await expect(ask({ ...sent, orgId: other, recipient: visitor._id })).rejects.toMatchObject({ type: 'NOT_FOUND' });
  });
});

describe('the limits of visitors', () => {
  const from = (address: string) => ({ meta: { client: { address } } }) as never;

  test('count an act for the network, its range and the organization, and a refused one for none', async () => {
    const orgId = newId('org');
    const mebibyte = 1024 * 1024;
    const send = (address: string, visitorId: string, amount = 10 * mebibyte) =>
      countVisitor(from(address), 'bytes', { orgId, visitorId, amount, mostOfOrganization: 1200 * mebibyte });
    const sendMany = async (address: string, count: number) => {
      const sent = Array.from({ length: count }, (_, at) => send(address, `${address}-${at}`));
      return (await Promise.allSettled(sent)).filter(({ status }) => status === 'fulfilled').length;
    };
    // One visitor, then one network, then one range, then all.
    const own = Array.from({ length: 12 }, () => send('10.0.0.1', 'vis_1'));
    expect((await Promise.allSettled(own)).filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(await sendMany('10.0.0.1', 15)).toBe(10);
    await expect(send('10.0.0.1', 'vis_2', 1)).rejects.toMatchObject({ type: 'RATE_LIMITED' });
    let inRange = 20;
    for (const host of [2, 3, 4, 5, 6]) inRange += await sendMany(`10.0.0.${host}`, 20);
    expect(inRange).toBe(80);
    expect(await sendMany('10.0.1.1', 20)).toBe(20);
    expect(await sendMany('10.0.2.1', 20)).toBe(20);
    expect(await sendMany('10.0.3.1', 20)).toBe(0);
  });

  test('give visitors a tenth of the storage of a plan in a day', () => {
    expect(visitorBytesOf(1)).toBe(1024 ** 3 / 10);
    expect(visitorBytesOf(2000)).toBe(20 * 1024 ** 3);
    expect(visitorBytesOf(null)).toBe(20 * 1024 ** 3);
  });

  test('refuse what is beyond them in a window, for each key, and say when it ends', async () => {
    const at = new Date('2026-03-02T09:30:20.000Z');
    putBack = setClock(() => at);
    const orgId = newId('org');
    const inside = { meta: {} } as never;
    const count = (visitorId: string) => countVisitor(inside, 'messages', { orgId, visitorId });
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => count('vis_1')));
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused).toHaveLength(10);
    expect(refused.every((error) => isError(error, 'RATE_LIMITED'))).toBe(true);
    expect(refused[0].data.headers).toEqual({ 'Retry-After': '40' });
    await count('vis_2');
    await countVisitor(inside, 'sessions', { orgId, visitorId: null });
    putBack();
    putBack = setClock(() => new Date(at.getTime() + 40_000));
    await count('vis_1');
    await sweepRateWindows(new AbortController().signal);
    // That of the visitor, and that of the organization.
    expect(await RateWindowModel.countDocuments({ orgId })).toBe(2);
  });
});
