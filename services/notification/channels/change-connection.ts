import { z } from 'zod';
import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import { type LimitsNow, limitsOf, requireRoom } from '../../../lib/clients/plan-limits.ts';
import { type Ctx, call } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError, inputError } from '../../../lib/contract/errors.ts';
import type { Operation } from '../../../lib/contract/idempotency.ts';
import { detailsOf, inputMessage } from '../../../lib/contract/input.ts';
import { type JsonSchema, toJsonSchema } from '../../../lib/contract/json-schema.ts';
import { now } from '../../../lib/data/clock.ts';
import { insertIfAbsent } from '../../../lib/data/collection.ts';
import {
  type Channel,
  type ConnectionDocument,
  ConnectionModel,
  type ConnectionState,
  channels,
  type ProviderName,
  providerNames,
} from '../../../models/notification/connection.ts';
import { type ProviderContext, ProviderError } from '../providers/provider.ts';
import { providerOf } from '../providers/providers.ts';
import { isForbidden } from '../providers/webhook.ts';
import {
  connectionChoices,
  connectionOutput,
  connectionPath,
  defaultPriority,
  exampleConnection,
  findConnection,
  sealCredentials,
  toConnectionResponse,
} from './connections.ts';

/** The credentials of a request as the provider takes them. Throws INPUT_INVALID naming each field that is wrong. */
function parseCredentials(provider: ProviderName, credentials: unknown): unknown {
  const result = providerOf(provider).credentials.safeParse(credentials, { error: inputMessage });
  if (result.success) return result.data;
  throw inputError(result.error.issues.flatMap((issue) => detailsOf('body.credentials', issue)));
}

/** Throws INPUT_INVALID where this platform cannot use the provider. */
export function requireUsable(provider: ProviderName, context: ProviderContext): void {
  const message = providerOf(provider).problem?.(context) ?? null;
  if (message !== null) throw inputError([{ path: 'body.provider', message }]);
}

type Verdict = Pick<ConnectionDocument, 'state' | 'lastError' | 'verifiedAt'>;

/**
 * Asks the provider about credentials. `draft` when it gives no clear answer.
 *
 * @throws INPUT_INVALID the provider refuses the credentials, or the URL must not be called.
 */
async function verifyNew(provider: ProviderName, credentials: unknown, context: ProviderContext): Promise<Verdict> {
  try {
    await providerOf(provider).verify(credentials, context);
    return { state: 'connected', lastError: null, verifiedAt: now() };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (isForbidden(error)) throw inputError([{ path: 'body.credentials.url', message: error.message }]);
    if (isRejection(provider, error)) throw inputError([{ path: 'body.credentials', message: error.message }]);
    return { state: 'draft', lastError: error.message, verifiedAt: null };
  }
}

/** A webhook that does not take its test yet may be finished later; an API that refuses credentials has decided. */
function isRejection(provider: ProviderName, { failure }: ProviderError): boolean {
  return provider !== 'webhook' && (failure === 'unauthorized' || failure === 'refused');
}

/** Any object: which fields it has is decided by the provider. */
const anyCredentials = z.record(z.string(), z.unknown());

const changes = z
  .strictObject({ ...connectionChoices, credentials: anyCredentials })
  .partial()
  .meta({ id: 'ChannelUpdateInput' });

/** PATCH /v1/notifications/channels/:channelId: changes a connection. Credentials are replaced as a whole. */
export const updateConnection = defineAction({
  rest: 'PATCH /v1/notifications/channels/:channelId',
  summary: 'Change a channel connection',
  description:
    'Changes the fields that the body names. Credentials are replaced as a whole and verified with the provider ' +
    'first. `enabled: false` turns the connection off, so that notifications take another one; `true` turns it on ' +
    'again.',
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
  description:
    'Removes a connection with its credentials. Notifications that wait are sent by another connection of the ' +
    'channel, if there is one.',
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

/**
 * POST /v1/notifications/channels: connects a channel by a provider, after the provider has verified the credentials.
 * If the provider cannot be reached, the connection is a draft, which a test message connects.
 */
export const createConnection = defineAction({
  rest: 'POST /v1/notifications/channels',
  summary: 'Connect a channel',
  description:
    'Connects a channel to a provider with the credentials you have there. The provider checks them first: ' +
    'credentials that it refuses are `INPUT_INVALID`; if it gives no clear answer, as a webhook that is not ready, ' +
    'the connection is a `draft`, which a successful test connects. Credentials are stored encrypted and never ' +
    'shown.',
  permission: 'notification.channels.write',
  tenant: 'required',
  input: {
    body: z
      .strictObject({
        channel: z.enum(channels),
        provider: z.enum(providerNames),
        credentials: anyCredentials.default({}),
        ...z.object(connectionChoices).partial().shape,
      })
      .meta({ id: 'ChannelInput', oneOf: providerNames.map(bodyFor) }),
  },
  output: connectionOutput,
  status: 201,
  errors: ['PLAN_LIMIT_EXCEEDED'],
  // Longer than a provider may take to answer.
  limits: { milliseconds: 25_000 },
  idempotent: {
    async resume({ caller: { orgId }, operation, ctx }) {
      const made = { orgId, _id: operation.newId('chn') };
      const connection = await ConnectionModel.findOne(made).lean<ConnectionDocument>();
      return connection && (await complete(ctx, operation, connection));
    },
  },
  example: {
    body: {
      channel: 'chatapp',
      provider: 'telegram',
      name: 'Shop bot',
      credentials: { botToken: '123456789:AAExampleExampleExampleExampleExample' },
    },
    output: exampleConnection,
  },
  async handler({ body, caller: { orgId }, operation, ctx }) {
    const { channel, provider, name = '', priority = defaultPriority, enabled = true } = body;
    requireChannelOf(provider, channel);
    requireUsable(provider, ctx);
    const credentials = parseCredentials(provider, body.credentials);
    const limits = await limitsOf(ctx, orgId);
    requireRoom(limits, { orgId, name: 'channels', present: await ConnectionModel.countDocuments({ orgId }) });
    const verdict = await verifyNew(provider, credentials, ctx);
    const at = now();
    const connection = await insert(
      {
        _id: operation.newId('chn'),
        orgId,
        place: '',
        channel,
        provider,
        name,
        sealedCredentials: sealCredentials(credentials),
        priority,
        ...verdict,
        ...(!enabled && { state: 'disabled' }),
        createdAt: at,
        updatedAt: at,
      },
      limits,
    );
    return await complete(ctx, operation, connection);
  },
});

/** The channels and the credentials that go with a provider, for the API document. */
function bodyFor(name: ProviderName): JsonSchema {
  const { channels: possible, credentials } = providerOf(name);
  const own = toJsonSchema(credentials, 'input');
  return {
    properties: { provider: { const: name }, channel: { enum: possible }, credentials: own },
    required: ['provider', ...(Array.isArray(own.required) ? ['credentials'] : [])],
  };
}

function requireChannelOf(provider: ProviderName, channel: Channel): void {
  const possible = providerOf(provider).channels;
  if (possible.includes(channel)) return;
  const message = `Must be one of: ${possible.join(', ')} for the provider ${provider}.`;
  throw inputError([{ path: 'body.channel', message }]);
}

/** Inserts the connection at a free place, if the plan has one. Of concurrent requests no two get the last place. */
async function insert(connection: ConnectionDocument, limits: LimitsNow): Promise<ConnectionDocument> {
  const { orgId, _id } = connection;
  for (;;) {
    const taken = await ConnectionModel.find({ orgId }, { place: 1 }).lean<Pick<ConnectionDocument, 'place'>[]>();
    requireRoom(limits, { orgId, name: 'channels', present: taken.length });
    const placed = { ...connection, place: freePlace(taken.map(({ place }) => place)) };
    if (await insertIfAbsent<ConnectionDocument>(ConnectionModel, placed)) return placed;
    const same = await ConnectionModel.findOne({ orgId, _id }).lean<ConnectionDocument>();
    if (same) return same;
  }
}

function freePlace(taken: string[]): string {
  let free = 0;
  while (taken.includes(String(free))) free += 1;
  return String(free);
}

/** Completes the operation after the insert. Idempotent. */
async function complete(
  ctx: Ctx,
  operation: Operation,
  connection: ConnectionDocument,
): Promise<z.output<typeof connectionOutput>> {
  const { _id, orgId, channel, provider, name } = connection;
  const { organization } = await call(ctx, 'identity.organizations.describe', { body: { orgId } });
  if (!organization) {
    // The deletion of the organization may have begun before the insert, and has not seen it.
    await ConnectionModel.deleteOne({ orgId, _id });
    throw apiError('CREDENTIAL_INVALID');
  }
  await recordAuditEvent(ctx, {
    id: operation.newId('aud'),
    action: 'notification-channel.connected',
    orgId,
    target: { type: 'notification-channel', id: _id },
    after: { channel, provider, name },
  });
  return toConnectionResponse(connection);
}
