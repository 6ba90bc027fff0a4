import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../integration/embedded-mongo/support/folder.ts';
import { runProgram } from '../../integration/embedded-mongo/support/process.ts';
import { withClient, withServer } from '../../integration/embedded-mongo/support/server.ts';

const documents = 60_000;

/** How many records the unfinished build has keys of. */
function builtTo(dir: string): number {
  const database = new DatabaseSync(join(dir, 'data.db'));
  try {
    return Number(database.prepare('SELECT max(position) AS position FROM index_builds').get()?.position);
  } finally {
    database.close();
  }
}

test('an index whose build was killed is finished by the next start, from where it was', async () => {
  const dir = temporaryFolder();
  const program = runProgram('serve.ts', [dir]);
  const url = await program.printed((line) => line.startsWith('mongodb:'));
  await withClient(url, async (client) => {
    const items = client.db('test').collection('items');
    await items.insertMany(Array.from({ length: documents }, (_, n) => ({ _id: n as never, text: `text ${n}` })));
    items.createIndex({ text: 1 }, { unique: true }).catch(() => {});
    for (let isBuilding = false; !isBuilding; ) {
      const { inprog } = await client.db('admin').command({ currentOp: 1 });
      isBuilding = inprog.some(({ command }: { command: object }) => 'createIndexes' in command);
    }
    await program.kill('SIGKILL');
  });
  const position = builtTo(dir);
  expect(position).toBeGreaterThan(0);
  expect(position).toBeLessThan(documents);

  await withServer(dir, async ({ server, items }) => {
    // What is refused by a finished index is refused while it is built: the key is there, or will be.
    await items.insertOne({ _id: -1 as never, text: 'late' });
    await items.createIndex({ text: 1 }, { unique: true });
    expect(await items.indexes()).toMatchObject([{ name: '_id_' }, { name: 'text_1', unique: true }]);
    const { executionStats } = await items.find({ text: 'text 7' }).explain('executionStats');
    expect(executionStats).toMatchObject({ nReturned: 1, totalKeysExamined: 1 });
    expect(await items.countDocuments({ text: 'late' })).toBe(1);
    // A backup compares every index with the documents.
    await server.backup(join(temporaryFolder(), 'backup'));
  });
  expect(builtTo(dir)).toBe(0);
});
