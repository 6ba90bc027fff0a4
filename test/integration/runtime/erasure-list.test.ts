import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ErasureRecord } from '../../../lib/data/erasure-records.ts';
import { newId } from '../../../lib/data/ids.ts';
import { ownContextDatabase } from '../../support/context-database.ts';
import { propertyCases } from '../../support/property-cases.ts';

const folder = mkdtempSync(join(tmpdir(), 'erasure-list-'));
process.env.DATA_DIR = folder;
const { ErasureRecordModel, recordErasure, sealIdentifiers } = await import('../../../lib/data/erasure-records.ts');
const { recordsOf, requireSoundList, saveList } = await import('../../../runtime/erasure-list.ts');
const { StartError } = await import('../../../lib/settings/start-error.ts');

ownContextDatabase();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function newFile(): string {
  files += 1;
  return join(folder, `list-${files}`);
}

async function savedList(): Promise<string> {
  const file = newFile();
  const orgId = newId('org');
  const erasedAt = new Date('2026-01-31T12:00:00.123Z');
  const identifiers = sealIdentifiers(['email:ada@example.com']);
  await recordErasure({ _id: newId('req'), kind: 'customer', orgId, identifiers, erasedAt });
  await recordErasure({ _id: newId('usr'), kind: 'user', orgId: null, identifiers: null, erasedAt });
  await recordErasure({ _id: orgId, kind: 'organization', orgId, identifiers: null, erasedAt });
  await saveList(file, 'database-1');
  return file;
}

describe('a saved list of erasures', () => {
  test('has every record as it is stored, and no identifier in plain text', async () => {
    const file = await savedList();
    expect(await requireSoundList(file)).toBe('database-1');
    const stored = await ErasureRecordModel.find({}, null, { acrossTenants: true })
      .sort({ erasedAt: 1, _id: 1 })
      .lean();
    const listed: ErasureRecord[] = [];
    for await (const record of recordsOf(file)) listed.push(record);
    expect(listed).toEqual(stored);
    expect(readFileSync(file, 'utf8')).not.toContain('ada@example.com');
    expect(readdirSync(folder).filter((name) => name.endsWith('.unfinished'))).toEqual([]);
  });

  test('is refused with a sentence when anything of it was changed, taken away, added or moved', async () => {
    const bytes = readFileSync(await savedList());
    const lines = bytes.toString().split('\n').slice(0, -1);
    const joined = (some: string[]) => Buffer.from(some.map((line) => `${line}\n`).join(''));
    const place = fc.nat(bytes.length - 2);
    const line = fc.nat(lines.length - 1);
    const spoilt = fc.oneof(
      fc.tuple(place, fc.integer({ min: 1, max: 255 })).map(([at, bits]) => {
        const changed = Buffer.from(bytes);
        changed[at]! ^= bits;
        return changed;
      }),
      place.map((length) => bytes.subarray(0, length)),
      line.map((at) => joined(lines.toSpliced(at, 1))),
      fc.tuple(line, line).map(([from, to]) => joined(lines.toSpliced(to, 0, lines[from]!))),
      fc
        .tuple(line, line)
        .filter(([from, to]) => from !== to)
        .map(([from, to]) => joined(lines.with(to, lines[from]!).with(from, lines[to]!))),
      fc.string().map((text) => Buffer.concat([bytes, Buffer.from(`${text}\n`)])),
    );
    await fc.assert(
      fc.asyncProperty(spoilt, async (changed) => {
        const file = newFile();
        writeFileSync(file, changed);
        await expect(requireSoundList(file)).rejects.toThrow(StartError);
      }),
      { numRuns: propertyCases(100, 3_000), endOnFailure: true },
    );
  });

  test('of a newer version is refused', async () => {
    const file = await savedList();
    writeFileSync(file, readFileSync(file, 'utf8').replace('"version":1', '"version":2'));
    await expect(requireSoundList(file)).rejects.toThrow('newer version');
  });
});
