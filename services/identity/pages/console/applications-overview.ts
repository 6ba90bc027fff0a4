import { settings } from '../../../../lib/settings/settings.ts';
import type { Refusal } from '../../../../web/attempt.ts';
import { renderSecret } from '../../../../web/copy.ts';
import { type Html, html } from '../../../../web/html.ts';
import {
  type OrganizationVisit,
  pathOf,
  renderOrganizationPage,
  renderReadOnly,
} from '../../../../web/organization-page.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { flashMessage } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';
import { findClient, renderClient } from './applications-client.ts';
import { renderKeys } from './applications-keys.ts';
import { type Application, crumbsTo, renderApplicationHead } from './applications-page.ts';
import { renderQuickstart } from './applications-quickstart.ts';

type Outcome = {
  /** New secrets, which are shown this once. */
  apiKey?: string;
  clientSecret?: string;
  refusal?: Refusal;
};

/** Renders the page of an application: its keys, its OAuth client and how to use them. */
export async function renderApplication(
  visit: OrganizationVisit,
  application: Application,
  { apiKey, clientSecret, refusal }: Outcome = {},
): Promise<PageAnswer> {
  const t = texts().consoleApplications;
  const [keys, client] = await Promise.all([renderKeys(visit, application), findClient(visit, application)]);
  return renderOrganizationPage(visit, {
    title: application.name,
    parents: crumbsTo(visit),
    head: renderApplicationHead(visit, application, 'overview'),
    notice: apiKey || clientSecret ? null : flashMessage(visit, t.notices),
    refusal,
    body: html`${renderReadOnly(visit)}
${apiKey && renderNewKey(visit, apiKey)}
${clientSecret && renderSecret({ id: 'client-secret', text: clientSecret, ...t.client.secret })}
${keys}
<div class="sec half">${renderClient(visit, application, client)}
${renderQuickstart({ orgId: visit.orgId, publicUrl: settings.PUBLIC_URL, client })}</div>`,
  });
}

function renderNewKey(visit: OrganizationVisit, text: string): Html {
  const { next, words, ...t } = texts().consoleApplications.keys.secret;
  const link = html` <a class="link" href="${pathOf(visit, 'events')}">${next}</a>`;
  return renderSecret({ id: 'api-key', text, ...t, words: html`${words}${visit.shell.seen.has('events') && link}` });
}
