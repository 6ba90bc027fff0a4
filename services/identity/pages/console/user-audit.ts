import { call } from '../../../../lib/contract/context.ts';
import { encodeCursor } from '../../../../lib/contract/input.ts';
import { withQuery } from '../../../../web/filters.ts';
import { type Html, html } from '../../../../web/html.ts';
import { renderIcon } from '../../../../web/icons.ts';
import { type OrganizationVisit, organizationPage } from '../../../../web/organization-page.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { renderEmpty, renderPager } from '../../../../web/table.ts';
import { renderWhen } from '../../../../web/time.ts';
import { deviceName } from '../../sessions.ts';
import { deviceInWords } from '../device.ts';
import { texts } from '../texts.ts';
import {
  type AuditRecord,
  actionInWords,
  actorIcons,
  type Names,
  nameOfActor,
  readNames,
  roleChangeOf,
} from './audit-words.ts';
import { readUserInPath, rejectWithout, renderUser, userPath } from './users-page.ts';

/** The page of the audit records that have a user as actor or target. */
export const userAuditPages = {
  'pages.console.users.audit': organizationPage('users', {
    rest: 'GET /:userId/audit',
    summary: 'Show the audit records of a user',
    handler: renderAudit,
  }),
};

const pageSize = 30;

async function renderAudit(visit: OrganizationVisit): Promise<PageAnswer> {
  const user = await readUserInPath(visit);
  const refusal = rejectWithout(visit, 'console.audit.read');
  if (refusal) return renderUser(visit, { tab: 'audit', user, refusal, body: null });
  const { cursor } = visit.query;
  const { data, nextCursor } = await readRecords(visit, user.id, typeof cursor === 'string' ? cursor : undefined);
  const here = userPath(visit, user.id, ['audit']);
  const t = texts().people.user.audit;
  return renderUser(visit, {
    tab: 'audit',
    user,
    body: html`<div class="sec-head"><h2>${t.title}</h2></div>
${data.length === 0 ? renderEmpty(t.none) : await renderRecords(visit.orgId, data, visit.user.id)}
${renderPager({
  next: nextCursor && withQuery(here, { cursor: nextCursor }),
  first: typeof cursor === 'string' ? here : null,
})}`,
  });
}

/**
 * A page of the records in which the user is the actor or the target, the newest first: a page of each, merged. Both
 * lists continue behind the last record that is shown, because their cursors are places among all ids.
 */
async function readRecords(
  { ctx, organization }: OrganizationVisit,
  userId: string,
  cursor: string | undefined,
): Promise<{ data: AuditRecord[]; nextCursor: string | null }> {
  const read = (filter: { actorId: string } | { targetId: string }) =>
    call(ctx, 'identity.audit.list', {
      path: { slug: organization.slug },
      query: { limit: String(pageSize), ...filter, ...(cursor !== undefined && { cursor }) },
    });
  const pages = await Promise.all([read({ actorId: userId }), read({ targetId: userId })]);
  const byId = new Map(pages.flatMap((page) => page.data.map((record) => [record.id, record] as const)));
  const records = [...byId.values()].sort((one, other) => (one.id < other.id ? 1 : -1));
  const data = records.slice(0, pageSize);
  const last = data.at(-1);
  const hasMore = records.length > data.length || pages.some((page) => page.nextCursor !== null);
  return { data, nextCursor: hasMore && last ? encodeCursor([last.id]) : null };
}

/** Renders records of an organization's log as a line of time; the reader is "You". */
export async function renderRecords(orgId: string, records: readonly AuditRecord[], reader: string): Promise<Html> {
  const names = await readNames(
    orgId,
    records.map(({ actor }) => actor),
  );
  return html`<ol class="line">${records.map((record) => renderRecord(record, names, reader))}</ol>`;
}

function renderRecord(record: AuditRecord, names: Names, reader: string): Html {
  const { action, actor, address, userAgent, createdAt, count } = record;
  const name = nameOfActor(record, names, reader);
  const { sentence } = texts().overview.activity;
  const details = [
    action,
    roleChangeOf(record),
    count !== undefined && texts().people.user.audit.times(count),
    address,
    userAgent && actor.type !== 'application' && deviceInWords(deviceName(userAgent)),
  ].filter(Boolean);
  return html`<li><span class="pip">${renderIcon(actorIcons[actor.type], 'xs')}</span><p>${sentence(html`<b><bdi>${name}</bdi></b>`, actionInWords(action))}<span class="sub sub-line">${details.join(' · ')}</span></p>${renderWhen(createdAt)}</li>
`;
}
