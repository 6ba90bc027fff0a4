import { call } from '../../../lib/calls.ts';
import { commitTakes, type QuotaCaller } from '../../../lib/quota-commits.ts';
import { pagesById, type Sweep, sweepInTurns, tenantsOf } from '../../../lib/sweep.ts';
import { type AgentDocument, AgentModel } from '../../../models/connect/agent.ts';
import { SiteModel } from '../../../models/connect/site.ts';
import { continueRemoval, seatsMeter } from './seats.ts';

const batch = 200;
const recountConcurrency = 4;
/** The maximum of attempts rejected because the gauge changed concurrently; the next run tries again. */
const maxRefusals = 5;

/** The turn of an organization. `charged`: the seats whose charges are confirmed. */
type Turn = { _id: string; orgId: string; charged: Set<string>; refusals: number };

/**
 * Counts the agents of each organization and corrects the gauges of their seats. A daily consistency check; nothing
 * depends on it.
 */
export async function recountAllSeats(ctx: QuotaCaller, sweep: Sweep): Promise<void> {
  await sweepInTurns(sweep, firstTurns(), recountConcurrency, async (turn, again) => {
    // The first pass charges the seats.
    const isDone = (await recountSeats(ctx, turn)) || (await recountSeats(ctx, turn));
    if (!isDone && turn.refusals < maxRefusals) again(turn);
  });
}

/** Includes organizations with a site: they may have lost their last agent. */
async function* firstTurns(): AsyncGenerator<Turn[]> {
  for await (const page of tenantsOf([AgentModel, SiteModel])) {
    yield page.map((tenant) => ({ ...tenant, charged: new Set<string>(), refusals: 0 }));
  }
}

/**
 * Counts an organization's agents; false if it must be repeated. Billing adds open reservations to the count, so all
 * seats are charged first and removals completed: an agent being removed may have released the seat already.
 */
async function recountSeats(ctx: QuotaCaller, turn: Turn): Promise<boolean> {
  const { orgId, charged } = turn;
  const { meters } = await call(ctx.broker, 'billing.quota.read', { body: { orgId, meters: [seatsMeter] } });
  const revision = meters[0]?.revision;
  let value = 0;
  let isSettled = true;
  for await (const agents of pagesById<AgentDocument>(AgentModel, { orgId }, batch)) {
    value += agents.length;
    const leaving = agents.filter(({ state }) => state === 'leaving');
    const uncharged = agents.filter(({ seat, state }) => state === 'active' && !charged.has(seat));
    if (leaving.length + uncharged.length > 0) isSettled = false;
    for (const agent of leaving) await continueRemoval(ctx, agent);
    // A repeated charge has no effect.
    await commitTakes(
      ctx,
      uncharged.map(({ receipt }) => ({ receipt, charged: 1 })),
    );
    for (const { seat } of uncharged) charged.add(seat);
  }
  if (!isSettled) return false;
  const { outcome } = await call(ctx.broker, 'billing.quota.set-gauge', {
    body: { orgId, meter: seatsMeter, value, ...(revision !== undefined && { revision }) },
  });
  if (outcome !== 'set') turn.refusals += 1;
  return outcome === 'set';
}
