import type { Context } from 'moleculer';
import { z } from 'zod';
import { second } from '../../../lib/clock.ts';
import { type ErrorCode, inputError } from '../../../lib/errors.ts';
import type { Operation } from '../../../lib/operation.ts';
import type { Values } from '../../../messaging/templates/content.ts';
import type { TemplateVersionDocument } from '../../../messaging/templates/documents.ts';
import { TemplateError } from '../../../messaging/templates/liquid.ts';
import { renderVersion } from '../../../messaging/templates/rendering.ts';
import { turnOf } from '../../../messaging/templates/turns.ts';
import { type Channel, type ConnectionDocument, channels } from '../../../models/notification/connection.ts';
import { type NotificationDocument, NotificationModel } from '../../../models/notification/notification.ts';
import { connectedOf } from '../channels/connections.ts';
import { accept } from './accept.ts';
import { contentOf } from './content.ts';
import { statusAfterAttempt } from './outcomes.ts';
import { addressesOf } from './recipient.ts';

/** How long a request waits for the first attempt, to answer `sent`. */
const patience = 1.5 * second;

/** `queued`: accepted durably; the outcome is read at GET /v1/notifications/:notificationId. */
export const sendOutput = z
  .strictObject({
    notificationId: z.string(),
    channel: z.enum(channels),
    status: z.enum(['sent', 'queued']),
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
