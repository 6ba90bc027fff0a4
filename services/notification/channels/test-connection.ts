import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { inputError } from '../../../lib/contract/errors.ts';
import { exampleId } from '../../../lib/contract/examples.ts';
import { now, second } from '../../../lib/data/clock.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { type ConnectionDocument, ConnectionModel } from '../../../models/notification/connection.ts';
import { type NotificationDocument, NotificationModel } from '../../../models/notification/notification.ts';
import { providerOf } from '../providers/providers.ts';
import { findNotification, shownStatuses, toStatusResponse } from '../sending/notifications.ts';
import { statusAfterAttempt } from '../sending/route.ts';
import { accept } from '../sending/send.ts';
import { texts } from '../texts.ts';
import { requireUsable } from './change-connection.ts';
import {
  connectionOutput,
  connectionPath,
  exampleConnection,
  findConnection,
  toConnectionResponse,
} from './connections.ts';

/** Longer than a provider may take to answer. */
const patience = 20 * second;

const output = z
  .strictObject({
    notificationId: z.string(),
    status: z.enum(shownStatuses).describe('The status of the test message.'),
    error: z.string().nullable().describe('Why it was not sent; null if it was.'),
    channel: connectionOutput.describe('The connection after the test.'),
  })
  .meta({ id: 'ChannelTest' });

/**
 * POST /v1/notifications/channels/:channelId/test: sends one message by this connection, in any state. Its success
 * connects a draft, or one whose credentials were refused before. It takes a unit of the quota like any other message.
 */
export const testConnection = defineAction({
  rest: 'POST /v1/notifications/channels/:channelId/test',
  summary: 'Send a test message by a channel connection',
  description:
    'Sends a test message by this connection, in any state, and waits up to 20 seconds for the outcome. A success ' +
    'connects a draft, and a connection whose credentials were refused before. It uses one unit of the plan like ' +
    'any notification.',
  permission: 'notification.channels.write',
  tenant: 'required',
  input: {
    path: connectionPath,
    body: z
      .strictObject({
        recipientId: z.string().trim().min(1).max(512).describe('The address of the recipient at the provider.'),
      })
      .meta({ id: 'ChannelTestInput' }),
  },
  output,
  errors: ['NOT_FOUND', 'PLAN_LIMIT_EXCEEDED', 'SERVICE_NOT_INCLUDED', 'PAYMENT_REQUIRED'],
  limits: { milliseconds: 30_000 },
  idempotent: {
    async resume({ path: { channelId }, caller: { orgId }, operation }) {
      const made = { orgId, _id: operation.newId('ntf') };
      const notification = await NotificationModel.findOne(made).lean<NotificationDocument>();
      return notification && (await answerOf(notification, await findConnection(orgId, channelId)));
    },
  },
  example: {
    path: { channelId: exampleConnection.id },
    body: { recipientId: '123456789' },
    output: { notificationId: exampleId('ntf'), status: 'sent', error: null, channel: exampleConnection },
  },
  async handler({ path: { channelId }, body: { recipientId }, caller: { orgId }, operation, ctx }) {
    const connection = await findConnection(orgId, channelId);
    requireUsable(connection.provider, ctx);
    const address = providerOf(connection.provider).addressOf(recipientId);
    if (address === null) {
      const message = `The provider ${connection.provider} does not take this recipient.`;
      throw inputError([{ path: 'body.recipientId', message }]);
    }
    const _id = operation.newId('ntf');
    const accepted = {
      _id,
      orgId,
      channel: connection.channel,
      recipientId,
      addresses: [recipientId],
      templateId: null,
      templateVersion: null,
      locale: null,
      onlyConnection: channelId,
      content: testContent(),
    };
    await statusAfterAttempt(accepted, patience, () => accept(ctx, accepted));
    return await answerOf(await findNotification(orgId, _id), connection);
  },
});

function testContent() {
  const { subject, text } = texts().test;
  const category = 'transactional' as const;
  return { category, subject: subject(settings.BRAND_NAME), text: text(settings.BRAND_NAME), html: '', whatsapp: null };
}

async function answerOf({ _id, status, lastError }: NotificationDocument, connection: ConnectionDocument) {
  if (status === 'sent') await connect(connection);
  const channel = toConnectionResponse(await findConnection(connection.orgId, connection._id));
  return {
    notificationId: _id,
    status: toStatusResponse(status),
    error: status === 'sent' ? null : lastError,
    channel,
  };
}

/** Marks the connection as connected after a sent message, unless its credentials were changed concurrently. */
async function connect({ orgId, _id, sealedCredentials }: ConnectionDocument): Promise<void> {
  const at = now();
  const same = { orgId, _id, sealedCredentials };
  const confirmed = { lastError: null, verifiedAt: at, updatedAt: at };
  await ConnectionModel.updateOne(same, { $set: confirmed });
  await ConnectionModel.updateOne({ ...same, state: { $in: ['draft', 'error'] } }, { $set: { state: 'connected' } });
}
