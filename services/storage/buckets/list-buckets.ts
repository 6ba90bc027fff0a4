import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { pageOf, pageQuery, toPage } from '../../../lib/page.ts';
import { bucketOutput, bucketPath, exampleBucket, findBucket, findBucketsPage, toBucketResponse } from './buckets.ts';

/** GET /v1/buckets: the organization's buckets, in order of creation. */
export const listBuckets = defineAction({
  rest: 'GET /v1/buckets',
  summary: "List the organization's buckets",
  permission: 'storage.read',
  tenant: 'required',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(bucketOutput),
  errors: ['CURSOR_INVALID'],
  example: { query: { limit: '20' }, output: { data: [exampleBucket], nextCursor: null } },
  async handler({ query, caller: { orgId } }) {
    return toPage(await findBucketsPage(orgId, query), query.limit, ({ _id }) => [_id], toBucketResponse);
  },
});

/** GET /v1/buckets/:bucketName: one bucket. */
export const readBucket = defineAction({
  rest: 'GET /v1/buckets/:bucketName',
  summary: 'Read a bucket',
  permission: 'storage.read',
  tenant: 'required',
  input: { path: bucketPath },
  output: bucketOutput,
  errors: ['NOT_FOUND'],
  example: { path: { bucketName: exampleBucket.name }, output: exampleBucket },
  handler: async ({ path: { bucketName }, caller: { orgId } }) => toBucketResponse(await findBucket(orgId, bucketName)),
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'storage.buckets.list': typeof listBuckets;
    'storage.buckets.read': typeof readBucket;
  }
}
