import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../integration/embedded-mongo/support/folder.ts';
import { runProgram } from '../../integration/embedded-mongo/support/process.ts';
import { withServer } from '../../integration/embedded-mongo/support/server.ts';

const fileLimitKibibytes = 2048;

test('a full disk refuses writes, keeps what was acknowledged, and is left whole', async () => {
  const folder = temporaryFolder();
  const dir = join(folder, 'full');
  const program = runProgram('fill-disk.ts', [dir], fileLimitKibibytes);
  const outcome = JSON.parse(await program.printed((line) => line.startsWith('{')));
  await program.kill('SIGKILL');

  const acknowledged = program.lines.filter((line) => /^\d+$/.test(line)).map(Number);
  expect(outcome).toMatchObject({
    code: 14031,
    message: expect.stringContaining('the disk is full'),
    found: 0,
    again: 14031,
  });
  expect(outcome.stored).toBeGreaterThanOrEqual(acknowledged.length);
  expect(acknowledged.length).toBeGreaterThan(100);

  await withServer(dir, async ({ server, items }) => {
    const ids = new Set((await items.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => Number(_id)));
    expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
    await items.insertOne({ room: 'again' });
    // A backup compares every index with the documents.
    await server.backup(join(folder, 'backup'));
  });
});
