import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { now } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import {
  type ConnectionDocument,
  ConnectionModel,
  type ConnectionState,
} from '../../../models/notification/connection.ts';
import type { ProviderContext } from '../providers/provider.ts';
import {
  connectionChoices,
  connectionOutput,
  connectionPath,
  exampleConnection,
  findConnection,
  sealCredentials,
  toConnectionResponse,
} from './connections.ts';
import { anyCredentials, parseCredentials, requireUsable, verifyNew } from './verify.ts';

const changes = z.strictObject({ ...connectionChoices, credentials: anyCredentials }).partial();

/** PATCH /v1/notifications/channels/:channelId: changes a connection. Credentials are replaced as a whole. */
export const updateConnection = defineAction({
  rest: 'PATCH /v1/notifications/channels/:channelId',
  summary: 'Change a channel connection',
  permission: 'notification.channels.write',
  tenant: 'required',
  input: { path: connectionPath, body: changes },
  output: connectionOutput,
  errors: ['NOT_FOUND', 'CONFLICT'],
  limits: { milliseconds: 25_000 },
  example: {
    path: { channelId: exampleConnection.id },
    body: { priority: 10 },
    output: { ...exampleConnection, priority: 10 },
  },
  async handler({ path: { channelId }, body: { enabled, credentials, ...chosen }, caller: { orgId }, ctx }) {
    const before = await findConnection(orgId, channelId);
    const change: Partial<ConnectionDocument> = {
      ...(chosen.name !== undefined && { name: chosen.name }),
      ...(chosen.priority !== undefined && { priority: chosen.priority }),
      ...(credentials !== undefined && (await newCredentials(before, credentials, ctx))),
    };
    const state = stateAfter(before, enabled, change.state);
    if (state !== before.state) change.state = state;
    else delete change.state;
    if (Object.keys(change).length === 0) return toConnectionResponse(before);
    const unchanged = { orgId, _id: channelId, sealedCredentials: before.sealedCredentials, state: before.state };
    const after = await ConnectionModel.findOneAndUpdate(unchanged, { $set: { ...change, updatedAt: now() } })
      .setOptions({ returnDocument: 'after' })
      .lean<ConnectionDocument>();
    if (!after) throw apiError('CONFLICT');
    await recordAuditEvent(ctx, {
      action: credentials === undefined ? 'notification-channel.updated' : 'notification-channel.credentials-changed',
      orgId,
      target: { type: 'notification-channel', id: channelId },
      before: publicPart(before),
      after: publicPart(after),
    });
    return toConnectionResponse(after);
  },
});

async function newCredentials(
  { provider }: ConnectionDocument,
  sentCredentials: unknown,
  context: ProviderContext,
): Promise<Partial<ConnectionDocument>> {
  requireUsable(provider, context);
  const credentials = parseCredentials(provider, sentCredentials);
  const verdict = await verifyNew(provider, credentials, context);
  return { sealedCredentials: sealCredentials(credentials), ...verdict };
}

/** A connection that is turned on again is what it was before: connected where its provider has confirmed it. */
function stateAfter(
  { state, verifiedAt }: ConnectionDocument,
  enabled: boolean | undefined,
  verified: ConnectionState | undefined,
): ConnectionState {
  const isOff = enabled === undefined ? state === 'disabled' : !enabled;
  if (isOff) return 'disabled';
  if (verified !== undefined) return verified;
  if (state !== 'disabled') return state;
  return verifiedAt === null ? 'draft' : 'connected';
}

const publicPart = ({ name, priority, state }: ConnectionDocument) => ({ name, priority, state });

/**
 * DELETE /v1/notifications/channels/:channelId: removes a connection with its credentials. Notifications on their way take
 * another connection of the channel.
 */
export const deleteConnection = defineAction({
  rest: 'DELETE /v1/notifications/channels/:channelId',
  summary: 'Disconnect a channel',
  permission: 'notification.channels.write',
  tenant: 'required',
  input: { path: connectionPath },
  output: z.void(),
  errors: ['NOT_FOUND'],
  example: { path: { channelId: exampleConnection.id } },
  async handler({ path: { channelId }, caller: { orgId }, ctx }) {
    const { channel, provider, name } = await findConnection(orgId, channelId);
    const { deletedCount } = await ConnectionModel.deleteOne({ orgId, _id: channelId });
    // A concurrent request has removed it.
    if (deletedCount === 0) return;
    await recordAuditEvent(ctx, {
      action: 'notification-channel.removed',
      orgId,
      target: { type: 'notification-channel', id: channelId },
      before: { channel, provider, name },
    });
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'notification.channels.update': typeof updateConnection;
    'notification.channels.delete': typeof deleteConnection;
  }
}
