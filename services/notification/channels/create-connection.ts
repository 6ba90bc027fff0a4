import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import type { Ctx } from '../../../lib/caller.ts';
import { call } from '../../../lib/calls.ts';
import { now } from '../../../lib/clock.ts';
import { apiError, inputError } from '../../../lib/errors.ts';
import { insertIfAbsent } from '../../../lib/insert-unless-there.ts';
import { type JsonSchema, toJsonSchema } from '../../../lib/json-schema.ts';
import type { Operation } from '../../../lib/operation.ts';
import { type LimitsNow, limitsOf, requireRoom } from '../../../lib/plan-limits.ts';
import {
  type Channel,
  type ConnectionDocument,
  ConnectionModel,
  channels,
  type ProviderName,
  providerNames,
} from '../../../models/notification/connection.ts';
import { providerOf } from '../providers/providers.ts';
import {
  connectionChoices,
  connectionOutput,
  defaultPriority,
  exampleConnection,
  sealCredentials,
  toConnectionResponse,
} from './connections.ts';
import { anyCredentials, parseCredentials, requireUsable, verifyNew } from './verify.ts';

/**
 * POST /v1/notifications/channels: connects a channel by a provider, after the provider has verified the credentials.
 * If the provider cannot be reached, the connection is a draft, which a test message connects.
 */
export const createConnection = defineAction({
  rest: 'POST /v1/notifications/channels',
  summary: 'Connect a channel',
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
      .meta({ oneOf: providerNames.map(bodyFor) }),
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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'notification.channels.create': typeof createConnection;
  }
}
