import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { limits, localeTag } from '../../../messaging/templates/content.ts';
import { liveVersion, requireVariables, variablesInput } from '../../../messaging/templates/rendering.ts';
import { channels } from '../../../models/notification/connection.ts';
import { templateKind } from '../templates/kind.ts';
import { exampleNotification } from './notifications.ts';
import { recipientId, recoverSent, sendErrors, sendOutput, sendVersion } from './send.ts';

/** POST /v1/notifications/send: sends the live version of a template to one recipient on a channel. */
export const sendNotification = defineAction({
  rest: 'POST /v1/notifications/send',
  summary: 'Send a notification',
  permission: 'notification.send',
  tenant: 'required',
  input: {
    body: z.strictObject({
      channel: z.enum(channels),
      recipientId,
      templateId: z.string().max(64),
      variables: variablesInput.default({}),
      locale: localeTag.optional(),
    }),
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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'notification.notifications.send': typeof sendNotification;
  }
}
