import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ServiceBroker } from 'moleculer';
import type { QuotaCaller } from '../../../lib/clients/quota.ts';
import { call } from '../../../lib/contract/context.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { day } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { newSweep, type Sweep } from '../../../lib/data/sweep.ts';
import { type AgentDocument, AgentModel, agentKey } from '../../../models/connect/agent.ts';
import { type AttachmentDocument, AttachmentModel } from '../../../models/connect/attachment.ts';
import { type ConversationDocument, ConversationModel } from '../../../models/connect/conversation.ts';
import { type MessageDocument, MessageModel } from '../../../models/connect/message.ts';
import { SiteModel } from '../../../models/connect/site.ts';
import { VisitorModel } from '../../../models/connect/visitor.ts';
import { eraseCustomer, sweepRetention } from '../../../services/connect/cleanup.ts';
import { append } from '../../../services/connect/conversations/append.ts';
import { findConversation } from '../../../services/connect/conversations/conversations.ts';
import { recountAllSeats, sweepRemovals } from '../../../services/connect/seats.ts';
import { connectOwnDatabase, type OwnDatabase } from '../../support/own-database.ts';
import { quietLogger } from '../../support/quiet-logger.ts';

/*
 * Conversations, agents and organizations of great size beside small ones. The parts of the service run in this process,
 * with a database of their own; of the other services there are as many actions as are called.
 */

const models = [SiteModel, AgentModel, VisitorModel, ConversationModel, MessageModel, AttachmentModel];
const broker = new ServiceBroker({ logger: false });
const caller = { broker } as unknown as QuotaCaller;
let database: OwnDatabase;
/** The keys of removed files. */
let deleted: string[] = [];
let whenDeleted: (keys: string[]) => unknown = () => undefined;
/** The organizations whose seats were released. */
let released: string[] = [];
let whenReleased = (): void => undefined;
let gauges: Record<string, number> = {};
let refusals = 0;
let controller = new AbortController();

type Asked<T> = { params: { body: T } };

broker.createService({ name: 'connect', actions: { 'customers.erase': eraseCustomer } });
broker.createService({ name: 'context', actions: { 'retention.describe': () => ({ days: 30 }) } });
broker.createService({
  name: 'storage',
  actions: {
    'system.delete': async ({ params: { body } }: Asked<{ keys: string[] }>) => {
      await whenDeleted(body.keys);
      deleted.push(...body.keys);
    },
  },
});
broker.createService({
  name: 'billing',
  actions: {
    'quota.commit': () => ({}),
    'quota.release': ({ params: { body } }: Asked<{ orgId: string }>) => {
      released.push(body.orgId);
      whenReleased();
    },
    'quota.read': () => ({ meters: [{ revision: 1 }] }),
    'quota.set-gauge': ({ params: { body } }: Asked<{ orgId: string; value: number }>) => {
      if (refusals > 0) {
        refusals -= 1;
        return { outcome: 'changed' };
      }
      gauges[body.orgId] = body.value;
      return { outcome: 'set' };
    },
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

beforeEach(() => {
  deleted = [];
  released = [];
  gauges = {};
  refusals = 0;
  controller = new AbortController();
});

afterEach(async () => {
  whenDeleted = () => undefined;
  whenReleased = () => undefined;
  for (const model of models) await nativeCollection(model).deleteMany({});
});

/** A run of a sweep that ends when `controller` aborts. */
const run = (name: string): Sweep => newSweep(name, quietLogger, controller.signal);

type Wanted = { orgId: string; messages: number; daysAgo: number; files?: number; identifiers?: string[] };

/** Inserts a conversation with its messages; each of the first `files`, and the last, has a file of an agent. */
async function insertConversation({ orgId, messages, daysAgo, files = 0, identifiers = [] }: Wanted): Promise<string> {
  const [_id, visitorId] = [newId('conv'), newId('vis')];
  const at = new Date(Date.now() - daysAgo * day);
  const records: AttachmentDocument[] = [];
  const all = Array.from({ length: messages }, (_none, index): MessageDocument => {
    const seq = index + 1;
    const withFile = files > 0 && (seq <= files || seq === messages);
    const id = newId('obj');
    const file = { fileName: 'a', createdAt: at };
    if (withFile) records.push({ _id: id, orgId, folder: _id, byVisitor: false, usedAt: at, claimedAt: null, ...file });
    return {
      _id: newId('cmsg'),
      orgId,
      conversationId: _id,
      seq,
      publicSeq: seq,
      echoKey: `visitor:${seq}`,
      fingerprint: '',
      author: { type: 'visitor', id: visitorId, name: null },
      text: 'hello',
      attachments: withFile ? [{ key: `${_id}/${id}`, fileName: 'a', mimeType: 'b/c', size: 1 }] : [],
      createdAt: at,
    };
  });
  const last = all.pop() as MessageDocument;
  const zero = { agentUnread: 0, visitorUnread: 0, agentReadSeq: 0, agentReadPublicSeq: 0 };
  const conversation: ConversationDocument = {
    ...{ _id, orgId, visitorId, siteId: newId('site'), ordinal: 1, channel: 'web', status: 'open', assigneeId: null },
    ...{ customerId: null, customerName: 'Visitor', identifiers, lastSeq: messages, lastPublicSeq: messages, last },
    ...{ ...zero, visitorReadSeq: 0, visitorReadPublicSeq: 0, preview: 'hello', closedAt: null },
    ...{ createdAt: at, updatedAt: at, activeAt: at, publicAt: at },
  };
  if (all.length > 0) await nativeCollection<MessageDocument>(MessageModel).insertMany(all);
  if (records.length > 0) await nativeCollection<AttachmentDocument>(AttachmentModel).insertMany(records);
  await nativeCollection<ConversationDocument>(ConversationModel).insertOne(conversation);
  return _id;
}

const idsOf = async (orgId: string) =>
  (await ConversationModel.find({ orgId }, { _id: 1 }).lean()).map((one) => one._id);
const messagesOf = (orgId: string) => MessageModel.countDocuments({ orgId });
/** How many conversations, stored messages and records of files there are. */
const counts = async (orgId: string) => [
  (await idsOf(orgId)).length,
  await messagesOf(orgId),
  await AttachmentModel.countDocuments({ orgId }),
];

describe('retention', () => {
  const maxOfTurn = 100;

  test('removes small conversations before a great one is gone, and continues that in the next run', async () => {
    const orgId = newId('org');
    const large = await insertConversation({ orgId, messages: 2500, files: 500, daysAgo: 99 });
    for (let count = 0; count < 20; count += 1) {
      await insertConversation({ orgId, messages: 4, files: 1, daysAgo: 40 });
    }
    whenDeleted = async () => {
      if ((await idsOf(orgId)).length === 1) controller.abort();
    };
    await sweepRetention(broker, run('connect.retention'), maxOfTurn);
    expect(await idsOf(orgId)).toEqual([large]);
    const [, messages] = await counts(orgId);
    expect(messages).toBeGreaterThan(1500);
    expect(messages).toBeLessThan(2499);
    // What is left is that of the conversation that marks it.
    expect(await MessageModel.countDocuments({ orgId, conversationId: large })).toBe(messages);
    const files = await AttachmentModel.find({ orgId }, { folder: 1 }).lean();
    expect(files.length).toBeGreaterThan(100);
    expect(files.every(({ folder }) => folder === large)).toBe(true);

    controller = new AbortController();
    whenDeleted = () => undefined;
    await sweepRetention(broker, run('connect.retention'), maxOfTurn);
    expect(await counts(orgId)).toEqual([0, 0, 0]);
    expect(new Set(deleted).size).toBe(501 + 20 * 2);
  });

  test('gives each organization its turn', async () => {
    const [first, second] = [newId('org'), newId('org')].sort() as [string, string];
    await insertConversation({ orgId: first, messages: 1500, files: 1, daysAgo: 40 });
    const small = await insertConversation({ orgId: second, messages: 3, files: 1, daysAgo: 40 });
    whenDeleted = (keys) => {
      if (keys.some((key) => key.startsWith(small))) controller.abort();
    };
    await sweepRetention(broker, run('connect.retention'), maxOfTurn);
    expect(await idsOf(second)).toEqual([]);
    // All but the last, which is in the conversation, and those of one turn.
    expect(await messagesOf(first)).toBe(1499 - maxOfTurn);
  });

  test('goes on after a conversation that fails, which the next run removes', async () => {
    const orgId = newId('org');
    const failing = await insertConversation({ orgId, messages: 3, files: 2, daysAgo: 99 });
    const others = await Promise.all(
      Array.from({ length: 3 }, () => insertConversation({ orgId, messages: 3, files: 1, daysAgo: 40 })),
    );
    whenDeleted = (keys) => {
      if (keys.some((key) => key.startsWith(failing))) throw apiError('UNAVAILABLE');
    };
    await sweepRetention(broker, run('connect.retention'));
    expect(await idsOf(orgId)).toEqual([failing]);
    expect(new Set(deleted.map((key) => key.slice(0, key.indexOf('/'))))).toEqual(new Set(others));
    whenDeleted = () => undefined;
    await sweepRetention(broker, run('connect.retention'));
    expect(await counts(orgId)).toEqual([0, 0, 0]);
  });

  test.each(['before', 'while'])('leaves what an agent writes %s the conversation is removed', async (when) => {
    const orgId = newId('org');
    const first = await insertConversation({ orgId, messages: 2, files: 1, daysAgo: 99 });
    const answered = await insertConversation({ orgId, messages: 3, files: 1, daysAgo: 40 });
    const author = { type: 'agent' as const, id: newId('usr'), name: null };
    const say = (text: string) => {
      const draft = { id: newId('cmsg'), echoKey: text, author, text, attachments: [], isNote: false };
      return append(orgId, answered, draft, async () => ({
        append: await findConversation(orgId, answered),
        changes: {},
      }));
    };
    let isSaid = false;
    whenDeleted = async (keys) => {
      const removed = when === 'before' ? first : answered;
      if (isSaid || !keys.some((key) => key.startsWith(removed))) return;
      isSaid = true;
      for (const text of ['one', 'two', 'three']) await say(text);
    };
    await sweepRetention(broker, run('connect.retention'));
    expect(isSaid).toBe(true);
    expect(await idsOf(orgId)).toEqual([answered]);
    const stored = await MessageModel.find({ orgId }).sort({ seq: 1 }).lean();
    expect(stored.map(({ seq, text }) => [seq, text])).toEqual([
      [4, 'one'],
      [5, 'two'],
    ]);
  });

  test('leaves the files of a conversation that was answered after the sweep has read it', async () => {
    const orgId = newId('org');
    const first = await insertConversation({ orgId, messages: 2, files: 1, daysAgo: 99 });
    const answered = await insertConversation({ orgId, messages: 3, daysAgo: 40 });
    const at = new Date();
    const file = { _id: newId('obj'), orgId, folder: answered, byVisitor: false, fileName: 'a' };
    whenDeleted = async (keys) => {
      if (!keys.some((key) => key.startsWith(first))) return;
      whenDeleted = () => undefined;
      await AttachmentModel.create({ ...file, usedAt: at, claimedAt: null, createdAt: at });
      await ConversationModel.updateOne({ orgId, _id: answered }, { $set: { lastSeq: 4, activeAt: at } });
    };
    await sweepRetention(broker, run('connect.retention'));
    expect(await idsOf(orgId)).toEqual([answered]);
    expect(await AttachmentModel.exists({ orgId, _id: file._id })).not.toBeNull();
  });
});

describe('the erasure of a customer', () => {
  const erase = (orgId: string) =>
    call(broker, 'connect.customers.erase', { body: { orgId, identifiers: ['id:C-1'] } });

  /** Erases until it is complete; returns how many documents were there before each call, and after the last. */
  async function eraseInParts(orgId: string): Promise<number[]> {
    const sizes = [await sizeOf(orgId)];
    for (let isComplete = false; !isComplete; sizes.push(await sizeOf(orgId))) {
      const answer = await erase(orgId);
      expect(answer.erased).toBe(true);
      isComplete = answer.isComplete;
    }
    return sizes;
  }

  const sizeOf = async (orgId: string) => (await counts(orgId)).reduce((sum, count) => sum + count, 0);

  test('removes a great conversation in parts, and keeps what marks the rest until the end', async () => {
    const orgId = newId('org');
    const about = { orgId, identifiers: ['id:C-1'], daysAgo: 1 };
    const large = await insertConversation({ ...about, messages: 2500, files: 200 });
    const other = await insertConversation({ orgId, messages: 3, daysAgo: 1 });
    expect((await erase(orgId)).isComplete).toBe(false);
    expect((await idsOf(orgId)).sort()).toEqual([large, other].sort());
    const sizes = await eraseInParts(orgId);
    expect(sizes.length).toBeGreaterThan(2);
    for (const [call, size] of sizes.slice(1).entries()) expect(sizes[call]! - size).toBeLessThan(1500);
    expect(await idsOf(orgId)).toEqual([other]);
    expect(await counts(orgId)).toEqual([1, 2, 0]);
    expect(new Set(deleted).size).toBe(201);
  });

  test('removes the very many files of a visitor in parts, and the record of the visitor last', async () => {
    const orgId = newId('org');
    const [folder, at] = [newId('vis'), new Date()];
    await VisitorModel.create({
      ...{ _id: folder, orgId, siteId: newId('site'), person: 'user:C-1', userId: 'C-1', identifiers: ['id:C-1'] },
      ...{ createdAt: at, lastSeenAt: at },
    });
    const file = { orgId, folder, byVisitor: true, fileName: 'a', usedAt: null, claimedAt: null, createdAt: at };
    const files = Array.from({ length: 1100 }, () => ({ ...file, _id: newId('obj') }));
    await nativeCollection<AttachmentDocument>(AttachmentModel).insertMany(files);
    expect(await erase(orgId)).toEqual({ isComplete: false, erased: true });
    expect(await VisitorModel.countDocuments({ orgId })).toBe(1);
    expect(await erase(orgId)).toEqual({ isComplete: true, erased: true });
    expect(await VisitorModel.countDocuments({ orgId })).toBe(0);
    expect(await counts(orgId)).toEqual([0, 0, 0]);
    expect(new Set(deleted).size).toBe(1100);
  });
});

async function insertAgent(orgId: string, about: Partial<AgentDocument> = {}): Promise<AgentDocument> {
  const userId = newId('usr');
  const receipt = { orgId, counter: '', meter: 'connect.agentSeats', key: userId, nonce: '', amount: 1 } as const;
  const agent = {
    ...{ _id: agentKey(orgId, userId), orgId, userId, displayName: null, operation: userId, seat: `seat:${userId}` },
    ...{ receipt: { ...receipt, remembered: false }, state: 'active', seenAt: null, createdAt: new Date(), ...about },
  } as AgentDocument;
  await nativeCollection<AgentDocument>(AgentModel).insertOne(agent);
  return agent;
}

async function assign({ orgId, userId }: AgentDocument, conversations: number): Promise<void> {
  const one = await ConversationModel.findById(await insertConversation({ orgId, messages: 1, daysAgo: 1 }))
    .setOptions({ acrossTenants: true })
    .lean<ConversationDocument>();
  await nativeCollection<ConversationDocument>(ConversationModel).insertMany(
    Array.from({ length: conversations }, (_none, ordinal) => ({
      ...(one as ConversationDocument),
      ...{ _id: newId('conv'), ordinal: ordinal + 2, assigneeId: userId },
    })),
  );
}

const assigned = ({ orgId, userId }: AgentDocument) => ConversationModel.countDocuments({ orgId, assigneeId: userId });

describe('agents', () => {
  test('who leave release their seats beside one with very many conversations, whose removal the next run completes', async () => {
    const [first, second] = [newId('org'), newId('org')].sort() as [string, string];
    const busy = await insertAgent(first, { state: 'leaving' });
    const idle = await insertAgent(second, { state: 'leaving' });
    await assign(busy, 1300);
    await assign(idle, 3);
    whenReleased = () => controller.abort();
    await sweepRemovals(caller, run('connect.cleanup'));
    expect(released).toEqual([second]);
    expect(await assigned(idle)).toBe(0);
    expect(await assigned(busy)).toBe(800);
    expect(await AgentModel.countDocuments({ orgId: first, state: 'leaving' })).toBe(1);

    controller = new AbortController();
    whenReleased = () => undefined;
    await sweepRemovals(caller, run('connect.cleanup'));
    expect(await assigned(busy)).toBe(0);
    expect(released).toEqual([second, first]);
    expect(await AgentModel.countDocuments({ orgId: first })).toBe(0);
  });

  test('are counted in pages, without those whose removal takes several turns', async () => {
    const orgId = newId('org');
    const small = newId('org');
    for (let count = 0; count < 450; count += 1) await insertAgent(orgId);
    await insertAgent(small);
    const leaving = await insertAgent(orgId, { state: 'leaving' });
    await assign(leaving, 1300);
    await recountAllSeats(caller, run('connect.seats'));
    expect(gauges).toEqual({ [orgId]: 450, [small]: 1 });
    expect(await assigned(leaving)).toBe(0);
    expect(released).toEqual([orgId]);
  });

  test('are counted again while the gauge changes, up to a maximum', async () => {
    const orgId = newId('org');
    await insertAgent(orgId);
    refusals = 3;
    await recountAllSeats(caller, run('connect.seats'));
    expect(gauges).toEqual({ [orgId]: 1 });
    gauges = {};
    refusals = 100;
    await recountAllSeats(caller, run('connect.seats'));
    expect(gauges).toEqual({});
    expect(refusals).toBe(95);
  });
});
