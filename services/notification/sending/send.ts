import type { Context } from 'moleculer';
import { z } from 'zod';
import { withQuota } from '../../../lib/clients/quota.ts';
import { type CallOutput, call } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { type ErrorCode, inputError } from '../../../lib/contract/errors.ts';
import type { Operation } from '../../../lib/contract/idempotency.ts';
import { now, second } from '../../../lib/data/clock.ts';
import { insertIfAbsent } from '../../../lib/data/collection.ts';
import { newDelivery } from '../../../messaging/delivery/documents.ts';
import { limits, localeTag, type Values } from '../../../messaging/templates/content.ts';
import type { TemplateVersionDocument } from '../../../messaging/templates/documents.ts';
import { TemplateError } from '../../../messaging/templates/liquid.ts';
import {
  liveVersion,
  renderVersion,
  requireVariables,
  variablesInput,
} from '../../../messaging/templates/rendering.ts';
import { turnOf } from '../../../messaging/templates/turns.ts';
import { type Channel, type ConnectionDocument, channels } from '../../../models/notification/connection.ts';
import { type NotificationDocument, NotificationModel } from '../../../models/notification/notification.ts';
import { connectedOf } from '../channels/connections.ts';
import { providerOf } from '../providers/providers.ts';
import { templateKind } from '../templates/templates.ts';
import { contentOf, type NotificationContent, sealContent } from './content.ts';
import { exampleNotification } from './notifications.ts';
import { capacity, wake } from './queue.ts';
import { recipientKeys } from './recipients.ts';
import { statusAfterAttempt } from './route.ts';

type Contact = NonNullable<CallOutput<'context.customers.contact'>['contact']>;

/** Which identifiers of a customer are addresses on a channel, the likeliest first. */
const addressesOn: Record<Channel, (contact: Contact) => string[]> = {
  phone: ({ phones }) => phones,
  email: ({ emails }) => emails,
  chatapp: ({ phones, ids }) => [...phones, ...ids],
  photoapp: ({ ids }) => ids,
  socialapp: ({ ids }) => ids,
  microblog: ({ ids }) => ids,
  web: ({ ids }) => ids,
};

/**
 * The addresses of a recipient: the addresses of the customer with this id, otherwise the text itself.
 *
 * @throws INPUT_INVALID naming `body.recipientId` when no connection of the channel can reach it; UNAVAILABLE.
 */
export async function addressesOf(
  ctx: Context,
  { orgId, channel, recipientId }: { orgId: string; channel: Channel; recipientId: string },
  connections: ConnectionDocument[],
): Promise<string[]> {
  const { contact } = await call(ctx, 'context.customers.contact', { body: { orgId, customerId: recipientId } });
  const isCustomer = contact !== null || /^cus_\w+$/.test(recipientId);
  const candidates = contact === null ? (isCustomer ? [] : [recipientId]) : addressesOn[channel](contact);
  const isUsable = (address: string) =>
    connections.some(({ provider }) => providerOf(provider).addressOf(address) !== null);
  const usable = candidates.filter(isUsable);
  if (usable.length > 0) return usable;
  const message =
    contact !== null
      ? `The customer has no identifier that is an address on the channel ${channel}.`
      : isCustomer
        ? 'No customer has this id.'
        : `No provider that the channel ${channel} is connected to takes this recipient.`;
  throw inputError([{ path: 'body.recipientId', message }]);
}

export type Accepted = Pick<
  NotificationDocument,
  '_id' | 'orgId' | 'channel' | 'recipientId' | 'addresses' | 'templateId' | 'templateVersion' | 'locale' | 'resentFrom'
> & { onlyConnection?: string; content: NotificationContent };

/**
 * Stores a notification durably for sending, under one unit of the organization's quota. Idempotent by its id.
 *
 * @throws PLAN_LIMIT_EXCEEDED, SERVICE_NOT_INCLUDED, PAYMENT_REQUIRED, UNAVAILABLE, and RATE_LIMITED when too many wait.
 */
export async function accept(
  ctx: Context,
  { content, onlyConnection = undefined, ...accepted }: Accepted,
): Promise<void> {
  const { orgId, _id } = accepted;
  await capacity.add(orgId);
  const meter = 'notification.sendsPerMonth' as const;
  await withQuota(ctx, { orgId, meter, amount: 1, key: _id }, async () => {
    const at = now();
    await insertIfAbsent<NotificationDocument>(NotificationModel, {
      ...accepted,
      ...newDelivery(at),
      recipients: recipientKeys([accepted.recipientId, ...accepted.addresses]),
      sealedContent: sealContent(content),
      onlyConnection: onlyConnection ?? null,
      connectionId: null,
      provider: null,
      providerMessageId: null,
      events: [{ type: 'queued', at, connectionId: null, provider: null, reason: null }],
      sentAt: null,
    });
  });
  wake.wake();
}

/** How long a request waits for the first attempt, to answer `sent`. */
const patience = 1.5 * second;

/** `queued`: accepted durably; the outcome is read at GET /v1/notifications/:notificationId. */
export const sendOutput = z
  .strictObject({
    notificationId: z.string(),
    channel: z.enum(channels),
    status: z
      .enum(['sent', 'queued'])
      .describe('`sent`: the provider took it. `queued`: it is stored durably and will be tried.'),
  })
  .meta({ id: 'SentNotification' });

export const sendErrors: ErrorCode[] = ['PLAN_LIMIT_EXCEEDED', 'SERVICE_NOT_INCLUDED', 'PAYMENT_REQUIRED'];

/** A customer's id, or the recipient's address at the provider of the channel. */
export const recipientId = z
  .string()
  .trim()
  .min(1, 'Must be a customer id or an address.')
  .max(512, 'Must be at most 512 characters.')
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'Must not contain control characters.');

type Sending = {
  orgId: string;
  channel: Channel;
  recipientId: string;
  version: TemplateVersionDocument;
  values: Values;
  locale: string | undefined;
  operation: Operation;
};

/**
 * Renders a version, accepts the notification and waits for its first attempt, for a moment.
 *
 * @throws INPUT_INVALID naming the channel, the recipient or the variables; the errors of {@link accept}.
 */
export async function sendVersion(
  ctx: Context,
  { orgId, channel, recipientId: to, version, values, locale, operation }: Sending,
): Promise<z.output<typeof sendOutput>> {
  const connections = await requireConnected(orgId, channel);
  const addresses = await addressesOf(ctx, { orgId, channel, recipientId: to }, connections);
  const rendered = await renderOrRefuse(await turnOf(ctx, orgId), version, { locale, variables: values });
  const accepted = {
    _id: operation.newId('ntf'),
    orgId,
    channel,
    recipientId: to,
    addresses,
    templateId: version.templateId,
    templateVersion: version.version,
    locale: rendered.locale,
    content: contentOf(version.category, rendered),
  };
  return await sendAccepted(ctx, accepted);
}

/**
 * Accepts a notification, and waits a moment for its first attempt.
 *
 * @throws the errors of {@link accept}.
 */
export async function sendAccepted(ctx: Context, accepted: Accepted): Promise<z.output<typeof sendOutput>> {
  const status = await statusAfterAttempt(accepted, patience, () => accept(ctx, accepted));
  return answerOf({ ...accepted, status });
}

/** The answer of an operation that an earlier run has completed; null when that run accepted nothing. */
export async function recoverSent(orgId: string, operation: Operation): Promise<z.output<typeof sendOutput> | null> {
  const made = { orgId, _id: operation.newId('ntf') };
  const notification = await NotificationModel.findOne(made).lean<NotificationDocument>();
  return notification && answerOf(notification);
}

function answerOf({ _id, channel, status }: Pick<NotificationDocument, '_id' | 'channel' | 'status'>) {
  return { notificationId: _id, channel, status: status === 'sent' ? ('sent' as const) : ('queued' as const) };
}

async function requireConnected(orgId: string, channel: Channel): Promise<ConnectionDocument[]> {
  const connections = await connectedOf(orgId, channel);
  if (connections.length > 0) return connections;
  throw inputError([{ path: 'body.channel', message: `The channel ${channel} is not connected. Connect it first.` }]);
}

async function renderOrRefuse(
  ...[turn, version, choice]: Parameters<typeof renderVersion>
): ReturnType<typeof renderVersion> {
  try {
    return await renderVersion(turn, version, choice);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw inputError([{ path: 'body.variables', message: error.message }]);
  }
}

/** POST /v1/notifications/send: sends the live version of a template to one recipient on a channel. */
export const sendNotification = defineAction({
  rest: 'POST /v1/notifications/send',
  summary: 'Send a notification',
  description:
    'Sends the published version of a template to one recipient on a channel: a customer by id, or an address at ' +
    'the provider. Waits up to 1.5 seconds for the first attempt: `sent` means that the provider took it, `queued` ' +
    'that it is stored durably and will be tried for 24 hours. The connections of the channel are tried in the ' +
    'order of their priority. Uses one unit of the plan.',
  permission: 'notification.send',
  tenant: 'required',
  input: {
    body: z
      .strictObject({
        channel: z.enum(channels),
        recipientId,
        templateId: z.string().max(64),
        variables: variablesInput.default({}),
        locale: localeTag.optional(),
      })
      .meta({ id: 'NotificationInput' }),
  },
  output: sendOutput,
  errors: sendErrors,
  limits: { bodyBytes: limits.bodyBytes },
  idempotent: { resume: ({ caller: { orgId }, operation }) => recoverSent(orgId, operation) },
  example: {
    body: {
      channel: 'chatapp',
      recipientId: exampleNotification.recipientId,
      templateId: exampleNotification.templateId,
      variables: { name: 'Jean', orderId: 'A-1001' },
    },
    output: { notificationId: exampleNotification.notificationId, channel: 'chatapp', status: 'sent' },
  },
  async handler({ body, caller: { orgId }, operation, ctx }) {
    const { channel, recipientId: to, templateId, variables, locale } = body;
    const version = await liveVersion(templateKind, orgId, templateId);
    const values = requireVariables(version, variables);
    return await sendVersion(ctx, { orgId, channel, recipientId: to, version, values, locale, operation });
  },
});
