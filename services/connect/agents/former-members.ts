import { call } from '../../../lib/calls.ts';
import type { QuotaCaller } from '../../../lib/quota-commits.ts';
import { pagesById } from '../../../lib/sweep.ts';
import { type AgentDocument, AgentModel } from '../../../models/connect/agent.ts';
import { removeAgent } from './seats.ts';

const batch = 200;

/**
 * Removes agents who are no longer members of the organization, which frees their seats.
 *
 * @param userIds null for all agents.
 */
export async function removeFormerMembers(
  ctx: QuotaCaller,
  orgId: string,
  userIds: string[] | null = null,
): Promise<void> {
  const byUser = userIds === null ? {} : { userId: { $in: userIds } };
  for await (const page of pagesById<AgentDocument>(AgentModel, { orgId, state: 'active', ...byUser }, batch)) {
    for (const { userId } of page) if (!(await isMember(ctx, orgId, userId))) await removeAgent(ctx, orgId, userId);
  }
}

export async function isMember(
  { broker }: Pick<QuotaCaller, 'broker'>,
  orgId: string,
  userId: string,
): Promise<boolean> {
  const { membership } = await call(broker, 'access.memberships.read', { body: { orgId, userId } });
  return membership !== null;
}
