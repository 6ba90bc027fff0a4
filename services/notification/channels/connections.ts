import { z } from 'zod';
import { decrypt, encrypt } from '../../../lib/encryption.ts';
import { apiError } from '../../../lib/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { timestamp } from '../../../lib/instant.ts';
import { pathId } from '../../../lib/path-text.ts';
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
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'Must not contain control characters.'),
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
    name: z.string(),
    priority: z.int(),
    state: z.enum(connectionStates),
    /** Why it is not connected. */
    lastError: z.string().nullable(),
    verifiedAt: timestamp.nullable(),
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
