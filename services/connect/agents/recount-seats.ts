import { call } from '../../../lib/calls.ts';
import { commitTakes, type QuotaCaller } from '../../../lib/quota-commits.ts';
import { type Sweep, sweepItems, tenantsOf } from '../../../lib/sweep.ts';
import { type AgentDocument, AgentModel } from '../../../models/connect/agent.ts';
import { SiteModel } from '../../../models/connect/site.ts';
import { completeRemovalOf, seatsMeter } from './seats.ts';

const maxAttempts = 5;

/**
 * Counts the agents of each organization, and corrects the gauges of their seats. It is a check that runs once a day:
 * nothing depends on it.
 */
export async function recountAllSeats(ctx: QuotaCaller, sweep: Sweep): Promise<void> {
  // An organization with a site may have lost its last agent.
  await sweepItems(sweep, tenantsOf([AgentModel, SiteModel]), 1, ({ orgId }) => recountSeats(ctx, orgId));
}

/**
 * Counts an organization's agents. Billing adds open reservations to the count, so all seats are charged before, and
 * removals are completed: an agent who is leaving may have released the seat.
 */
async function recountSeats(ctx: QuotaCaller, orgId: string): Promise<void> {
  const charged = new Set<string>();
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const { meters } = await call(ctx.broker, 'billing.quota.read', { body: { orgId, meters: [seatsMeter] } });
    const revision = meters[0]?.revision;
    const agents = await AgentModel.find({ orgId }).lean<AgentDocument[]>();
    const leaving = agents.filter(({ state }) => state === 'leaving');
    const uncharged = agents.filter(({ seat, state }) => state === 'active' && !charged.has(seat));
    if (leaving.length + uncharged.length > 0) {
      for (const { userId } of leaving) await completeRemovalOf(ctx, orgId, userId);
      // A repeated charge has no effect.
      const takes = uncharged.map(({ receipt }) => ({ receipt, charged: 1 }));
      await commitTakes(ctx, takes);
      for (const { seat } of uncharged) charged.add(seat);
      continue;
    }
    const { outcome } = await call(ctx.broker, 'billing.quota.set-gauge', {
      body: { orgId, meter: seatsMeter, value: agents.length, ...(revision !== undefined && { revision }) },
    });
    if (outcome === 'set') return;
  }
  // The gauge changed during each attempt; the next run tries again.
}
