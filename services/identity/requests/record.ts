import type { ServiceBroker } from 'moleculer';
import { z } from 'zod';
import { customerErasureInput } from '../../../lib/contract/customer-erasure.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { instantInput, organizationId } from '../../../lib/contract/input.ts';
import { day, fromNow } from '../../../lib/data/clock.ts';
import {
  deleteInBatches,
  insertManyUnordered,
  nativeCollection,
  removeAcrossTenants,
} from '../../../lib/data/collection.ts';
import { firstIdAt, idPattern } from '../../../lib/data/ids.ts';
import { type Sweep, sweepItems, tenantsOf } from '../../../lib/data/sweep.ts';
import {
  callerTypes,
  type FailedRequestDocument,
  FailedRequestModel,
} from '../../../models/identity/failed-request.ts';
import { OrganizationModel } from '../../../models/identity/organization.ts';

const keptMilliseconds = 7 * day;
const maxKept = 10_000;

const id = z.string().regex(idPattern('frq'));

const failedRequest = z.strictObject({
  id,
  orgId: organizationId,
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
 * batch stores the requests once. `omissions`: how many more there were after one that is stored. A request that
 * arrives after the deletion of its organization began is not kept.
 */
export const recordFailedRequests = defineAction({
  summary: 'Store requests that were answered with an error',
  permission: 'internal',
  input: {
    body: z.strictObject({
      requests: z.array(failedRequest),
      omissions: z.array(z.strictObject({ orgId: organizationId, id, count: z.int().positive() })),
    }),
  },
  output: z.void(),
  async handler({ body: { requests, omissions } }) {
    const before = await activeOf(requests);
    const documents = requests.flatMap(({ id: _id, ...request }): FailedRequestDocument[] =>
      before.has(request.orgId) ? [{ _id, ...request, omitted: 0 }] : [],
    );
    await insertManyUnordered(nativeCollection<FailedRequestDocument>(FailedRequestModel), documents);
    // A deletion that begins after this reading erases them itself.
    const after = await activeOf(documents);
    for (const { _id, orgId: owner } of documents) {
      if (!after.has(owner)) await FailedRequestModel.deleteOne({ orgId: owner, _id });
    }
    for (const omission of omissions) {
      await FailedRequestModel.updateOne(
        { orgId: omission.orgId, _id: omission.id },
        { $inc: { omitted: omission.count } },
      );
    }
  },
});

/** The organizations of records, without deleted ones and ones that are being deleted. */
async function activeOf(records: { orgId: string }[]): Promise<Set<string>> {
  const owners = [...new Set(records.map((record) => record.orgId))];
  const active = await OrganizationModel.find({ _id: { $in: owners }, status: 'active' }, { _id: 1 }).lean();
  return new Set(active.map(({ _id }) => _id));
}

/** Removes failed requests after seven days, and all but the newest of each organization. */
export async function sweepFailedRequests(_broker: ServiceBroker, sweep: Sweep): Promise<void> {
  const old = { _id: { $lt: firstIdAt('frq', fromNow(-keptMilliseconds)) } };
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

/**
 * `identity.customers.erase`, for the erasure of a customer: removes the failed requests whose path names them. It never
 * reports data of a customer, because a request may name one who does not exist.
 */
export const eraseRequestsAbout = defineAction({
  summary: 'Remove the failed requests about a customer',
  permission: 'internal',
  input: customerErasureInput,
  output: z.strictObject({ isComplete: z.literal(true), erased: z.literal(false) }),
  async handler({ body: { orgId: org, identifiers } }) {
    const values = new Set(identifiers.map((key) => key.slice(key.indexOf(':') + 1).toLowerCase()));
    const found: string[] = [];
    for await (const { _id, path } of FailedRequestModel.find({ orgId: org }, { path: 1 }).lean().cursor()) {
      if (namesOf(path).some((name) => values.has(name))) found.push(_id);
    }
    if (found.length > 0) await FailedRequestModel.deleteMany({ orgId: org, _id: { $in: found } });
    return { isComplete: true as const, erased: false as const };
  },
});

/** The parts of a path, decoded and in lower case. */
function namesOf(path: string): string[] {
  return path.split('/').map((part) => decoded(part).toLowerCase());
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Removes all failed requests of an organization. */
export async function eraseFailedRequests(org: string): Promise<void> {
  await deleteInBatches(FailedRequestModel, { orgId: org }, Infinity);
}
