import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientOf } from './client.ts';
import { startPlatform } from './platform-process.ts';
import { longCustomer, longHistory, packFolder, releaseEvent, shortCustomers, storiesFile } from './release-data.ts';

/* Runs the platform of this tree, has it compose stories, and keeps its data folder for the tests of later releases. */

const dataDir = mkdtempSync(join(tmpdir(), 'release-'));
const platform = await startPlatform({ dataDir });
const { orgId, apiKey } = platform.firstRun;
const client = clientOf({ url: platform.url, orgId, apiKey });
const range = (length: number) => Array.from({ length }, (_none, number) => number);

const events = [
  // In an order that brings each batch late.
  ...range(longHistory).map((number) => releaseEvent(orgId, longCustomer, (number * 7919) % longHistory)),
  ...shortCustomers.flatMap((customer) => range(100).map((number) => releaseEvent(orgId, customer, number))),
  // Two customers become one.
  ...[shortCustomers[1] ?? '', 'visitor-7'].map((customer) => ({
    ...releaseEvent(orgId, customer, 200),
    payload: { email: 'ada@example.com', name: 'Ada' },
  })),
];
for (let from = 0; from < events.length; from += 500) {
  await client.call('context.events.create-batch', { body: { events: events.slice(from, from + 500) } });
}
const stories: Record<string, unknown> = {};
for (const customerId of [longCustomer, ...shortCustomers]) {
  for (let answer = 503; answer === 503; ) {
    const { status, body } = await client.attempt('context.story.read', { path: { customerId }, query: {} });
    answer = status;
    stories[customerId] = body;
  }
}
await platform.stop();
writeFileSync(join(dataDir, storiesFile), JSON.stringify(stories, null, 2));
packFolder(dataDir);
rmSync(dataDir, { recursive: true, force: true });
