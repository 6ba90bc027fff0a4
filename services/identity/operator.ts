import type { ServiceBroker } from 'moleculer';
import { z } from 'zod';
import type { Ctx } from '../../lib/contract/context.ts';
import { defineCommand } from '../../lib/contract/define-command.ts';
import { registeredErasures } from '../../lib/contract/service-declarations.ts';
import { type DeletionDocument, DeletionModel } from '../../models/identity/deletion.ts';
import { type ErasureDocument, ErasureModel } from '../../models/identity/erasure.ts';

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
async function removeErasureHandler(broker: ServiceBroker, service: string): Promise<boolean> {
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

const maxShown = 100;

/** `identity.console.erasures`: the services that erase organizations, and deletions that are not complete. */
export const describeErasures = defineCommand({
  commands: [
    {
      usage: 'erasures',
      description: 'The services that erase organizations, and the deletions that wait for one of them',
    },
  ],
  body: z.strictObject({}),
  async handler({ ctx: { broker } }) {
    const registered = registeredErasures(broker);
    const services = [...(await allErasures(broker))].sort();
    const deletions = await DeletionModel.find({ kind: 'organization', isRepetition: false }, null, {
      acrossTenants: true,
    })
      .sort({ createdAt: 1 })
      .limit(maxShown)
      .lean<DeletionDocument[]>();
    return {
      lines: [
        ...services.map(([name, action]) => `${name}.${action}${registered.has(name) ? '' : ' (ABSENT)'}`),
        ...deletions.map(({ orgId, createdAt, completedSteps }) => {
          const open = services.filter(([name]) => !completedSteps.includes(`erase:${name}`)).map(([name]) => name);
          return `${orgId}, deleted at ${createdAt.toISOString()}, waits for: ${open.join(', ') || 'nothing'}`;
        }),
      ],
    };
  },
});

/** `identity.console.forget-erasure`: deletions no longer wait for a service that was removed permanently. */
export const forget = defineCommand({
  commands: [
    {
      usage: 'erasures:forget <service>',
      description: 'Stop waiting for a service that was removed permanently with its data',
      changes: true,
    },
  ],
  body: z.strictObject({ service: z.string() }),
  async handler({ body: { service }, ctx: { broker } }) {
    if (await removeErasureHandler(broker, service)) return { lines: [`Deletions no longer wait for ${service}.`] };
    const isRunning = registeredErasures(broker).has(service);
    return { lines: [isRunning ? `${service} is running: unload it first.` : `Unknown service ${service}.`] };
  },
});

export const deletionConsoleActions = { 'console.erasures': describeErasures, 'console.forget-erasure': forget };
