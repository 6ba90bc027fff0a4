import type { Context } from 'moleculer';
import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { call } from '../../../lib/calls.ts';
import { pageOf, pageQuery, toPage } from '../../../lib/page.ts';
import type { BucketDocument } from '../../../models/storage/bucket.ts';
import { exampleBucket, findBucketsPage } from '../buckets/buckets.ts';

const gigabyte = 1_000_000_000;

const meter = z.strictObject({ usedGb: z.number(), limitGb: z.number().nullable() });
const ofBucket = z.strictObject({ bucket: z.string(), objectCount: z.int(), usedBytes: z.int() });

/**
 * GET /v1/usage: the organization's stored bytes, this month's traffic, and the usage of each bucket. `limitGb` is null
 * if the plan does not include storage.
 */
export const readUsage = defineAction({
  rest: 'GET /v1/usage',
  summary: 'Read what storage is used',
  permission: 'storage.read',
  tenant: 'required',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(ofBucket).extend({ storage: meter, bandwidth: meter }),
  errors: ['CURSOR_INVALID'],
  example: {
    query: { limit: '20' },
    output: {
      storage: { usedGb: 0.0524288, limitGb: 50 },
      bandwidth: { usedGb: 1.25, limitGb: 250 },
      data: [{ bucket: exampleBucket.name, objectCount: 128, usedBytes: 52_428_800 }],
      nextCursor: null,
    },
  },
  async handler({ query, caller: { orgId }, ctx }) {
    const buckets = await findBucketsPage(orgId, query);
    const [storage, bandwidth] = await readMeters(ctx, orgId);
    const none = { usedGb: 0, limitGb: null };
    const page = toPage(buckets, query.limit, ({ _id }) => [_id], toUseResponse);
    return { ...page, storage: storage ?? none, bandwidth: bandwidth ?? none };
  },
});

/** Reads the usage of the storage meters, in gigabytes. */
async function readMeters(ctx: Pick<Context, 'call'>, orgId: string): Promise<z.output<typeof meter>[]> {
  const body = { orgId, meters: ['storage.storageGb' as const, 'storage.bandwidthGbPerMonth' as const] };
  const { meters } = await call(ctx, 'billing.quota.read', { body });
  return meters.map(({ used, limit }) => ({
    usedGb: used / gigabyte,
    limitGb: limit === null ? null : limit / gigabyte,
  }));
}

function toUseResponse({ name, objectCount, usedBytes }: BucketDocument): z.output<typeof ofBucket> {
  return { bucket: name, objectCount: Math.max(0, objectCount), usedBytes: Math.max(0, usedBytes) };
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'storage.usage.read': typeof readUsage;
  }
}
