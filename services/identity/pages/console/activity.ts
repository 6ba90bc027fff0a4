import { call } from '../../../../lib/contract/context.ts';
import { type Html, html } from '../../../../web/html.ts';
import { renderIcon } from '../../../../web/icons.ts';
import { type OrganizationVisit, pathOf } from '../../../../web/organization-page.ts';
import { renderShortTime } from '../../../../web/time.ts';
import { texts } from '../texts.ts';
import { type AuditRecord, actionInWords, type Names, nameOfActor, readNames, renderActor } from './audit-words.ts';

const shown = '8';

/** Renders the newest records of the organization's audit log, each as a sentence. */
export async function renderActivity(visit: OrganizationVisit): Promise<Html> {
  const { ctx, organization, orgId, user } = visit;
  const { data } = await call(ctx, 'identity.audit.list', {
    path: { slug: organization.slug },
    query: { limit: shown },
  });
  const names = await readNames(
    orgId,
    data.map(({ actor }) => actor),
  );
  const t = texts().overview.activity;
  return html`<section class="sec" aria-labelledby="h-activity">
<div class="sec-head"><h2 id="h-activity">${t.title}</h2><a class="btn plain sm" href="${pathOf(visit, 'logs')}">${t.all}${renderIcon('right')}</a></div>
${data.length === 0 ? html`<p class="quiet">${t.none}</p>` : html`<ul class="list">${data.map((record) => renderRecord(record, names, user.id))}</ul>`}</section>`;
}

function renderRecord(record: AuditRecord, names: Names, reader: string): Html {
  const { action, createdAt } = record;
  const name = nameOfActor(record, names, reader);
  const { sentence } = texts().overview.activity;
  return html`<li>${renderActor(record, names)}<span class="grow">${sentence(html`<b><bdi>${name}</bdi></b>`, actionInWords(action))}</span>${renderShortTime(createdAt)}</li>
`;
}
