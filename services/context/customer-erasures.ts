import { randomUUID } from 'node:crypto';
import type { Context, ServiceBroker } from 'moleculer';
import { fromNow, minute, now } from '../../lib/clock.ts';
import { registeredCustomerErasures } from '../../lib/declarations.ts';
import { nativeCollection } from '../../lib/native-collection.ts';
import {
  type CustomerErasureDocument,
  CustomerErasureModel,
  type ErasingServiceDocument,
  ErasingServiceModel,
} from '../../models/context/customer-erasure.ts';

type Asking = Pick<Context, 'broker'>;

const retryAfter = minute;
const batch = 100;
/** The maximum of one call. */
const maxIdentifiers = 500;

/** Stores that other services have to erase a customer; to be called before the customer's identifiers are gone. */
export async function recordErasure(orgId: string, identifiers: string[]): Promise<CustomerErasureDocument> {
  const erasure = { _id: randomUUID(), orgId, identifiers, done: [], dueAt: fromNow(retryAfter) };
  await nativeCollection<CustomerErasureDocument>(CustomerErasureModel).insertOne(erasure);
  return erasure;
}

/**
 * Has the other services erase a customer, each until it is complete. One that is absent or fails holds up none of the
 * others, and is asked again by the sweep.
 */
export async function carryOut(ctx: Asking, { _id, orgId, identifiers, done }: CustomerErasureDocument): Promise<void> {
  let isLeft = false;
  for (const [service, action] of await erasingServices(ctx.broker)) {
    if (done.includes(service)) continue;
    try {
      await eraseIn(ctx, `${service}.${action}`, { orgId, identifiers });
      await CustomerErasureModel.updateOne({ orgId, _id }, { $addToSet: { done: service } });
    } catch (error) {
      isLeft = true;
      ctx.broker.logger.warn('A customer could not be erased in a service yet', { orgId, service, error });
    }
  }
  if (!isLeft) await CustomerErasureModel.deleteOne({ orgId, _id });
  else await CustomerErasureModel.updateOne({ orgId, _id }, { $set: { dueAt: fromNow(retryAfter) } });
}

/**
 * Erases a customer whom only other services may know; false when none does.
 *
 * @throws UNAVAILABLE one of them cannot be asked.
 */
export async function eraseElsewhere(ctx: Asking, orgId: string, identifiers: string[]): Promise<boolean> {
  let isErased = false;
  for (const [service, action] of await erasingServices(ctx.broker)) {
    if (await eraseIn(ctx, `${service}.${action}`, { orgId, identifiers })) isErased = true;
  }
  return isErased;
}

/** Asks the services again that were absent or failed. */
export async function sweepCustomerErasures(broker: ServiceBroker): Promise<void> {
  await rememberServices(broker);
  const due = await CustomerErasureModel.find({ dueAt: { $lte: now() } }, null, { acrossTenants: true })
    .limit(batch)
    .lean<CustomerErasureDocument[]>();
  for (const erasure of due) await carryOut({ broker }, erasure);
}

type Answer = { isComplete?: unknown; erased?: unknown } | null;
type Person = { orgId: string; identifiers: string[] };

/** Calls the action of a service until it is complete; returns whether it erased anything. */
async function eraseIn({ broker }: Asking, action: string, { orgId, identifiers }: Person): Promise<boolean> {
  let isErased = false;
  for (let at = 0; at < identifiers.length; ) {
    const body = { orgId, identifiers: identifiers.slice(at, at + maxIdentifiers) };
    const answer = await broker.call<Answer, object>(action, { body });
    isErased ||= answer?.erased === true;
    if (answer?.isComplete === true) at += maxIdentifiers;
  }
  return isErased;
}

/** The services that are, or ever were, in the pool and keep data of customers, each with its action. */
async function erasingServices(broker: ServiceBroker): Promise<Map<string, string>> {
  const stored = await ErasingServiceModel.find().lean<ErasingServiceDocument[]>();
  const known = stored.map(({ _id, action }) => [_id, action] as const);
  return new Map([...known, ...registeredCustomerErasures(broker)]);
}

/** Stores which services of the pool keep data of customers, so that an erasure waits for one that is absent. */
async function rememberServices(broker: ServiceBroker): Promise<void> {
  for (const [service, action] of registeredCustomerErasures(broker)) {
    await ErasingServiceModel.updateOne({ _id: service }, { $set: { action } }, { upsert: true });
  }
}
