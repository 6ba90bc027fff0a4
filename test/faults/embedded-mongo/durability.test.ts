import { randomInt } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../integration/embedded-mongo/support/folder.ts';
import { runProgram } from '../../integration/embedded-mongo/support/process.ts';
import { withServer } from '../../integration/embedded-mongo/support/server.ts';

describe('a server that is killed while 16 connections write', () => {
  const folder = temporaryFolder();
  const killings = Array.from({ length: 5 }, () => randomInt(40, 600));

  test(`has everything it acknowledged, killed after ${killings.join(', ')} acknowledgements`, async () => {
    const dir = join(folder, 'killed');
    const inserted = new Set<string>();
    const updated = new Set<string>();

    for (const [round, acknowledgements] of killings.entries()) {
      const program = runProgram('write-forever.ts', [dir]);
      await program.printed((_, count) => count >= acknowledgements);
      await program.kill('SIGKILL');
      for (const line of program.lines) {
        const [what, id] = line.split(' ') as ['inserted' | 'updated', string];
        (what === 'inserted' ? inserted : updated).add(id);
      }

      await withServer(dir, async ({ server, items }) => {
        const found = await items.find().toArray();
        const counts = new Map(found.map(({ _id, count }) => [String(_id), count as number]));
        expect([...inserted].filter((id) => !counts.has(id))).toEqual([]);
        expect([...updated].filter((id) => counts.get(id) !== 1)).toEqual([]);
        expect(counts.size).toBe(found.length);
        // A backup compares every index with the documents.
        await server.backup(join(folder, `after-${round}`));
      });
    }
    expect(inserted.size).toBeGreaterThan(100);
  });
});

test('a process that exits without closing its database leaves the log, as one that is killed', async () => {
  const dir = temporaryFolder();
  const program = runProgram('write-forever.ts', [dir]);
  await program.printed((_, count) => count >= 200);
  await program.kill('SIGTERM');
  expect(statSync(join(dir, 'data.db-wal')).size).toBeGreaterThan(0);
  const inserted = program.lines.filter((line) => line.startsWith('inserted')).map((line) => line.split(' ')[1]);
  const found = await withServer(dir, ({ items }) => items.find({}, { projection: { _id: 1 } }).toArray());
  const ids = new Set(found.map(({ _id }) => String(_id)));
  expect(inserted.filter((id) => !ids.has(String(id)))).toEqual([]);
});

test('what was acknowledged is there after an orderly end', async () => {
  const dir = temporaryFolder();
  await withServer(dir, ({ items }) => items.insertMany([{ _id: 1 as never }, { _id: 2 as never }]));
  expect(await withServer(dir, ({ items }) => items.countDocuments())).toBe(2);
});
