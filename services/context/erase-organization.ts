import type { Model, QueryFilter } from 'mongoose';
import { z } from 'zod';
import { defineAction } from '../../lib/action.ts';
import { idPattern } from '../../lib/ids.ts';
import { CustomerModel } from '../../models/context/customer.ts';
import { EventModel } from '../../models/context/event.ts';
import { IdentifierModel } from '../../models/context/identifier.ts';

/** So many documents are removed by one statement, which holds up the others' meanwhile, and by one call. */
const statementMax = 500;
const callMax = 10_000;

/**
 * `context.organizations.erase`, for the deletion of an organization: removes its events, customers and identifiers. In
 * parts: it is to be called again until `isComplete`, and may be called as often as one likes.
 */
export const eraseOrganization = defineAction({
  summary: "Remove an organization's events and stories",
  permission: 'internal',
  input: { body: z.strictObject({ orgId: z.string().regex(idPattern('org')) }) },
  output: z.strictObject({ isComplete: z.boolean() }),
  async handler({ body: { orgId } }) {
    // The events first: as long as there are some, customers and identifiers are made of them anew.
    let allowance = callMax;
    for (const model of [EventModel, CustomerModel, IdentifierModel] as unknown as Model<Tenant>[]) {
      allowance -= await removeUpTo(model, orgId, allowance);
      if (allowance <= 0) return { isComplete: false };
    }
    const left = await EventModel.findOne({ orgId }, { _id: 1 }).lean();
    return { isComplete: left === null };
  },
});

type Tenant = { _id: string; orgId: string };

/** Removes so many of an organization's documents, and says how many there were. */
async function removeUpTo(model: Model<Tenant>, orgId: string, most: number): Promise<number> {
  let removed = 0;
  while (removed < most) {
    const some = await model.find({ orgId }, { _id: 1 }).limit(statementMax).lean<Tenant[]>();
    if (some.length === 0) break;
    const batch: QueryFilter<Tenant> = { orgId, _id: { $in: some.map(({ _id }) => _id) } };
    removed += (await model.deleteMany(batch)).deletedCount;
  }
  return removed;
}

declare module '../../lib/calls.ts' {
  interface Calls {
    'context.organizations.erase': typeof eraseOrganization;
  }
}
