import { eventsOutput } from '../../../lib/contract/contract.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { exampleId } from '../../../lib/contract/examples.ts';
import { recordAgentSeen, requireAgent } from '../agents.ts';
import { blockChannel, blockIdsOf } from '../blocks.ts';
import { agentsChannel, siteChannel, visitorChannel } from '../conversations/hints.ts';
import { streamLimits } from '../visitors/rate-limits.ts';
import { requireVisit, visitErrors, visitHeaders } from '../visitors/visit.ts';
import { recordVisitorSeen } from '../visitors/visitors.ts';

/**
 * GET /v1/widget/stream: change notifications for a visitor as server-sent events: `message`, `read`, `typing`,
 * `conversation`, `site`. The listener repeats the checks of the token while the stream is open.
 */
export const widgetStream = defineAction({
  rest: 'GET /v1/widget/stream',
  summary: 'Listen to what changes for the visitor',
  description:
    'Opens a stream of server-sent events for the visitor: `message`, `read`, `typing`, `conversation` and `site`. ' +
    'An event only says that something has changed; read it with the other operations. A block or a revoked ' +
    'identity ends the stream.',
  permission: 'public',
  answers: 'events',
  input: { headers: visitHeaders },
  output: eventsOutput,
  errors: [...visitErrors],
  exposure: { cors: 'own' },
  example: {
    headers: { authorization: 'Bearer eyJvcmdJZCI6Im9yZ18.b2Y' },
    output: { channels: [visitorChannel(exampleId('org'), exampleId('vis'))] },
  },
  async handler({ headers, ctx }) {
    const { orgId, visitorId, site, person } = await requireVisit(ctx, headers);
    await recordVisitorSeen(ctx, orgId, visitorId);
    const blocks = blockIdsOf(orgId, person).map(blockChannel);
    const channels = [visitorChannel(orgId, visitorId), siteChannel(orgId, site._id), ...blocks];
    return { channels, credential: visitorId, limits: streamLimits(ctx, orgId) };
  },
});

/**
 * GET /v1/connect/stream: change notifications for agents as server-sent events: `message`, `conversation`, `read`,
 * `typing`, `looking`, `presence`, `site`.
 */
export const agentStream = defineAction({
  rest: 'GET /v1/connect/stream',
  summary: 'Listen to what changes in the inbox',
  description:
    'Opens a stream of server-sent events about the inbox: `message`, `conversation`, `read`, `typing`, `looking`, ' +
    '`presence` and `site`. An event only says that something has changed; read it with the other operations. Events can be ' +
    'lost or repeated, so read again after a reconnection.',
  permission: 'connect.read',
  tenant: 'required',
  answers: 'events',
  input: {},
  output: eventsOutput,
  errors: ['AGENT_REQUIRED'],
  example: { output: { channels: [agentsChannel(exampleId('org'))] } },
  async handler({ caller, ctx }) {
    const { type } = await requireAgent(caller);
    if (type === 'agent') await recordAgentSeen(ctx, caller);
    return { channels: [agentsChannel(caller.orgId)] };
  },
});
