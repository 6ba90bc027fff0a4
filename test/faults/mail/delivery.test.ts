import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import type { MessageDocument } from '../../../models/mail/message.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { eventually } from '../../support/until.ts';
import { type Behaviour, type FarEnd, startFarEnd } from './far-end.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'mail-faults-'));
process.env.DATA_DIR = folder;
process.env.SECRET_KEY = 'a secret key that only this test uses';
const { MessageModel } = await import('../../../models/mail/message.ts');
const { newMessage, sealBody } = await import('../../../services/mail/messages/store.ts');
const { newId } = await import('../../../lib/data/ids.ts');

let database: EmbeddedMongo;
let farEnd: FarEnd;
const farEndsOfWorkers: FarEnd[] = [];
const nodes = new Set<ChildProcess>();

beforeAll(async () => {
  database = await startEmbeddedMongo({ dir: join(folder, 'mongo') });
  await mongoose.connect(database.url, { dbName: 'platform', autoIndex: false, autoCreate: false });
  await MessageModel.createIndexes();
}, 60_000);
afterEach(async () => {
  for (const node of nodes) await kill(node);
  for (const one of [farEnd, ...farEndsOfWorkers.splice(0)]) await one?.close();
  await MessageModel.collection.deleteMany({});
});
afterAll(async () => {
  await mongoose.disconnect();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

async function startNode(to: FarEnd = farEnd, owner?: string): Promise<ChildProcess> {
  const entry = join(root, 'test/faults/mail/mail-node.ts');
  const node = spawn(process.execPath, [entry, database.url, to.url, ...(owner === undefined ? [] : [owner])], {
    env: process.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  nodes.add(node);
  await once(node.stdout!, 'data');
  return node;
}

async function kill(node: ChildProcess): Promise<void> {
  nodes.delete(node);
  if (node.exitCode !== null || node.signalCode !== null) return;
  const exited = once(node, 'exit');
  node.kill('SIGKILL');
  await exited;
}

/** Messages of several organizations; the ids are returned. */
async function add(count: number): Promise<string[]> {
  const documents = Array.from({ length: count }, (_, number) => {
    const _id = newId('msg');
    const to = `to-${number}@example.com`;
    const from = { name: 'Mugs', address: 'mail@mugs.example' };
    const named = { _id, orgId: `org_${number % 5}`, key: _id, to, recipient: to, from, subject: `Number ${number}` };
    return { ...newMessage(new Date()), ...named, sealedBody: sealBody({ text: `Text ${number}` }) };
  });
  await MessageModel.collection.insertMany(documents as never);
  return documents.map(({ _id }) => _id);
}

const everything = { acrossTenants: true };
const countOf = (status: MessageDocument['status']) => MessageModel.countDocuments({ status }).setOptions(everything);
const idOf = (messageId: string): string => messageId.slice(0, messageId.indexOf('@'));

/** Retries come at once, in place of minutes later, and so do the leases of dead nodes. */
async function hurry(): Promise<void> {
  const past = new Date(0);
  await MessageModel.collection.updateMany({ status: 'waiting' }, { $set: { nextAttemptAt: past } });
}

async function untilAll(status: MessageDocument['status'], count: number): Promise<void> {
  await eventually(async () => {
    await hurry();
    expect(await countOf(status)).toBe(count);
  }, 40_000);
}

describe('a far end', () => {
  test.each<[Behaviour, string]>([
    ['defer', 'defers with 451'],
    ['slow', 'is slow'],
    ['close', 'ends the connection instead of answering'],
  ])(
    'of which every third message (%s) %s still gets all, once',
    async (behaviour) => {
      farEnd = await startFarEnd((number) => (number % 3 === 0 && number < 30 ? behaviour : 'accept'));
      const ids = await add(40);
      await startNode();
      await untilAll('sent', ids.length);
      expect(farEnd.accepted.map(idOf).sort()).toEqual([...ids].sort());
    },
    90_000,
  );

  test('that accepts and then ends the connection gets those again, under the same Message-ID', async () => {
    let closed = 0;
    farEnd = await startFarEnd((number) => {
      if (number % 4 !== 0 || number >= 20) return 'accept';
      closed += 1;
      return 'accept-and-close';
    });
    const ids = await add(40);
    await startNode();
    await untilAll('sent', ids.length);
    expect(new Set(farEnd.accepted.map(idOf))).toEqual(new Set(ids));
    expect(farEnd.accepted.length).toBe(ids.length + closed);
  }, 90_000);

  test('that refuses with 550 gets those once, and they are dead letters', async () => {
    farEnd = await startFarEnd((_number, recipient) => (/[05]@/.test(recipient) ? 'refuse' : 'accept'));
    await add(40);
    await startNode();
    await untilAll('sent', 32);
    expect(await countOf('failed')).toBe(8);
    const dead = await MessageModel.findOne({ status: 'failed' }).setOptions(everything).lean();
    expect(dead).toMatchObject({ attempts: 1, lastFailure: 'refused', refundDue: false });
  }, 90_000);
});

describe('three nodes of which one is killed again and again', () => {
  const rounds = propertyCases(3, 10);
  const sends = propertyCases(150, 1000);

  /** A node whose mails arrive at a far end of its own. */
  type Worker = { owner: string; node: ChildProcess; to: FarEnd };

  let started = 0;
  async function startWorker(): Promise<Worker> {
    const to = await startFarEnd((number) => (number % 7 === 0 ? 'slow' : 'accept'));
    farEndsOfWorkers.push(to);
    started += 1;
    const owner = `worker_${started}_`;
    return { owner, node: await startNode(to, owner), to };
  }

  const acceptedByAll = () => farEndsOfWorkers.flatMap(({ accepted }) => accepted);

  /** The Message-IDs that were accepted more than once, at whichever far end. */
  function acceptedAgain(): string[] {
    const seen = new Set<string>();
    return acceptedByAll().filter((messageId) => seen.has(messageId) || !seen.add(messageId));
  }

  /** Ends the leases of a dead node, and of no other. */
  async function endLeases({ owner }: Worker): Promise<void> {
    const held = { status: 'sending', leaseOwner: { $regex: `^${owner}` } };
    await MessageModel.collection.updateMany(held, { $set: { nextAttemptAt: new Date(0) } });
  }

  test('deliver everything, and twice only what the far end had accepted before the kill', async () => {
    const workers = [await startWorker(), await startWorker(), await startWorker()];
    let expected = 0;
    for (let round = 0; round < rounds; round += 1) {
      const [before, again] = [acceptedByAll().length, acceptedAgain()];
      expected += (await add(sends)).length;
      await eventually(() => expect(acceptedByAll().length).toBeGreaterThan(before + sends / 3), 60_000);
      const victim = workers.shift()!;
      await kill(victim.node);
      // What it had sent is accepted when its connections have ended; until then nothing is taken over.
      await eventually(() => expect(victim.to.connected()).toBe(0));
      expect(acceptedAgain()).toEqual(again);
      const acceptedBefore = new Set(victim.to.accepted);
      workers.push(await startWorker());
      await eventually(async () => {
        await endLeases(victim);
        expect(await countOf('sent')).toBe(expected);
      }, 90_000);
      const duplicates = acceptedAgain().filter((messageId) => !again.includes(messageId));
      expect(duplicates.filter((messageId) => !acceptedBefore.has(messageId))).toEqual([]);
      expect(new Set(duplicates).size).toBe(duplicates.length);
    }
    // A message that goes again has the Message-ID that it had.
    const messageIds = new Set(acceptedByAll());
    expect([messageIds.size, new Set([...messageIds].map(idOf)).size]).toEqual([expected, expected]);
  }, 600_000);
});
