import type { Context } from 'moleculer';
import { z } from 'zod';
import type { Caller } from '../../../lib/caller.ts';
import { minute, now, second } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { timestamp } from '../../../lib/instant.ts';
import { type AgentDocument, AgentModel, agentKey } from '../../../models/connect/agent.ts';
import type { Author } from '../../../models/connect/message.ts';
import { announcePresence } from '../conversations/hints.ts';

/**
 * How long an agent counts as online after the last sign of the open inbox; also the interval at which signs are
 * stored.
 */
const onlineFor = minute;
const touchEvery = 20 * second;

export const agentOutput = z
  .strictObject({
    userId: z.string(),
    /** The name that visitors see; null for the site's name. */
    displayName: z.string().nullable(),
    online: z.boolean(),
    createdAt: timestamp,
  })
  .meta({ id: 'Agent' });

export const exampleAgent = {
  userId: exampleId('usr', 'grace'),
  displayName: 'Grace',
  online: true,
  createdAt: exampleInstant,
} satisfies z.input<typeof agentOutput>;

export function toAgentResponse(agent: AgentDocument): z.output<typeof agentOutput> {
  const { userId, displayName, createdAt } = agent;
  return { userId, displayName, online: isOnline(agent), createdAt: createdAt.toISOString() };
}

function isOnline({ seenAt }: Pick<AgentDocument, 'seenAt'>): boolean {
  return seenAt !== null && now().getTime() - seenAt.getTime() < onlineFor;
}

/** A caller in an organization, as passed to an action with an organization permission. */
export type Member = Caller & { orgId: string };

/**
 * Returns the caller as an author: an agent, or an application, which needs no seat.
 *
 * @throws AGENT_REQUIRED the user is not an agent.
 */
export async function requireAgent(caller: Member): Promise<Author> {
  const { orgId, id } = caller;
  if (caller.type === 'application') return { type: 'application', id, name: null };
  const agent = await findAgent(orgId, id);
  if (!agent) throw apiError('AGENT_REQUIRED');
  return { type: 'agent', id, name: agent.displayName };
}

/** Finds the agent of a user; null if the user is not an agent. */
export function findAgent(orgId: string, userId: string): Promise<AgentDocument | null> {
  return AgentModel.findOne({ orgId, _id: agentKey(orgId, userId), state: 'active' })
    .lean<AgentDocument>()
    .exec();
}

/** Whether any agent of an organization has the inbox open. */
export async function isAnyAgentOnline(orgId: string): Promise<boolean> {
  const since = new Date(now().getTime() - onlineFor);
  return (await AgentModel.exists({ orgId, state: 'active', seenAt: { $gt: since } })) !== null;
}

/** Records that an agent has the inbox open, and publishes a presence change if the agent was offline. */
export async function noteAgentSeen(ctx: Pick<Context, 'broadcast' | 'broker'>, caller: Member): Promise<void> {
  const { orgId, id: userId } = caller;
  const at = now();
  const before = new Date(at.getTime() - touchEvery);
  const previous = await AgentModel.findOneAndUpdate(
    { orgId, _id: agentKey(orgId, userId), state: 'active', $or: [{ seenAt: null }, { seenAt: { $lt: before } }] },
    { $set: { seenAt: at } },
    { returnDocument: 'before' },
  ).lean<AgentDocument>();
  if (previous && !isOnline(previous)) await announcePresence(ctx, orgId, { userId, online: true });
}
