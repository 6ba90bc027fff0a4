import type { ServiceBroker } from 'moleculer';
import type { Ctx } from '../../../lib/caller.ts';
import { registeredErasures } from '../../../lib/declarations.ts';
import { type ErasureDocument, ErasureModel } from '../../../models/identity/erasure.ts';

/** Stores which services of the pool erase organizations, so that they are known when they are absent. */
export async function persistErasureHandlers(broker: ServiceBroker): Promise<void> {
  const stored = await storedErasures();
  for (const [service, action] of registeredErasures(broker)) {
    if (stored.get(service) === action) continue;
    await ErasureModel.updateOne({ _id: service }, { $set: { action } }, { upsert: true });
  }
}

/** The services that are, or ever were, in the pool and erase organizations, each with its action. */
export async function allErasures(broker: ServiceBroker): Promise<Map<string, string>> {
  return new Map([...(await storedErasures()), ...registeredErasures(broker)]);
}

/** Removes a service that was removed permanently with its data; false where it is registered or unknown. */
export async function removeErasureHandler(broker: ServiceBroker, service: string): Promise<boolean> {
  if (registeredErasures(broker).has(service)) return false;
  return (await ErasureModel.deleteOne({ _id: service })).deletedCount === 1;
}

/**
 * Calls a service to erase an organization, in batches, so that no call exceeds its timeout. Calls `renew` before each
 * batch, which throws when another process holds the lease.
 */
export async function eraseIn(
  ctx: Ctx,
  [service, action]: readonly [string, string],
  orgId: string,
  renew: () => Promise<unknown>,
): Promise<void> {
  for (let isComplete = false; !isComplete; ) {
    await renew();
    const answer = await ctx.call<{ isComplete?: unknown } | null, object>(`${service}.${action}`, { body: { orgId } });
    isComplete = answer?.isComplete === true;
  }
}

async function storedErasures(): Promise<Map<string, string>> {
  const documents = await ErasureModel.find().lean<ErasureDocument[]>();
  return new Map(documents.map(({ _id, action }) => [_id, action]));
}
