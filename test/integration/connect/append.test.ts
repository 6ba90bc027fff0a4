import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { newId } from '../../../lib/data/ids.ts';
import { type ConversationDocument, ConversationModel } from '../../../models/connect/conversation.ts';
import { type MessageDocument, MessageModel } from '../../../models/connect/message.ts';
import type { VisitorDocument } from '../../../models/connect/visitor.ts';
import { append, type Draft } from '../../../services/connect/conversations/append.ts';
import { findPresent } from '../../../services/connect/conversations/conversations.ts';
import { markRead, readMessages } from '../../../services/connect/conversations/messages.ts';
import { postOfVisitor } from '../../../services/connect/conversations/post-to-visitor.ts';
import { connectOwnDatabase, type OwnDatabase } from '../../support/own-database.ts';
import { propertyCases, propertyTimeout } from '../../support/property-cases.ts';

/*
 * Writers of several nodes: each has a lane of its own, so that they meet at the database alone. A node that dies at a
 * write, before it or before its answer, is a write that throws; its client sends the message again.
 */

let database: OwnDatabase;

beforeAll(async () => {
  database = await connectOwnDatabase(ConversationModel, MessageModel);
});

afterAll(() => database.close());
afterEach(() => {
  jest.restoreAllMocks();
});

class Died extends Error {}

type Method = 'insertOne' | 'findOneAndUpdate';
type Collection = Record<Method, (...args: unknown[]) => Promise<unknown>>;

/** Lets the process die at some of the writes: `chance` gives false, or whether it dies after the write. */
function dieAtWrites(chance: () => 'before' | 'after' | null): void {
  for (const model of [ConversationModel, MessageModel]) {
    const collection = model.collection as unknown as Collection;
    for (const method of ['insertOne', 'findOneAndUpdate'] as const) {
      const write = collection[method].bind(collection);
      jest.spyOn(collection, method).mockImplementation(async (...args) => {
        const death = chance();
        if (death === 'before') throw new Died();
        const result = await write(...args);
        if (death === 'after') throw new Died();
        return result;
      });
    }
  }
}

/** Sends until it is acknowledged, as a client does; gives up its patience when it has to try too often. */
async function untilAcknowledged<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < 200; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Died)) throw error;
    }
  }
  throw new Error('It was never acknowledged.');
}

const visitorOf = (orgId: string): VisitorDocument => ({
  _id: newId('vis'),
  orgId,
  siteId: newId('site'),
  person: newId('vis'),
  userId: null,
  name: 'Jean',
  email: null,
  identifiers: [],
  locale: null,
  network: null,
  createdAt: new Date(),
  lastSeenAt: new Date(),
});

const draftOf = (echoId: string, isNote: boolean): Draft => ({
  id: newId('cmsg'),
  echoKey: `agent:${echoId}`,
  author: { type: 'agent', id: 'usr_1', name: 'Grace' },
  text: echoId,
  attachments: [],
  isNote,
});

/** An agent's message, on a node of its own. */
async function answer(orgId: string, visitorId: string, node: string, echoId: string, isNote: boolean) {
  return await append(orgId, `${node}:${visitorId}`, draftOf(echoId, isNote), async () => {
    const present = await findPresent(orgId, visitorId);
    return { append: present!, changes: { status: 'open' } };
  });
}

async function readAll(conversation: ConversationDocument, field: 'seq' | 'publicSeq'): Promise<MessageDocument[]> {
  const all: MessageDocument[] = [];
  for (let hasMore = true; hasMore; ) {
    const page = await readMessages(conversation, field, { after: all.at(-1)?.[field] ?? 0, limit: 7 });
    all.push(...page.messages);
    hasMore = page.hasMore;
  }
  return all;
}

const upTo = (count: number) => Array.from({ length: count }, (_none, at) => at + 1);

/** What a sender does: on which of three nodes, and what. */
const sent = fc.record({
  node: fc.constantFrom('a', 'b', 'c'),
  kind: fc.constantFrom('answer' as const, 'note' as const, 'visitor' as const),
});

describe('messages of several nodes that die at their writes', () => {
  test(
    'are each stored once, under numbers without gaps, in the order in which all read them',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(sent, { minLength: 1, maxLength: 25 }),
          fc.infiniteStream(fc.integer({ min: 0, max: 9 })),
          async (all, chances) => {
            const [orgId, visitor] = [newId('org'), visitorOf(newId('org'))];
            visitor.orgId = orgId;
            await postOfVisitor(visitor, { id: newId('cmsg'), echoKey: 'first', text: 'first', attachments: [] });
            dieAtWrites(() => {
              const chance = chances.next().value;
              if (chance === 0) return 'before';
              return chance === 1 ? 'after' : null;
            });
            const acknowledged = await Promise.all(
              all.map(({ node, kind }, at) =>
                untilAcknowledged(() =>
                  kind === 'visitor'
                    ? postOfVisitor(visitor, {
                        id: newId('cmsg'),
                        echoKey: `visitor:${at}`,
                        text: `${at}`,
                        attachments: [],
                      })
                    : answer(orgId, visitor._id, node, `${at}`, kind === 'note'),
                ),
              ),
            );
            jest.restoreAllMocks();
            const conversation = (await findPresent(orgId, visitor._id))!;
            expect(await ConversationModel.countDocuments({ orgId })).toBe(1);
            const stored = await readAll(conversation, 'seq');
            expect(stored.map(({ seq }) => seq)).toEqual(upTo(all.length + 1));
            expect(stored.map(({ text }) => text).toSorted()).toEqual(['first', ...all.keys()].map(String).toSorted());
            for (const { message } of acknowledged) {
              expect(stored[message.seq - 1]).toMatchObject({ _id: message._id, text: message.text });
            }
            const shown = await readAll(conversation, 'publicSeq');
            expect(shown.map(({ publicSeq }) => publicSeq)).toEqual(upTo(shown.length));
            expect(shown).toEqual(stored.filter(({ publicSeq }) => publicSeq !== null));
            const ofVisitor = stored.filter(({ author }) => author.type === 'visitor').length;
            expect(conversation).toMatchObject({
              agentUnread: ofVisitor,
              visitorUnread: shown.length - ofVisitor,
              lastSeq: stored.length,
              lastPublicSeq: shown.length,
            });
          },
        ),
        { numRuns: propertyCases(5, 400), endOnFailure: true },
      );
    },
    propertyTimeout,
  );

  test('begin one conversation between them, also where each node sends the first message', async () => {
    const visitor = visitorOf(newId('org'));
    const { orgId, _id: visitorId } = visitor;
    let count = 0;
    dieAtWrites(() => {
      count += 1;
      return count % 3 === 0 ? 'after' : null;
    });
    const first = (at: number) =>
      append(orgId, `node ${at}`, draftOf(`${at}`, false), async () => {
        const present = await findPresent(orgId, visitorId);
        const { siteId, userId: customerId, identifiers } = visitor;
        const created = { _id: newId('conv'), orgId, siteId, visitorId, customerId, customerName: 'Jean', identifiers };
        return present ? { append: present, changes: {} } : { create: { ...created, ordinal: 1 } };
      });
    await Promise.all(upTo(10).map((at) => untilAcknowledged(() => first(at))));
    jest.restoreAllMocks();
    expect(await ConversationModel.countDocuments({ orgId, visitorId })).toBe(1);
    const stored = await readAll((await findPresent(orgId, visitorId))!, 'seq');
    expect(stored.map(({ seq }) => seq)).toEqual(upTo(10));
  });

  test('are added once however often one is sent at the same time', async () => {
    const visitor = visitorOf(newId('org'));
    const { orgId } = visitor;
    await postOfVisitor(visitor, { id: newId('cmsg'), echoKey: 'first', text: 'first', attachments: [] });
    const answers = await Promise.all(upTo(20).map((at) => answer(orgId, visitor._id, `node ${at}`, 'same', false)));
    expect(new Set(answers.map(({ message }) => message._id)).size).toBe(1);
    expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect((await findPresent(orgId, visitor._id))!.lastSeq).toBe(2);
  });
});

describe('what is read', () => {
  test('is counted exactly while messages arrive', async () => {
    const visitor = visitorOf(newId('org'));
    const { orgId, _id: visitorId } = visitor;
    const say = (at: number) =>
      postOfVisitor(visitor, { id: newId('cmsg'), echoKey: `v${at}`, text: `${at}`, attachments: [] });
    await say(0);
    const conversation = (await findPresent(orgId, visitorId))!;
    await Promise.all([
      ...upTo(12).map(say),
      ...upTo(6).map((at) => answer(orgId, visitorId, 'other', `${at}`, at % 2 === 0)),
      ...upTo(12).map((seq) => markRead(conversation, 'agent', seq)),
      ...upTo(4).map((seq) => markRead(conversation, 'visitor', seq)),
    ]);
    const { agentReadSeq, visitorReadPublicSeq, ...after } = (await findPresent(orgId, visitorId))!;
    const stored = await readAll(after as ConversationDocument, 'seq');
    const isOfVisitor = ({ author }: MessageDocument) => author.type === 'visitor';
    expect(after.agentUnread).toBe(stored.filter((one) => isOfVisitor(one) && one.seq > agentReadSeq).length);
    const unseen = stored.filter(({ publicSeq }) => publicSeq !== null && publicSeq > visitorReadPublicSeq);
    expect(after.visitorUnread).toBe(unseen.filter((one) => !isOfVisitor(one)).length);
  });
});
