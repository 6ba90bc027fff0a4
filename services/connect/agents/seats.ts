import { call } from '../../../lib/calls.ts';
import { now } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { insertIfAbsent } from '../../../lib/insert-unless-there.ts';
import { commitInBackground, commitTakes, type QuotaCaller, refundInBackground } from '../../../lib/quota-commits.ts';
import { requireTaken } from '../../../lib/quota-errors.ts';
import { leaseInstant, startLease } from '../../../lib/quota-leases.ts';
import { maxBatchSize } from '../../../lib/remove-up-to.ts';
import { pagesById, type Sweep, sweepInTurns } from '../../../lib/sweep.ts';
import { type AgentDocument, AgentModel, agentKey, type SeatReceipt } from '../../../models/connect/agent.ts';
import { ConversationModel } from '../../../models/connect/conversation.ts';
import { agentsChannel, endStreamsOf } from '../conversations/hints.ts';

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
  const receipt = requireTaken(taken, orgId);
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
