import type { ServiceBroker } from 'moleculer';
import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { instantInput } from '../../../lib/contract/input.ts';
import { day, fromNow } from '../../../lib/data/clock.ts';
import {
  deleteInBatches,
  insertManyUnordered,
  nativeCollection,
  removeAcrossTenants,
} from '../../../lib/data/collection.ts';
import { idFrom, idPattern, idRandomBytes } from '../../../lib/data/ids.ts';
import { type Sweep, sweepItems, tenantsOf } from '../../../lib/data/sweep.ts';
import {
  callerTypes,
  type FailedRequestDocument,
  FailedRequestModel,
} from '../../../models/identity/failed-request.ts';

const keptMilliseconds = 7 * day;
const maxKept = 10_000;

const id = z.string().regex(idPattern('frq'));
const orgId = z.string().regex(idPattern('org'));

const failedRequest = z.strictObject({
  id,
  orgId,
  requestId: z.string(),
  answeredAt: instantInput,
  method: z.string(),
  route: z.string(),
  path: z.string(),
  status: z.int(),
  error: z.string(),
  message: z.string(),
  details: z.array(z.strictObject({ path: z.string(), message: z.string() })),
  milliseconds: z.number(),
  caller: z.strictObject({ type: z.enum(callerTypes), id: z.string(), credentialId: z.string().nullable() }),
  userAgent: z.string().nullable(),
});

/**
 * `identity.requests.record`, for the listeners: stores requests that were answered with an error. A repetition of a
 * batch stores the requests once. `omissions`: how many more there were after one that is stored.
 */
export const recordFailedRequests = defineAction({
  summary: 'Store requests that were answered with an error',
  permission: 'internal',
  input: {
    body: z.strictObject({
      requests: z.array(failedRequest),
      omissions: z.array(z.strictObject({ orgId, id, count: z.int().positive() })),
    }),
  },
  output: z.void(),
  async handler({ body: { requests, omissions } }) {
    const documents = requests.map(
      ({ id: _id, ...request }): FailedRequestDocument => ({ _id, ...request, omitted: 0 }),
    );
    await insertManyUnordered(nativeCollection<FailedRequestDocument>(FailedRequestModel), documents);
    for (const omission of omissions) {
      await FailedRequestModel.updateOne(
        { orgId: omission.orgId, _id: omission.id },
        { $inc: { omitted: omission.count } },
      );
    }
  },
});

/** The id before all ids of an instant; instants before 1970 have none. */
export function firstIdAt(instant: Date): string {
  return idFrom('frq', new Date(Math.max(0, instant.getTime())), Buffer.alloc(idRandomBytes));
}

/** Removes failed requests after seven days, and all but the newest of each organization. */
export async function sweepFailedRequests(_broker: ServiceBroker, sweep: Sweep): Promise<void> {
  const old = { _id: { $lt: firstIdAt(fromNow(-keptMilliseconds)) } };
  await removeAcrossTenants(FailedRequestModel, old, sweep.signal);
  await sweepItems(sweep, tenantsOf([FailedRequestModel]), 1, (tenant) => trim(tenant.orgId));
}

async function trim(org: string): Promise<void> {
  const [first] = await FailedRequestModel.find({ orgId: org }, { _id: 1 })
    .sort({ _id: -1 })
    .skip(maxKept)
    .limit(1)
    .lean();
  if (first) await deleteInBatches(FailedRequestModel, { orgId: org, _id: { $lte: first._id } }, Infinity);
}

/** Removes all failed requests of an organization. */
export async function eraseFailedRequests(org: string): Promise<void> {
  await deleteInBatches(FailedRequestModel, { orgId: org }, Infinity);
}
