import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/contract/examples.ts';
import { decodeCursor, pageOf, pageQuery, pathId, timestamp, toPage } from '../../../lib/contract/input.ts';
import { decrypt, encrypt } from '../../../lib/security/encryption.ts';
import {
  type Channel,
  type ConnectionDocument,
  ConnectionModel,
  channels,
  connectionStates,
  providerNames,
} from '../../../models/notification/connection.ts';

/** Any text is accepted in the path: one that names no connection of the organization is 404, never 400. */
export const connectionPath = z.strictObject({ channelId: pathId('chn') });

const maxPriority = 1000;
export const defaultPriority = 100;

/** The editable fields of a connection, in addition to its channel and provider. */
export const connectionChoices = {
  name: z
    .string()
    .trim()
    .max(100, 'Must be at most 100 characters.')
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'Must not contain control characters.')
    .describe('A name of your own, which recipients do not see; may be empty.'),
  /** Connections of a channel are tried in ascending order of priority. */
  priority: z.int().min(0).max(maxPriority),
  /** False disables the connection. */
  enabled: z.boolean(),
};

/** A connection in API responses; never its credentials. */
export const connectionOutput = z
  .strictObject({
    id: z.string(),
    channel: z.enum(channels),
    provider: z.enum(providerNames),
    name: z.string().describe('A name of your own, which recipients do not see; may be empty.'),
    priority: z.int(),
    state: z
      .enum(connectionStates)
      .describe(
        '`draft`: not confirmed by the provider yet. `error`: the provider refused the credentials. `disabled`: ' +
          'turned off. Only a `connected` one sends.',
      ),
    lastError: z.string().nullable().describe('Why it is not connected; null if it is.'),
    verifiedAt: timestamp.nullable().describe('When the provider last confirmed the credentials; null if never.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Channel' });

export const exampleConnection = {
  id: exampleId('chn'),
  channel: 'chatapp',
  provider: 'telegram',
  name: 'Shop bot',
  priority: defaultPriority,
  state: 'connected',
  lastError: null,
  verifiedAt: exampleInstant,
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
} satisfies z.input<typeof connectionOutput>;

export function toConnectionResponse(connection: ConnectionDocument): z.output<typeof connectionOutput> {
  const { _id: id, channel, provider, name, priority, state, lastError, verifiedAt } = connection;
  return {
    id,
    channel,
    provider,
    name,
    priority,
    state,
    lastError,
    verifiedAt: verifiedAt?.toISOString() ?? null,
    createdAt: connection.createdAt.toISOString(),
    updatedAt: connection.updatedAt.toISOString(),
  };
}

/** The organization's connection; throws NOT_FOUND, also for another organization's. */
export async function findConnection(orgId: string, id: string): Promise<ConnectionDocument> {
  const found = await ConnectionModel.findOne({ orgId, _id: id }).lean<ConnectionDocument>();
  if (!found) throw apiError('NOT_FOUND', { message: 'No channel connection has this id.' });
  return found;
}

/** The connections by which the channel sends, in the order in which they are tried. */
export async function connectedOf(orgId: string, channel: Channel): Promise<ConnectionDocument[]> {
  return await ConnectionModel.find({ orgId, channel, state: 'connected' })
    .sort({ priority: 1, _id: 1 })
    .lean<ConnectionDocument[]>();
}

const purpose = 'notification.credentials';

export function sealCredentials(credentials: unknown): string {
  return encrypt(purpose, JSON.stringify(credentials));
}

export function openCredentials({ sealedCredentials }: Pick<ConnectionDocument, 'sealedCredentials'>): unknown {
  return JSON.parse(decrypt(purpose, sealedCredentials));
}

/** GET /v1/notifications/channels: the organization's connections, in the order in which they were made. */
export const listConnections = defineAction({
  rest: 'GET /v1/notifications/channels',
  summary: "List the organization's channel connections",
  description:
    "Returns the organization's connections to providers in the order of their creation, of one channel if you " +
    'filter. Credentials are never shown.',
  permission: 'notification.read',
  tenant: 'required',
  input: {
    query: z.strictObject({ ...pageQuery, channel: z.enum(channels).optional().describe('Only of this channel.') }),
  },
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
  description:
    'Returns one connection of the organization, with its state and the last error of its provider. Credentials ' +
    'are never shown.',
  permission: 'notification.read',
  tenant: 'required',
  input: { path: connectionPath },
  output: connectionOutput,
  errors: ['NOT_FOUND'],
  example: { path: { channelId: exampleConnection.id }, output: exampleConnection },
  handler: async ({ path: { channelId }, caller: { orgId } }) =>
    toConnectionResponse(await findConnection(orgId, channelId)),
});
