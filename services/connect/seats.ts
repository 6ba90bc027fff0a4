import {
  commitInBackground,
  commitTakes,
  leaseInstant,
  type QuotaCaller,
  refundInBackground,
  settlementInput,
  settlementOutput,
  settleStored,
  startLease,
} from '../../lib/clients/quota.ts';
import { requireTaken } from '../../lib/clients/quota-refusal.ts';
import { call } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { now } from '../../lib/data/clock.ts';
import { insertIfAbsent, maxBatchSize } from '../../lib/data/collection.ts';
import { pagesById, type Sweep, sweepInTurns, tenantsOf } from '../../lib/data/sweep.ts';
import { type AgentDocument, AgentModel, agentKey, type SeatReceipt } from '../../models/connect/agent.ts';
import { ConversationModel } from '../../models/connect/conversation.ts';
import { SiteModel } from '../../models/connect/site.ts';
import { agentsChannel, endStreamsOf } from './conversations/hints.ts';

export const seatsMeter = 'connect.agentSeats';

export type NewAgent = Pick<AgentDocument, 'orgId' | 'userId' | 'displayName' | 'operation'>;

/**
 * Makes a member an agent, who takes a seat of the plan; null if the member already is one. The reservation's receipt
 * is stored with the agent, so that a charge lost in a crash is made before the seat is released.
 *
 * @throws PLAN_LIMIT_EXCEEDED, SERVICE_NOT_INCLUDED, PAYMENT_REQUIRED, UNAVAILABLE
 */
export async function takeSeat(ctx: QuotaCaller, added: NewAgent): Promise<AgentDocument | null> {
  const { orgId, userId } = added;
  // Derived from the operation, so that a retry gets the reservation of a crashed run.
  const seat = `seat:${added.operation}`;
  const requestedAt = leaseInstant();
  const taken = await call(ctx.broker, 'billing.quota.take', {
    body: { orgId, meter: seatsMeter, amount: 1, key: seat, owner: 'connect', remember: false },
  });
  const receipt = requireTaken(taken, { orgId, meter: seatsMeter });
  const lease = startLease(ctx, receipt, requestedAt);
  try {
    if (!lease.isHeld()) throw apiError('UNAVAILABLE');
    const agent: AgentDocument = {
      _id: agentKey(orgId, userId),
      ...added,
      seat,
      receipt: receipt as SeatReceipt,
      state: 'active',
      seenAt: null,
      createdAt: now(),
    };
    const isNew = await insertIfAbsent<AgentDocument>(AgentModel, agent);
    if (isNew) commitInBackground(ctx, { receipt, charged: 1 });
    else if (!(await AgentModel.exists({ orgId, seat }))) refundInBackground(ctx, receipt);
    return isNew ? agent : null;
  } finally {
    // If it is unknown whether the agent was stored, billing queries it after the lease expires.
    lease.end();
  }
}

/** Ends an agent's access immediately and releases the seat; false if the user is not an agent. */
export async function removeAgent(ctx: QuotaCaller, orgId: string, userId: string): Promise<boolean> {
  await AgentModel.updateOne({ orgId, _id: agentKey(orgId, userId), state: 'active' }, { $set: { state: 'leaving' } });
  await endStreamsOf(ctx, agentsChannel(orgId));
  return await completeRemovalOf(ctx, orgId, userId);
}

/** Completes an unfinished removal of an agent; false if there is none. */
export async function completeRemovalOf(ctx: QuotaCaller, orgId: string, userId: string): Promise<boolean> {
  const leaving = { orgId, _id: agentKey(orgId, userId), state: 'leaving' as const };
  const agent = await AgentModel.findOne(leaving).lean<AgentDocument>();
  if (agent) await completeRemoval(ctx, agent);
  return agent !== null;
}

const batch = 200;
const removalBatchSize = 4;

/** Completes the removals that a crash interrupted; organizations take turns. */
export async function sweepRemovals(ctx: QuotaCaller, sweep: Sweep): Promise<void> {
  const leaving = pagesById<AgentDocument>(AgentModel, { state: 'leaving' }, batch);
  await sweepInTurns(sweep, leaving, removalBatchSize, async (agent, again) => {
    if (!(await continueRemoval(ctx, agent))) again(agent);
  });
}

async function completeRemoval(ctx: QuotaCaller, agent: AgentDocument): Promise<void> {
  while (!(await continueRemoval(ctx, agent)));
}

/**
 * Unassigns some conversations of an agent being removed, and deletes the agent once none remain; returns whether the
 * removal is complete. Each step is idempotent; the agent's record is deleted last, because it marks unfinished work.
 */
export async function continueRemoval(
  ctx: QuotaCaller,
  { _id, orgId, userId, seat, receipt }: AgentDocument,
): Promise<boolean> {
  const assigned = { orgId, assigneeId: userId };
  const assignedBatch = await ConversationModel.find(assigned, { _id: 1 }).limit(maxBatchSize).lean();
  if (assignedBatch.length > 0) {
    const found = { ...assigned, _id: { $in: assignedBatch.map((conversation) => conversation._id) } };
    await ConversationModel.updateMany(found, { $set: { assigneeId: null, updatedAt: now() } });
  }
  if (assignedBatch.length === maxBatchSize) return false;
  // The charge may have been lost in a crash. Charging again is idempotent.
  await commitTakes(ctx, [{ receipt, charged: 1 }]);
  await call(ctx.broker, 'billing.quota.release', { body: { orgId, meter: seatsMeter, amount: 1, key: seat } });
  await AgentModel.deleteOne({ orgId, _id, state: 'leaving' });
  return true;
}

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

/** `connect.quota.settle`, called by billing after a crash: reports which reserved seats have an agent. */
export const settleQuota = defineAction({
  summary: 'Count the agents of reserved seats',
  permission: 'internal',
  input: settlementInput,
  output: settlementOutput,
  async handler({ body: { orgId, keys } }) {
    const agents = await AgentModel.find({ orgId, seat: { $in: keys } }, { seat: 1 }).lean();
    return settleStored(keys, new Set(agents.map(({ seat }) => seat)));
  },
});
