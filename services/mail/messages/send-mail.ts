import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { emailSpelling } from '../../../lib/email-address.ts';
import { exampleId } from '../../../lib/examples.ts';
import { localeTag } from '../../../messaging/templates/content.ts';
import { liveVersion, requireVariables, variablesInput } from '../../../messaging/templates/rendering.ts';
import { suppressionOf } from '../suppressions/store.ts';
import { mailTemplates } from '../templates/kind.ts';
import { acceptMessage, recoverMessage, sendErrors, sendOutput } from './accept.ts';
import { attachmentsInput, requireAttachable } from './attachments.ts';

/**
 * POST /v1/mail/send: sends a template to one recipient. 202 means that the message is stored durably, with the
 * currently published version of the template.
 */
export const sendMail = defineAction({
  rest: 'POST /v1/mail/send',
  summary: 'Send a mail',
  permission: 'mail.send',
  tenant: 'required',
  input: {
    body: z.strictObject({
      to: emailSpelling,
      templateId: z.string().min(1, 'Required.').max(100),
      variables: variablesInput.default({}),
      locale: localeTag.optional(),
      replyTo: emailSpelling.optional(),
      attachments: attachmentsInput,
    }),
  },
  output: sendOutput,
  status: 202,
  errors: sendErrors,
  idempotent: { resume: ({ caller: { orgId }, operation }) => recoverMessage(orgId, operation) },
  example: {
    body: {
      to: 'grace@example.com',
      templateId: exampleId('tpl', 'mail'),
      variables: { name: 'Grace', orderNumber: 'A-1042' },
    },
    output: { messageId: exampleId('msg'), status: 'queued' },
  },
  async handler({ body, caller: { orgId }, operation, ctx }) {
    const { to, templateId, variables, locale, replyTo, attachments } = body;
    const [version, suppression] = await Promise.all([
      liveVersion(mailTemplates, orgId, templateId),
      suppressionOf(orgId, to),
    ]);
    const values = requireVariables(version, variables);
    await requireAttachable(ctx, orgId, attachments);
    return await acceptMessage(ctx, {
      orgId,
      operation,
      version,
      values,
      to,
      suppression,
      locale,
      replyTo,
      attachments,
    });
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'mail.messages.send': typeof sendMail;
  }
}
