import { randomUUID } from 'node:crypto';
import type { ServiceBroker } from 'moleculer';
import type { BrokerContext } from '../../lib/contract/context.ts';
import { isError } from '../../lib/contract/errors.ts';
import { registeredCustomerErasures } from '../../lib/contract/service-declarations.ts';
import { fromNow, minute, now } from '../../lib/data/clock.ts';
import { insertIfAbsent } from '../../lib/data/collection.ts';
import { recordErasure, sealIdentifiers } from '../../lib/data/erasure-records.ts';
import { pagesByInstant, type Sweep, sweepItems } from '../../lib/data/sweep.ts';
import { CustomerModel } from '../../models/context/customer.ts';
import {
  type CustomerErasureDocument,
  CustomerErasureModel,
  type ErasingServiceDocument,
  ErasingServiceModel,
} from '../../models/context/customer-erasure.ts';
import { findRoot, identifiersOfCustomer } from './customers.ts';
import { eraseCustomer } from './erasure.ts';
import { findSettledCustomer } from './stories.ts';
import { parseIdentifierKey } from './story/identifiers.ts';

const retryAfter = minute;
const batch = 100;
const erasureConcurrency = 4;
/** The maximum number of identifiers of one call. */
const maxIdentifiers = 500;

/** Stores the erasure of a customer with a story. Once stored, {@link runErasure} or the sweep completes it. */
export async function beginErasure(orgId: string, customer: string): Promise<CustomerErasureDocument> {
  // Read before the identifiers are removed, by which other services know the person.
  return await store({ orgId, customers: [customer], identifiers: await identifiersOfPerson(orgId, customer) });
}

/**
 * Stores the erasure of a customer whom a restored database may contain again, as due work for the sweep, and erases
 * the customer's story immediately, so that an event that arrives after the restore begins a new one.
 */
export async function repeatErasure(erasure: Recorded): Promise<void> {
  const { _id, orgId, identifiers, erasedAt } = erasure;
  const customers = new Set<string>();
  for (const key of identifiers) {
    const customer = await findSettled(orgId, key);
    if (customer !== null) customers.add(customer);
  }
  const theirs = await Promise.all([...customers].map((customer) => identifiersOfPerson(orgId, customer)));
  const all = [...new Set([...identifiers, ...theirs.flat()])];
  await store({ _id, orgId, customers: [...customers], identifiers: all, erasedAt, dueAt: now() });
  for (const customer of customers) await eraseCustomer(orgId, customer);
}

type Recorded = Pick<CustomerErasureDocument, '_id' | 'orgId' | 'identifiers'> & { erasedAt: Date };

type Begun = Pick<CustomerErasureDocument, 'orgId' | 'customers' | 'identifiers'> & Partial<CustomerErasureDocument>;

async function store(begun: Begun): Promise<CustomerErasureDocument> {
  const erasure = { _id: randomUUID(), erasedAt: now(), done: [], dueAt: fromNow(retryAfter), ...begun };
  await insertIfAbsent<CustomerErasureDocument>(CustomerErasureModel, erasure);
  return erasure;
}

/** The customer of an identifier, however many of their events are pending. */
async function findSettled(orgId: string, key: string): Promise<string | null> {
  const identifier = parseIdentifierKey(key);
  if (!identifier) return null;
  for (;;) {
    try {
      return await findSettledCustomer(orgId, identifier);
    } catch (error) {
      if (!isError(error, 'UNAVAILABLE')) throw error;
    }
  }
}

/** The identifiers of a customer and of those merged into them. */
async function identifiersOfPerson(orgId: string, customer: string): Promise<string[]> {
  const merged = await CustomerModel.find({ orgId, mergedInto: customer }, { _id: 1 }).lean();
  const all = await Promise.all(
    [customer, ...merged.map(({ _id }) => _id)].map((id) => identifiersOfCustomer(orgId, id)),
  );
  return all.flat();
}

/**
 * Erases a customer's story, and calls the other services until each has erased the customer. A service that is absent
 * or fails does not delay the others; the sweep retries it.
 */
export async function runErasure(ctx: BrokerContext, erasure: CustomerErasureDocument): Promise<void> {
  const { _id, orgId, done } = erasure;
  await eraseStories(ctx, erasure);
  const identifiers = await readIdentifiers(erasure);
  await record({ ...erasure, identifiers });
  let isLeft = false;
  for (const [service, action] of await erasingServices(ctx.broker)) {
    if (done.includes(service)) continue;
    try {
      await eraseIn(ctx, `${service}.${action}`, { orgId, identifiers });
      await CustomerErasureModel.updateOne({ orgId, _id }, { $addToSet: { done: service } });
    } catch (error) {
      isLeft = true;
      ctx.broker.logger.warn('Customer could not be erased in a service; will retry', { orgId, service, error });
    }
  }
  if (!isLeft) await CustomerErasureModel.deleteOne({ orgId, _id });
  else await CustomerErasureModel.updateOne({ orgId, _id }, { $set: { dueAt: fromNow(retryAfter) } });
}

/** The identifiers of an erasure with those that were found while the stories were erased. */
async function readIdentifiers({ _id, orgId, identifiers }: CustomerErasureDocument): Promise<string[]> {
  const stored = await CustomerErasureModel.findOne({ orgId, _id }, { identifiers: 1 }).lean();
  return stored?.identifiers ?? identifiers;
}

/** Adds an erasure to the list that is applied to a restored database. */
async function record({ _id, orgId, identifiers, erasedAt = now() }: CustomerErasureDocument): Promise<void> {
  // Another erasure of the same customer was faster, and has the record.
  if (identifiers.length === 0) return;
  await recordErasure({ _id, kind: 'customer', orgId, identifiers: sealIdentifiers(identifiers), erasedAt });
}

/** A customer that was merged into another concurrently is erased with that one, which has more identifiers. */
async function eraseStories(ctx: BrokerContext, { orgId, customers = [] }: CustomerErasureDocument): Promise<void> {
  for (const customer of customers) {
    if (await eraseCustomer(orgId, customer)) continue;
    const root = await findRoot(orgId, customer);
    if (root !== null) await runErasure(ctx, await beginErasure(orgId, root));
  }
}

/**
 * Erases a customer whom only other services may know; false when none does.
 *
 * @throws UNAVAILABLE one of them cannot be reached.
 */
export async function eraseElsewhere(ctx: BrokerContext, orgId: string, identifiers: string[]): Promise<boolean> {
  const erasure = await store({ orgId, customers: [], identifiers });
  let isErased = false;
  try {
    for (const [service, action] of await erasingServices(ctx.broker)) {
      if (await eraseIn(ctx, `${service}.${action}`, { orgId, identifiers })) isErased = true;
    }
    if (isErased) await record(erasure);
  } catch (error) {
    // The sweep completes a started erasure.
    if (!isErased) await CustomerErasureModel.deleteOne({ orgId, _id: erasure._id });
    throw error;
  }
  await CustomerErasureModel.deleteOne({ orgId, _id: erasure._id });
  return isErased;
}

/** Completes the erasures that a crash interrupted, or in which services were absent or failed. */
export async function sweepCustomerErasures(broker: ServiceBroker, sweep: Sweep): Promise<void> {
  await rememberServices(broker);
  const due = pagesByInstant<CustomerErasureDocument>(CustomerErasureModel, { field: 'dueAt', until: now() }, batch);
  await sweepItems(sweep, due, erasureConcurrency, (erasure) => runErasure({ broker }, erasure));
}

export type UnfinishedErasures = { count: number; since: Date; services: string[] };

/** The maximum number of erasures that are counted. */
const maxCounted = 1000;

/**
 * The erasures of an organization that their first attempt did not complete, and the services that still keep data of
 * those customers; null if there are none. The sweep repeats them.
 */
export async function findUnfinishedErasures(broker: ServiceBroker, orgId: string): Promise<UnfinishedErasures | null> {
  const begun = { $lte: fromNow(-retryAfter) };
  const erasures = await CustomerErasureModel.find({ orgId, erasedAt: begun }, { erasedAt: 1, done: 1 })
    .sort({ erasedAt: 1 })
    .limit(maxCounted)
    .lean<CustomerErasureDocument[]>();
  const [oldest] = erasures;
  if (!oldest?.erasedAt) return null;
  const services = [...(await erasingServices(broker)).keys()];
  const remaining = services.filter((service) => erasures.some(({ done }) => !done.includes(service)));
  return { count: erasures.length, since: oldest.erasedAt, services: remaining };
}

type Answer = { isComplete?: unknown; erased?: unknown } | null;
type Person = { orgId: string; identifiers: string[] };

/** Calls the action of a service until it is complete; returns whether it erased anything. */
async function eraseIn({ broker }: BrokerContext, action: string, { orgId, identifiers }: Person): Promise<boolean> {
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
  const storedActions = stored.map(({ _id, action }) => [_id, action] as const);
  return new Map([...storedActions, ...registeredCustomerErasures(broker)]);
}

/** Stores which services of the pool keep data of customers, so that an erasure waits for one that is absent. */
async function rememberServices(broker: ServiceBroker): Promise<void> {
  for (const [service, action] of registeredCustomerErasures(broker)) {
    await ErasingServiceModel.updateOne({ _id: service }, { $set: { action } }, { upsert: true });
  }
}
