import { expect, test } from '@jest/globals';
import { clientOf } from '../../support/client.ts';
import { hashOf, largeBody } from '../../support/large-body.ts';
import { residentBytes, watchPeak } from '../../support/memory.ts';
import type { NodeProcess } from '../../support/platform.ts';
import { propertyCases, propertyTimeout } from '../../support/property-cases.ts';
import { storageOf } from '../../support/storage-client.ts';
import type { Tenant } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';

const mebibyte = 1024 * 1024;
const partBytes = 8 * mebibyte;
const largest = propertyCases(104, 5120) * mebibyte;
/** The largest after the others, which have the engine's memory grow to what transfers of any size need. */
const sizes = (
  [
    ['no bytes', 0],
    ['a byte less than a part', partBytes - 1],
    ['a part', partBytes],
    ['a byte more than a part', partBytes + 1],
    ['more bytes than memory', 104 * mebibyte],
    ['hundreds of megabytes', 200 * mebibyte],
    ['gigabytes', 5120 * mebibyte],
  ] satisfies [name: string, bytes: number][]
).filter(([, bytes]) => bytes <= largest);
/** Of one transfer, in bytes. */
const mostMemory = 64 * mebibyte;

/** A platform whose storage is the first node. The organization has room for all that is stored. */
export type Place = { node: NodeProcess; url: string; tenant: Tenant };

/** The tests of objects of all sizes, up and down over HTTP, for any driver of the object store. */
export function storesLargeObjects(place: () => Place): void {
  test.each(sizes)(
    '%s go up and come down, with little memory',
    async (_name, size) => {
      const { node, url, tenant } = place();
      const client = clientOf({ url, ...tenant });
      const storage = await storageOf(client);
      const { orgId: bucket } = tenant;
      const signed = await client.call('storage.presign.upload', {
        body: { bucket, key: `${size}.bin`, mimeType: 'application/octet-stream', size },
      });
      const before = residentBytes(node.pid);
      const peak = watchPeak(node.pid);
      const { body, sent } = largeBody(size);
      const headers = { ...signed.headers, 'content-length': String(size) };
      const up = await fetch(signed.uploadUrl, { method: 'PUT', headers, ...body });
      const sha256 = sent.digest('hex');
      expect({ status: up.status, body: await up.json() }).toMatchObject({ status: 200, body: { size, sha256 } });
      expect(await hashOf(await fetch(`${storage.url}/cdn/${bucket}/${size}.bin`))).toBe(sha256);
      expect(peak() - before).toBeLessThan(mostMemory);
      if (size > 0) {
        const end = await fetch(signed.objectUrl, { headers: { range: 'bytes=-1' } });
        expect([end.status, end.headers.get('content-range')]).toEqual([206, `bytes ${size - 1}-${size - 1}/${size}`]);
      }
      expect((await storage.remove(bucket, `${size}.bin`)).status).toBe(204);
      await eventually(async () => {
        const usage = await client.call('storage.usage.read', { query: {} });
        expect(usage.storage.usedGb).toBe(0);
      });
    },
    propertyTimeout,
  );
}
