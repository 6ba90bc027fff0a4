import type { ServiceBroker } from 'moleculer';
import { z } from 'zod';
import { now as realNow } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { nativeCollection } from '../../../lib/native-collection.ts';
import { type CounterDocument, CounterModel } from '../../../models/billing/counter.ts';
import { type TakeDocument, TakeModel } from '../../../models/billing/take.ts';
import { now } from '../clock.ts';
import { entitlementsNow } from '../subscriptions/entitlements-now.ts';
import { allowanceIn } from './limits.ts';
import { createQuota, type Quota } from './quota.ts';
import { prefetchReleaseTimeout, type SettlementReport, type Store } from './store.ts';

type Running = { quota: Quota; broker: ServiceBroker };

let running: Running | undefined;

/** Starts quotas in this process; tests pass `changes`. */
export function startQuota(broker: ServiceBroker, changes: Partial<Store> = {}): void {
  const store: Store = {
    counters: nativeCollection<CounterDocument>(CounterModel),
    takes: nativeCollection<TakeDocument>(TakeModel),
    allowanceOf: async (orgId, meter) => allowanceIn(await entitlementsNow(broker, orgId), meter),
    askOwner: (owner, orgId, keys) => queryOwner(broker, owner, orgId, keys),
    now,
    // Each node's own: leases that are renewed each minute need no common clock (decision 0027).
    leaseNow: realNow,
    maxWait: prefetchReleaseTimeout,
    ...changes,
  };
  running = { quota: createQuota(store), broker };
}

/** Removes the reservations that this process charged immediately, so that the sweep finds none after its end. */
export async function clearCharged(): Promise<void> {
  await running?.quota.clear();
}

export function runningQuota(): Quota {
  if (!running) throw apiError('UNAVAILABLE');
  return running.quota;
}

/** Settles expired reservations of every organization; run it every minute, on one node or on several. */
export async function sweepQuotas(_period: Date, signal: AbortSignal): Promise<void> {
  if (!running) return;
  const { quota, broker } = running;
  await quota.sweep((message, error) => broker.logger.warn(message, { error }), signal);
}

const settlementReport = z.object({ done: z.array(z.object({ key: z.string(), amount: z.number().int().min(0) })) });

/** Asks the owning service: `<owner>.quota.settle { orgId, keys }` → `{ done: [{ key, amount }] }`. */
async function queryOwner(
  broker: ServiceBroker,
  owner: string,
  orgId: string,
  keys: string[],
): Promise<SettlementReport[]> {
  const said = await broker.call<unknown, object>(`${owner}.quota.settle`, { body: { orgId, keys } });
  return settlementReport.parse(said).done;
}
