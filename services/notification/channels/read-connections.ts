import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { decodeCursor, pageOf, pageQuery, toPage } from '../../../lib/page.ts';
import { type ConnectionDocument, ConnectionModel, channels } from '../../../models/notification/connection.ts';
import {
  connectionOutput,
  connectionPath,
  exampleConnection,
  findConnection,
  toConnectionResponse,
} from './connections.ts';

/** GET /v1/notifications/channels: the organization's connections, in the order in which they were made. */
export const listConnections = defineAction({
  rest: 'GET /v1/notifications/channels',
  summary: "List the organization's channel connections",
  permission: 'notification.read',
  tenant: 'required',
  input: { query: z.strictObject({ ...pageQuery, channel: z.enum(channels).optional() }) },
  output: pageOf(connectionOutput),
  errors: ['CURSOR_INVALID'],
  example: { query: { limit: '20' }, output: { data: [exampleConnection], nextCursor: null } },
  async handler({ query: { limit, cursor, channel }, caller: { orgId } }) {
    const [after] = decodeCursor(cursor, 1) ?? [];
    const filter = { ...(after !== undefined && { _id: { $gt: after } }), ...(channel !== undefined && { channel }) };
    const connections = await ConnectionModel.find({ orgId, ...filter })
      .sort({ _id: 1 })
      .limit(limit + 1)
      .lean<ConnectionDocument[]>();
    return toPage(connections, limit, ({ _id }) => [_id], toConnectionResponse);
  },
});

/** GET /v1/notifications/channels/:channelId: one connection. */
export const readConnection = defineAction({
  rest: 'GET /v1/notifications/channels/:channelId',
  summary: 'Read a channel connection',
  permission: 'notification.read',
  tenant: 'required',
  input: { path: connectionPath },
  output: connectionOutput,
  errors: ['NOT_FOUND'],
  example: { path: { channelId: exampleConnection.id }, output: exampleConnection },
  handler: async ({ path: { channelId }, caller: { orgId } }) =>
    toConnectionResponse(await findConnection(orgId, channelId)),
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'notification.channels.list': typeof listConnections;
    'notification.channels.read': typeof readConnection;
  }
}
