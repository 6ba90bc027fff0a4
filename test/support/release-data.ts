import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { Event } from './events.ts';

/*
 * The data folder of the last release, compressed: `test/fixtures/release-data.br`. Before a release that changes what is
 * stored, `node test/support/keep-release-data.ts` renews it in the tree of the release before.
 */

const fixture = join(import.meta.dirname, '..', 'fixtures', 'release-data.br');

/** Everything that the folder's customers are made of. */
export const longCustomer = 'customer-long';
export const longHistory = 4_000;
export const shortCustomers = ['customer-short', 'customer-joined'];

/** The name of the file in the folder with the story of each customer, as the release told it. */
export const storiesFile = 'stories.json';

export function packFolder(folder: string): void {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const contents = files.map(({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [path.slice(folder.length + 1), readFileSync(path)] as const;
  });
  const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
  mkdirSync(dirname(fixture), { recursive: true });
  writeFileSync(fixture, brotliCompressSync(serialize(new Map(contents)), { params }));
}

/** Writes the folder of the last release into an empty one. */
export function unpackRelease(folder: string): void {
  const contents = deserialize(brotliDecompressSync(readFileSync(fixture))) as Map<string, Uint8Array>;
  for (const [path, bytes] of contents) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes, { mode: 0o600 });
  }
}

/** An event of a customer; another number is another event, a minute later. */
export function releaseEvent(tenantId: string, customerId: string, number: number): Event {
  return {
    schemaVersion: '1.0',
    tenantId,
    eventId: `00000000-0000-4000-8000-${`${customerId.length}`.padStart(4, '0')}${`${number}`.padStart(8, '0')}`,
    eventName: number % 5 === 0 ? 'payment.succeeded' : 'order.created',
    occurredAt: new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString(),
    actor: { type: 'customer', id: customerId },
    source: { system: 'shop', channel: 'web' },
    payload: { orderId: `o-${number % 40}`, total: number % 90, currency: 'EUR' },
  };
}
