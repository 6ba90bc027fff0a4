import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import type { QuotaCaller } from '../../lib/clients/quota.ts';
import { createKeyedMutex } from '../../lib/concurrency/keyed-mutex.ts';
import { type Caller, call, type PublishContext } from '../../lib/contract/context.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError, inputError } from '../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import { decodeCursor, pageOf, pageQuery, pathId, singleLine, timestamp, toPage } from '../../lib/contract/input.ts';
import { minute, now, second } from '../../lib/data/clock.ts';
import { pagesById } from '../../lib/data/sweep.ts';
import { type AgentDocument, AgentModel, agentKey } from '../../models/connect/agent.ts';
import type { Author } from '../../models/connect/message.ts';
import { announcePresence } from './conversations/hints.ts';
import { completeRemovalOf, type NewAgent, removeAgent, takeSeat } from './seats.ts';

/**
 * How long an agent counts as online after the last sign of the open inbox; also the interval at which signs are
 * stored.
 */
const onlineFor = minute;
const touchEvery = 20 * second;

const agentOutput = z
  .strictObject({
    userId: z.string(),
    displayName: z.string().nullable().describe('The name that visitors see; null: the name of the website.'),
    online: z.boolean(),
    createdAt: timestamp,
  })
  .meta({ id: 'Agent' });

const exampleAgent = {
  userId: exampleId('usr', 'grace'),
  displayName: 'Grace',
  online: true,
  createdAt: exampleInstant,
} satisfies z.input<typeof agentOutput>;

function toAgentResponse(agent: AgentDocument): z.output<typeof agentOutput> {
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
export async function recordAgentSeen(ctx: PublishContext, caller: Member): Promise<void> {
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

async function isMember({ broker }: Pick<QuotaCaller, 'broker'>, orgId: string, userId: string): Promise<boolean> {
  const { membership } = await call(broker, 'access.memberships.read', { body: { orgId, userId } });
  return membership !== null;
}

const displayName = singleLine(100).nullable().describe('The name that visitors see; null: the name of the website.');
/**
 * Serializes requests in this process only; on another node a second request may conflict with the first's reservation
 * and be rejected.
 */
const inTurn = createKeyedMutex();

/** GET /v1/connect/agents: the organization's agents, ordered by user id. The plan limits their number. */
export const listAgents = defineAction({
  rest: 'GET /v1/connect/agents',
  summary: 'List the agents',
  description: 'Returns the members who answer visitors, sorted by user id, and whether they have the inbox open.',
  permission: 'connect.read',
  tenant: 'required',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(agentOutput),
  errors: ['CURSOR_INVALID'],
  example: { query: { limit: '20' }, output: { data: [exampleAgent], nextCursor: null } },
  async handler({ query: { limit, cursor }, caller: { orgId } }) {
    const [after] = decodeCursor(cursor, 1) ?? [];
    const later = after === undefined ? {} : { userId: { $gt: after } };
    const agents = await AgentModel.find({ orgId, state: 'active', ...later })
      .sort({ userId: 1 })
      .limit(limit + 1)
      .lean<AgentDocument[]>();
    return toPage(agents, limit, ({ userId }) => [userId], toAgentResponse);
  },
});

/**
 * POST /v1/connect/agents: makes a member of the organization an agent, who takes a seat of the plan. For an existing
 * agent it changes the name.
 */
export const addAgent = defineAction({
  rest: 'POST /v1/connect/agents',
  summary: 'Make a member an agent',
  description:
    'Makes a member an agent, who takes a seat of the plan (`PLAN_LIMIT_EXCEEDED` without a free one). For an ' +
    'existing agent it changes the name that visitors see, and takes no other seat.',
  permission: 'connect.settings.write',
  tenant: 'required',
  input: {
    body: z
      .strictObject({ userId: z.string().max(100), displayName: displayName.optional() })
      .meta({ id: 'AgentInput' }),
  },
  output: agentOutput,
  status: 201,
  errors: ['PLAN_LIMIT_EXCEEDED', 'SERVICE_NOT_INCLUDED', 'PAYMENT_REQUIRED'],
  // The agent's id is derived from the input, so each member is an agent once.
  idempotent: { resume: 'rerun' },
  example: { body: { userId: exampleAgent.userId, displayName: 'Grace' }, output: exampleAgent },
  async handler({ body: { userId, displayName: name }, caller: { orgId }, operation, ctx }) {
    if (!(await isMember(ctx, orgId, userId))) {
      throw inputError([{ path: 'body.userId', message: 'Must be a member of the organization.' }]);
    }
    const own = { orgId, _id: agentKey(orgId, userId) };
    const added = { orgId, userId, displayName: name ?? null, operation: operation.key };
    await inTurn(own._id, () => takeSeatIfFree(ctx, added));
    if (name !== undefined) await AgentModel.updateOne({ ...own, state: 'active' }, { $set: { displayName: name } });
    // The member may have left since the check; the event handler may have run before the insert.
    if (!(await isMember(ctx, orgId, userId))) await removeAgent(ctx, orgId, userId);
    const agent = await findAgent(orgId, userId);
    if (!agent) throw apiError('CONFLICT');
    if (agent.operation === operation.key) {
      const target = { type: 'user', id: userId };
      await recordAuditEvent(ctx, { id: operation.newId('aud'), action: 'agent.added', orgId, target });
    }
    return toAgentResponse(agent);
  },
});

/** Serialized, because concurrent requests for one member would each reserve a seat. */
async function takeSeatIfFree(ctx: QuotaCaller, added: NewAgent): Promise<void> {
  const { orgId, userId } = added;
  if (await findAgent(orgId, userId)) return;
  await completeRemovalOf(ctx, orgId, userId);
  await removeFormerMembers(ctx, orgId);
  await takeSeat(ctx, added);
}

/** DELETE /v1/connect/agents/:userId: ends an agent's access to the inbox and frees the seat. */
export const deleteAgent = defineAction({
  rest: 'DELETE /v1/connect/agents/:userId',
  summary: 'Remove an agent',
  description:
    "Ends an agent's access to the inbox and frees the seat. Their conversations become unassigned; their " +
    'membership stays.',
  permission: 'connect.settings.write',
  tenant: 'required',
  input: { path: z.strictObject({ userId: pathId('usr') }) },
  output: z.void(),
  errors: ['NOT_FOUND'],
  example: { path: { userId: exampleAgent.userId } },
  async handler({ path: { userId }, caller: { orgId }, ctx }) {
    if (!(await removeAgent(ctx, orgId, userId)))
      throw apiError('NOT_FOUND', { message: 'No agent has this user id.' });
    await recordAuditEvent(ctx, { action: 'agent.removed', orgId, target: { type: 'user', id: userId } });
  },
});
