import { call } from '../../../../lib/contract/context.ts';
import { settings } from '../../../../lib/settings/settings.ts';
import type { Code } from '../../../../web/code.ts';
import { quoteForShell } from '../../../../web/code.ts';
import type { OrganizationVisit } from '../../../../web/organization-page.ts';
import { mailTemplates } from '../../templates/kind.ts';
import { texts } from './texts.ts';

type Variables = readonly { name: string; sample: string }[];

/** A request that mails a template to the reader; the key is the reader's own, in `KEY` of their shell. */
export type Sample = { code: Code; createsTemplate: boolean };

const starter = 'welcome';

/** The sample with the organization's first published template, or one that creates a template from a starter first. */
export async function sampleMail(visit: OrganizationVisit): Promise<Sample> {
  const { ctx, orgId, shell } = visit;
  const { data } = await call(ctx, 'mail.templates.list', { query: { limit: '100' } });
  const live = data.find(({ liveVersion }) => liveVersion !== null);
  const { email } = shell.user;
  if (live) {
    const version = String(live.liveVersion);
    const path = { templateId: live.id };
    const { variables } = await call(ctx, 'mail.templates.read', { path, query: { version } });
    return { code: codeOf(sendTo(orgId, quoteForShell(bodyOf(email, live.id, variables)))), createsTemplate: false };
  }
  const create = `TEMPLATE=$(${post(orgId, '/v1/mail/templates', quoteForShell(JSON.stringify({ starter })))} \\
  | grep -o 'tpl_[0-9a-z]*' | head -1)`;
  const place = '$TEMPLATE';
  const body = quoteForShell(bodyOf(email, place, mailTemplates.starters[starter]?.variables ?? []));
  // The shell puts the new id between two quoted parts.
  const send = sendTo(
    orgId,
    body.replace(place, () => `'${place}'`),
  );
  return { code: codeOf(`${create}\n${send}`), createsTemplate: true };
}

const codeOf = (text: string): Code => ({ label: texts().list.sample, text });

const sendTo = (orgId: string, body: string): string => post(orgId, '/v1/mail/send', body);

function post(orgId: string, path: string, body: string): string {
  return `curl -sS ${settings.PUBLIC_URL}${path} \\
  -H "Authorization: Bearer $KEY" \\
  -H "x-tenant-id: ${orgId}" \\
  -H "Content-Type: application/json" \\
  -d ${body}`;
}

function bodyOf(to: string, templateId: string, variables: Variables): string {
  const values = Object.fromEntries(variables.map(({ name, sample }) => [name, sample]));
  return JSON.stringify({ to, templateId, variables: values }, null, 2);
}
