import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { CustomerDocument } from '../../../models/context/customer.ts';
import { composerVersion } from '../../../services/context/story/state.ts';
import { composeStory } from '../../../services/context/story/story.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { databaseUrlOf, withDatabase } from '../../support/database.ts';
import type { Event } from '../../support/events.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import {
  longCustomer,
  longHistory,
  releaseEvent,
  shortCustomers,
  storiesFile,
  unpackRelease,
} from '../../support/release-data.ts';
import { until } from '../../support/until.ts';

const nextComposer = join(import.meta.dirname, '..', '..', 'support', 'next-composer.js');

let dataDir: string;
let released: Record<string, unknown>;
let databaseUrl: string;
/** Of this tree's version of the composer. */
let older: Platform;
/** Of the version after it. */
let newer: Platform;
let sent: Event[];

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'versions-'));
  unpackRelease(dataDir);
  released = JSON.parse(readFileSync(join(dataDir, storiesFile), 'utf8'));
  older = await startPlatform({ dataDir });
  databaseUrl = await databaseUrlOf(older);
  const { orgId } = older.firstRun;
  sent = Array.from({ length: longHistory }, (_none, number) => releaseEvent(orgId, longCustomer, number));
});
afterAll(async () => {
  await older.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const clientTo = ({ url }: Platform): Client =>
  clientOf({ url, orgId: older.firstRun.orgId, apiKey: older.firstRun.apiKey });

const read = (platform: Platform, customerId: string) =>
  clientTo(platform).attempt('context.story.read', { path: { customerId }, query: {} });

async function send(platform: Platform, event: Event): Promise<void> {
  await clientTo(platform).call('context.events.create', { body: event });
  sent.push(event);
}

const startNewer = (): Promise<Platform> =>
  startPlatform({
    env: {
      MONGO_URL: databaseUrl,
      SMTP_URL: 'none',
      SECRET_KEY: readFileSync(join(dataDir, 'secret-key'), 'utf8').trim(),
      NODE_OPTIONS: `--import ${nextComposer}`,
    },
  });

/** The story of all events that were sent about the long customer, folded in this process. */
const toldOf = () => {
  const events = sent.map((event) => ({ ...event, occurredAt: new Date(event.occurredAt) }));
  return composeStory(longCustomer, events as never);
};

const storedCustomers = (): Promise<CustomerDocument[]> =>
  withDatabase(databaseUrl, async (database) => {
    const customers = database.collection<CustomerDocument>('context_customers');
    return await customers.find({ mergedInto: null }, { sort: { _id: 1 } }).toArray();
  });
const storedLong = async () =>
  (await storedCustomers()).find(({ foldState }) => foldState?.includes(`"customerId":"${longCustomer}"`));

const isRead = (platform: Platform) => async () => (await read(platform, longCustomer)).status === 200;

describe('the data folder of the last release, whose composer is of the version before', () => {
  test('tells the same stories after they are composed again, and the folds of the release are kept', async () => {
    const before = await storedCustomers();
    for (const customerId of [longCustomer, ...shortCustomers]) {
      await until(async () => (await read(older, customerId)).status === 200);
      expect(await read(older, customerId)).toMatchObject({ status: 200, body: released[customerId] });
    }
    const kept = before.map(({ _id, composerVersion: version, foldState, checkpoints }) => {
      expect(version).toBe(composerVersion - 1);
      return { _id, composerVersion, previousFold: { composerVersion: version, foldState, checkpoints } };
    });
    expect(await storedCustomers()).toMatchObject(kept);
  });
});

describe('a pool with two versions of the composer', () => {
  test('answers from both, and neither replaces the fold of the other', async () => {
    newer = await startNewer();
    // The newer version folds the history once, and the older one goes on where it was.
    await until(isRead(newer));
    const statuses: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const [sender, other] = round % 2 === 0 ? [older, newer] : [newer, older];
      // One that continues the folds, and one that comes late.
      await send(sender, releaseEvent(older.firstRun.orgId, longCustomer, longHistory + 10 + round));
      await send(other, lateEvent(round));
      for (const platform of [sender, other]) {
        const { status, body } = await read(platform, longCustomer);
        statuses.push(status);
        expect(body).toEqual(toldOf());
      }
      const stored = await storedLong();
      expect(stored).toMatchObject({ composerVersion: composerVersion + 1, previousFold: { composerVersion } });
      // The folds of the next version have another field for the number of events.
      expect(JSON.parse(stored!.foldState!).state).toMatchObject({ countOfEvents: expect.any(Number) });
      expect(JSON.parse(stored!.previousFold!.foldState!).state).toMatchObject({ eventCount: expect.any(Number) });
    }
    expect(statuses).toEqual(Array.from(statuses, () => 200));
  });

  test('composes in the background what nodes of the other version have accepted', async () => {
    await send(older, releaseEvent(older.firstRun.orgId, longCustomer, longHistory + 30));
    const hasAll = async () => {
      const stored = await storedLong();
      return stored?.composeAt === null && JSON.parse(stored.foldState ?? '').state.countOfEvents === sent.length;
    };
    await until(hasAll);
  });

  test('tells a customer to the older nodes whom only the newer ones have composed', async () => {
    const { orgId } = older.firstRun;
    const event = releaseEvent(orgId, 'customer-new', 1);
    await clientTo(newer).call('context.events.create', { body: event });
    const [byNewer, byOlder] = [await read(newer, 'customer-new'), await read(older, 'customer-new')];
    expect(byNewer.status).toBe(200);
    expect(byOlder).toMatchObject({ status: 200, body: byNewer.body });
  });

  test('goes back to the older version without its nodes composing all again', async () => {
    await newer.stop();
    await send(older, releaseEvent(older.firstRun.orgId, longCustomer, longHistory + 40));
    expect(await read(older, longCustomer)).toMatchObject({ status: 200, body: toldOf() });
    // And forward again: what the newer version has folded is still there.
    newer = await startNewer();
    expect(await read(newer, longCustomer)).toMatchObject({ status: 200, body: toldOf() });
    await newer.stop();
  });
});

function lateEvent(round: number): Event {
  const event = releaseEvent(older.firstRun.orgId, longCustomer, longHistory + 100 + round);
  return { ...event, occurredAt: new Date(Date.UTC(2026, 0, 1) + (longHistory - 20) * 60_000 + round).toISOString() };
}
