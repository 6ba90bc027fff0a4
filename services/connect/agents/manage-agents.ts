import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { apiError, inputError } from '../../../lib/errors.ts';
import { createKeyedMutex } from '../../../lib/one-at-a-time.ts';
import { decodeCursor, pageOf, pageQuery, toPage } from '../../../lib/page.ts';
import { pathId } from '../../../lib/path-text.ts';
import type { QuotaCaller } from '../../../lib/quota-commits.ts';
import { singleLine } from '../../../lib/text.ts';
import { type AgentDocument, AgentModel, agentKey } from '../../../models/connect/agent.ts';
import { agentOutput, exampleAgent, findAgent, toAgentResponse } from './agents.ts';
import { isMember, removeFormerMembers } from './former-members.ts';
import { completeRemovalOf, type NewAgent, removeAgent, takeSeat } from './seats.ts';

const displayName = singleLine(100).nullable();
/**
 * Serializes requests in this process only; on another node a second request may conflict with the first's reservation
 * and be rejected.
 */
const inTurn = createKeyedMutex();

/** GET /v1/connect/agents: the organization's agents, ordered by user id. The plan limits their number. */
export const listAgents = defineAction({
  rest: 'GET /v1/connect/agents',
  summary: 'List the agents',
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
  permission: 'connect.settings.write',
  tenant: 'required',
  input: { body: z.strictObject({ userId: z.string().max(100), displayName: displayName.optional() }) },
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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'connect.agents.list': typeof listAgents;
    'connect.agents.add': typeof addAgent;
    'connect.agents.delete': typeof deleteAgent;
  }
}
