import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import type { MessageDocument } from '../../../models/mail/message.ts';
import { type Behaviour, type FarEnd, startFarEnd } from '../../support/far-end.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { eventually } from '../../support/until.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'mail-faults-'));
process.env.DATA_DIR = folder;
process.env.SECRET_KEY = 'a secret key that only this test uses';
const { MessageModel } = await import('../../../models/mail/message.ts');
const { newMessage, sealBody } = await import('../../../services/mail/messages/store.ts');
const { newId } = await import('../../../lib/ids.ts');

let database: EmbeddedMongo;
let farEnd: FarEnd;
const nodes = new Set<ChildProcess>();

beforeAll(async () => {
  database = await startEmbeddedMongo({ dir: join(folder, 'mongo') });
  await mongoose.connect(database.url, { dbName: 'platform', autoIndex: false, autoCreate: false });
  await MessageModel.createIndexes();
}, 60_000);
afterEach(async () => {
  for (const node of nodes) await kill(node);
  await farEnd.close();
  await MessageModel.collection.deleteMany({});
});
afterAll(async () => {
  await mongoose.disconnect();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

async function startNode(): Promise<ChildProcess> {
  const entry = join(root, 'test/support/mail-node.ts');
  const node = spawn(process.execPath, [entry, database.url, farEnd.url], {
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
  const sends = propertyCases(300, 1000);

  test('deliver everything, and twice only what the far end had accepted before the kill', async () => {
    farEnd = await startFarEnd((number) => (number % 7 === 0 ? 'slow' : 'accept'));
    const heldAtKills = new Set<string>();
    let expected = 0;
    const workers = [await startNode(), await startNode(), await startNode()];
    for (let round = 0; round < rounds; round += 1) {
      const before = farEnd.accepted.length;
      expected += (await add(sends)).length;
      await eventually(() => expect(farEnd.accepted.length).toBeGreaterThan(before + sends / 3), 60_000);
      const [victim] = workers.splice(0, 1);
      await kill(victim!);
      await wait(50);
      const held = await MessageModel.find({ status: 'sending' }, { _id: 1 }).setOptions(everything).lean();
      for (const { _id } of held) heldAtKills.add(_id);
      workers.push(await startNode());
      // What the dead node held is taken over at the end of its lease, which is now.
      await eventually(async () => {
        await hurry();
        const stuck = { status: 'sending', _id: { $in: held.map(({ _id }) => _id) } };
        await MessageModel.collection.updateMany(stuck as never, { $set: { nextAttemptAt: new Date(0) } });
        expect(await countOf('sent')).toBe(expected);
      }, 90_000);
    }
    const counts = new Map<string, number>();
    for (const messageId of farEnd.accepted) counts.set(idOf(messageId), (counts.get(idOf(messageId)) ?? 0) + 1);
    expect(counts.size).toBe(expected);
    const twice = [...counts].filter(([, count]) => count > 1).map(([id]) => id);
    expect(twice.filter((id) => !heldAtKills.has(id))).toEqual([]);
  }, 600_000);
});
