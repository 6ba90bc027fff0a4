import type { ServiceBroker } from 'moleculer';
import { call } from '../../../lib/calls.ts';
import { inParts } from '../../../lib/in-parts.ts';
import type { QuotaCaller } from '../../../lib/quota-commits.ts';
import { type Sweep, sweepItems, tenantsOf } from '../../../lib/sweep.ts';
import { type AgentDocument, AgentModel } from '../../../models/connect/agent.ts';
import { SiteModel } from '../../../models/connect/site.ts';
import { completeRemovalOf, seatsMeter } from './seats.ts';

const maxAttempts = 5;
/** Of a call to billing. */
const maxTakes = 500;

/**
 * Counts the agents of each organization, and corrects the gauges of their seats. It is a check that runs once a day:
 * nothing depends on it.
 */
export async function recountAllSeats(ctx: QuotaCaller, sweep: Sweep): Promise<void> {
  await sweepItems(sweep, tenantsOf(AgentModel), 1, ({ orgId }) => recountSeats(ctx, orgId));
  // The last agent of an organization with a site may be gone.
  await sweepItems(sweep, tenantsOf(SiteModel), 1, async ({ orgId }) => {
    if (!(await AgentModel.exists({ orgId }))) await recountSeats(ctx, orgId);
  });
}

/**
 * Counts an organization's agents; returns by how many its gauge differed. Billing adds open reservations to the count,
 * so all seats are charged before, and removals are completed: an agent who is leaving may have released the seat.
 */
async function recountSeats(ctx: QuotaCaller, orgId: string): Promise<number> {
  const charged = new Set<string>();
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const { meters } = await call(ctx.broker, 'billing.quota.read', { body: { orgId, meters: [seatsMeter] } });
    const revision = meters[0]?.revision;
    const agents = await AgentModel.find({ orgId }).lean<AgentDocument[]>();
    const leaving = agents.filter(({ state }) => state === 'leaving');
    const uncharged = agents.filter(({ seat, state }) => state === 'active' && !charged.has(seat));
    if (leaving.length + uncharged.length > 0) {
      for (const { userId } of leaving) await completeRemovalOf(ctx, orgId, userId);
      await charge(ctx, uncharged);
      for (const { seat } of uncharged) charged.add(seat);
      continue;
    }
    const { outcome, drift } = await call(ctx.broker, 'billing.quota.set-gauge', {
      body: { orgId, meter: seatsMeter, value: agents.length, ...(revision !== undefined && { revision }) },
    });
    if (outcome === 'set') return drift;
  }
  // It changes all the time; the next run may find it quiet.
  return 0;
}

/** Charging again changes nothing. */
async function charge({ broker }: { broker: ServiceBroker }, agents: AgentDocument[]): Promise<void> {
  if (agents.length === 0) return;
  const takes = agents.map(({ receipt }) => ({ receipt, charged: 1 }));
  for (const batch of inParts(takes, maxTakes)) await call(broker, 'billing.quota.commit', { body: { takes: batch } });
}
