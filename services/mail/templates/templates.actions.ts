import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { exampleId } from '../../../lib/contract/examples.ts';
import { pathId } from '../../../lib/contract/input.ts';
import { emailSpelling } from '../../../lib/format/email-address.ts';
import { localeTag } from '../../../messaging/templates/content.ts';
import { sampleVariables, variablesInput } from '../../../messaging/templates/rendering.ts';
import { findTemplate, findVersion } from '../../../messaging/templates/versions.ts';
import { acceptMessage, contentOfVersion, recoverMessage, sendErrors, sendOutput } from '../messages/send.ts';
import { suppressionOf } from '../suppression-store.ts';
import { mailTemplates } from './kind.ts';

/**
 * POST /v1/mail/templates/:templateId/test: sends a version to one address, with samples for missing values; the latest
 * version by default, published or not.
 */
export const testTemplate = defineAction({
  rest: 'POST /v1/mail/templates/:templateId/test',
  summary: 'Send a test of a mail template',
  description:
    'Sends a version of a template to one address, with the samples in place of variables that you do not send. ' +
    'Without `version` it is the latest one, published or not. A test uses one unit of the plan like any mail.',
  permission: 'mail.send',
  tenant: 'required',
  input: {
    path: z.strictObject({ templateId: pathId('tpl') }),
    body: z
      .strictObject({
        to: emailSpelling.describe('The address to which the test is sent.'),
        version: z.int().min(1).optional().describe('The version; by default the latest one.'),
        locale: localeTag.optional(),
        variables: variablesInput.optional(),
      })
      .meta({ id: 'MailTemplateTestInput' }),
  },
  output: sendOutput,
  status: 202,
  errors: ['NOT_FOUND', ...sendErrors],
  idempotent: { resume: ({ caller: { orgId }, operation }) => recoverMessage(orgId, operation) },
  example: {
    path: { templateId: exampleId('tpl', 'mail') },
    body: { to: 'grace@example.com' },
    output: { messageId: exampleId('msg', 'test'), status: 'queued' },
  },
  async handler({ path: { templateId }, body: { to, version: number, locale, variables }, caller, operation, ctx }) {
    const template = await findTemplate(mailTemplates, caller.orgId, templateId);
    const version = await findVersion(mailTemplates, template, number);
    const content = contentOfVersion(version, sampleVariables(version, variables));
    const suppression = await suppressionOf(caller.orgId, to);
    return await acceptMessage(ctx, { orgId: caller.orgId, operation, content, to, suppression, locale });
  },
});
