import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { type Client, clientOf } from '../../support/client.ts';
import { freePort } from '../../support/free-port.ts';
import { runJob } from '../../support/operator.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { storageOf } from '../../support/storage-client.ts';
import { createTenant, databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';

const rounds = propertyCases(3, 10);
const uploadsOfRound = 200;
const atOnce = 16;

type Acknowledged = Map<string, string>;

/** Uploads until the process is killed; an upload counts when it was answered 200. */
async function uploadUntilKilled(client: Client, round: number, platform: Platform): Promise<Acknowledged> {
  const storage = await storageOf(client);
  const acknowledged: Acknowledged = new Map();
  let next = 0;
  const killAt = 20 + round * 15;
  const lane = async () => {
    while (next < uploadsOfRound) {
      const number = next;
      next += 1;
      // Some replace what an earlier round has uploaded.
      const key = number % 5 === 0 ? `shared/${number}.txt` : `${round}/${number}.txt`;
      const content = `${round} ${number} ${'x'.repeat(number * 37)}`;
      const answer = await storage.put(client.orgId, key, content).catch(() => null);
      if (answer === null) return;
      if (answer.status === 200) acknowledged.set(key, content);
      if (acknowledged.size === killAt) await platform.kill();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return acknowledged;
}

type Counter = { open: Record<string, object>; used: number; held: number };
type Stored = { file: string | null; size: number };
type Document = Stored & { bucketId: string; former: (Stored & { isReleased: boolean })[] };

/** Has the sweeps do what they do once leases have expired and readers are gone. */
async function sweepAsLater(platform: Platform): Promise<void> {
  const past = new Date(0);
  await withDatabase(await databaseUrlOf(platform), async (database) => {
    await database.collection('storage_uploads').updateMany({}, { $set: { dueAt: past } });
    const objects = database.collection('storage_objects');
    for (const { _id, former } of await objects.find({ formerSince: { $ne: null } }).toArray()) {
      const ended = former.map((_version: object, at: number) => [`former.${at}.endedAt`, past]);
      await objects.updateOne({ _id }, { $set: { ...Object.fromEntries(ended), formerSince: past } });
    }
    const counters = database.collection<Counter & { _id: string }>('billing_counters');
    for (const { _id, open } of await counters.find({ held: { $gt: 0 } }).toArray()) {
      const expired = Object.keys(open).map((slot) => [`open.${slot}.until`, past]);
      await counters.updateOne({ _id }, { $set: { ...Object.fromEntries(expired), dueAt: past } });
    }
  });
  const sweeps = ['storage.uploads', 'storage.buckets', 'storage.cleanup'];
  for (const name of ['storage.recount', ...sweeps, 'billing.reservations']) {
    await runJob(platform.url, name);
  }
}

/** The files in the folder, what is counted, and what the objects say that both should be. */
async function countOf(platform: Platform, orgId: string) {
  return await withDatabase(await databaseUrlOf(platform), async (database) => {
    const counter = await database
      .collection<Counter & { _id: string }>('billing_counters')
      .findOne({ _id: `${orgId}:storage.storageGb:gauge` });
    const objects = await database.collection<Document>('storage_objects').find({ orgId }).toArray();
    const versions = objects.flatMap(({ bucketId, file, size, former }) => [
      ...(bucketId === 'deleted' ? [] : [{ file, size, isReleased: false }]),
      ...former,
    ]);
    const folder = join(platform.dataDir, 'objects', 'files');
    const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return {
      files: found.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).sort(),
      used: counter!.used,
      held: counter!.held,
      stored: {
        files: versions.flatMap(({ file }) => file ?? []).sort(),
        bytes: versions.reduce((sum, { size, isReleased }) => sum + (isReleased ? 0 : size), 0),
      },
    };
  });
}

const dataDir = mkdtempSync(join(tmpdir(), 'storage-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

describe('a process that is killed during uploads', () => {
  test(
    'loses and tears none that was acknowledged, and its quota and files are right in the end',
    async () => {
      const ports = [freePort(), freePort()];
      const env = {
        PORT: `${ports[0]}`,
        PUBLIC_URL: `http://127.0.0.1:${ports[0]}`,
        STORAGE_PORT: `${ports[1]}`,
        STORAGE_URL: `http://127.0.0.1:${ports[1]}`,
      };
      let platform = await startPlatform({ env, dataDir });
      const tenant = await createTenant(await databaseUrlOf(platform), { plan: 'scale' });
      const client = clientOf({ url: platform.url, ...tenant });
      const all: Acknowledged = new Map();
      for (let round = 0; round < rounds; round += 1) {
        const acknowledged = await uploadUntilKilled(client, round, platform);
        await platform.kill();
        platform = await startPlatform({ env, dataDir });
        const storage = await storageOf(client);
        for (const [key, content] of acknowledged) {
          all.set(key, content);
          const { status, text } = await eventually(async () => {
            const answer = await storage.get(client.orgId, key);
            expect(answer.status).not.toBe(503);
            return answer;
          });
          expect({ key, status }).toEqual({ key, status: 200 });
          // One that was not acknowledged may have replaced it.
          const isWhole = text === content || new RegExp(`^${round} ${/\d+(?=\.txt)/.exec(key)} x*$`).test(text);
          expect({ key, isWhole }).toEqual({ key, isWhole: true });
        }
      }
      expect(all.size).toBeGreaterThan(rounds * 20);
      await platform.stop();
      platform = await startPlatform({ env, dataDir, entry: 'test/support/operated-platform.ts' });
      await sweepAsLater(platform);
      // The sweep of each minute may be at work as well: it removes the file of a former version before it is forgotten.
      await eventually(async () => {
        const { files, used, held, stored } = await countOf(platform, client.orgId);
        expect(files).toEqual(stored.files);
        expect({ used, held }).toEqual({ used: stored.bytes, held: 0 });
      });
      await platform.stop();
    },
    10 * 60_000,
  );
});
