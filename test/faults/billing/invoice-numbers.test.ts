import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import { newId } from '../../../lib/data/ids.ts';
import { connectOwnDatabase, type OwnDatabase } from '../../support/own-database.ts';

let database: OwnDatabase;
beforeAll(async () => {
  database = await connectOwnDatabase();
});
afterAll(() => database.close());

const [dbName, orgId, count] = ['invoices-killed', newId('org'), 60];

function startNode(stride: number): ChildProcess {
  const file = join(import.meta.dirname, 'invoice-node.ts');
  return spawn(process.execPath, [file, database.url, dbName, orgId, String(count), String(stride)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function killAfter(node: ChildProcess, lines: number): Promise<void> {
  const exited = once(node, 'exit');
  let seen = 0;
  for await (const _line of createInterface({ input: node.stdout! })) {
    seen += 1;
    if (seen === lines) node.kill('SIGKILL');
  }
  await exited;
}

test('the numbers of an issuer have no gap and none twice when nodes are killed while they take them', async () => {
  const collection = mongoose.connection.getClient().db(dbName).collection('billing_invoices');
  await collection.createIndex({ series: 1, sequence: 1 }, { unique: true });
  for (const lives of [8, 20, 35]) {
    const nodes = [7, 11, 59].map(startNode);
    await Promise.all(nodes.map((node) => killAfter(node, lives)));
  }
  const last = startNode(1);
  expect(await once(last, 'exit')).toEqual([0, null]);
  const stored = await collection.find({}).sort({ sequence: 1 }).toArray();
  expect(stored.map(({ sequence }) => sequence)).toEqual(Array.from({ length: count }, (_, place) => place + 1));
  expect(new Set(stored.map(({ key }) => key)).size).toBe(count);
  expect(stored.every(({ status }) => status === 'open')).toBe(true);
}, 120_000);
