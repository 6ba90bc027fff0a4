import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { exampleId } from '../../../lib/contract/examples.ts';
import { pathId } from '../../../lib/contract/input.ts';
import { limits, localeTag } from '../../../messaging/templates/content.ts';
import { sampleVariables, variablesInput } from '../../../messaging/templates/rendering.ts';
import { findTemplate, findVersion } from '../../../messaging/templates/versions.ts';
import { channels } from '../../../models/notification/connection.ts';
import { recipientId, recoverSent, sendErrors, sendOutput, sendVersion } from '../sending/send.ts';
import { templateKind } from './templates.ts';

/**
 * POST /v1/notifications/templates/:templateId/test: sends a version to one recipient, with the samples in place of the
 * variables that are not sent. The latest version without a number, also one that is not published.
 */
export const testTemplate = defineAction({
  rest: 'POST /v1/notifications/templates/:templateId/test',
  summary: 'Send a test of a notification template',
  description:
    'Sends a version of a template to one recipient, with the samples in place of variables that you do not send. ' +
    'Without `version` it is the latest one, published or not. A test uses one unit of the plan like any ' +
    'notification.',
  permission: 'notification.send',
  tenant: 'required',
  input: {
    path: z.strictObject({ templateId: pathId('tpl') }),
    body: z
      .strictObject({
        channel: z.enum(channels),
        recipientId,
        version: z.int().min(1).optional().describe('The version; by default the latest one.'),
        locale: localeTag.optional(),
        variables: variablesInput.optional(),
      })
      .meta({ id: 'NotificationTemplateTestInput' }),
  },
  output: sendOutput,
  errors: ['NOT_FOUND', ...sendErrors],
  limits: { bodyBytes: limits.bodyBytes },
  idempotent: { resume: ({ caller: { orgId }, operation }) => recoverSent(orgId, operation) },
  example: {
    path: { templateId: exampleId('tpl', 'notification') },
    body: { channel: 'chatapp', recipientId: '123456789' },
    output: { notificationId: exampleId('ntf'), channel: 'chatapp', status: 'sent' },
  },
  async handler({ path: { templateId }, body, caller: { orgId }, operation, ctx }) {
    const { channel, recipientId: to, locale, variables } = body;
    const template = await findTemplate(templateKind, orgId, templateId);
    const version = await findVersion(templateKind, template, body.version);
    const values = sampleVariables(version, variables);
    return await sendVersion(ctx, { orgId, channel, recipientId: to, version, values, locale, operation });
  },
});
