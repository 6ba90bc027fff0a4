import { type CallOutput, call } from '../../../lib/contract/context.ts';
import { orNull } from '../../../lib/contract/errors.ts';
import { renderChoice } from '../../../web/fields.ts';
import { type Html, html } from '../../../web/html.ts';
import { renderIcon } from '../../../web/icons.ts';
import { type OrganizationVisit, pathOf } from '../../../web/organization-page.ts';
import { renderAvatar } from '../../../web/states.ts';
import { isApplication } from '../subjects.ts';
import { nameOfRole, namesOf, type Permission, type Role, type Subject } from './roles-page.ts';
import { texts } from './texts.ts';

type Known = { roles: readonly Role[]; permissions: readonly Permission[]; subjects: readonly Subject[] };
type Explanation = CallOutput<'access.explain'>;

/** Renders the check of one subject and permission, and its answer as the path from the subject to the permission. */
export async function renderCheck(visit: OrganizationVisit, known: Known): Promise<Html> {
  const { query, ctx, orgId } = visit;
  const t = texts().check;
  const subject = typeof query.subject === 'string' ? query.subject : '';
  const permission = typeof query.permission === 'string' ? query.permission : '';
  const name = known.subjects.find(({ id }) => id === subject)?.name;
  const who = isApplication(subject) ? { applicationId: subject } : { userId: subject };
  const answer =
    name === undefined || permission === '' || permission.length > 256
      ? null
      : await call(ctx, 'access.explain', { body: { ...who, permission, context: { orgId } } });
  return html`<form class="panel" method="get" action="${pathOf(visit, 'roles')}" aria-labelledby="h-check">
<header><h2 id="h-check">${t.title}</h2></header>
<div class="body stack">
${renderChoice({ name: 'subject', label: t.subject, options: known.subjects.map((one) => [one.id, one.name] as const) }, subject)}
${renderChoice({ name: 'permission', label: t.permission, options: known.permissions.map(({ key }) => [key, key] as const) }, permission)}
<div><button class="btn">${t.submit}</button></div>
${answer && name !== undefined && renderAnswer({ id: subject, name }, permission, answer, known.roles)}
</div></form>`;
}

function renderAnswer(subject: Subject, permission: string, answer: Explanation, roles: readonly Role[]): Html {
  const t = texts().check;
  if (answer.allowed) {
    return html`<div class="answer good" role="status">${renderIcon('ok')}<div><b>${t.yes(subject.name, permission)}</b></div></div>
${answer.because.map((reason) => renderPath(subject, reason, roles))}`;
  }
  const reasons: Record<string, string | undefined> = t.reasons;
  const { missing } = answer;
  const would = missing?.roles ?? [];
  return html`<div class="answer bad" role="status">${renderIcon('bad')}<div><b>${t.no(subject.name, permission)}</b><span class="sub-line">${reasons[missing?.reason ?? ''] ?? t.otherReason}</span></div></div>
${would.length > 0 && html`<p class="small">${t.wouldAllow} ${would.map((id) => nameOf(id, roles)).join(', ')}</p>`}`;
}

/** The way from a subject by an assigned role, and the roles that it includes, to the permission. */
function renderPath(
  subject: Subject,
  { roleId, through, permission }: Explanation['because'][number],
  roles: readonly Role[],
): Html {
  const t = texts().check;
  const role = (id: string, words: string): Html =>
    html`<li><span class="ico">${renderIcon('shield', 'xs')}</span><span><b><bdi>${nameOf(id, roles)}</bdi></b><span class="sub-line quiet">${words}</span></span></li>
`;
  return html`<ol class="path"><li>${renderSubject(subject)}<span><b><bdi>${subject.name}</bdi></b></span></li>
${role(roleId, t.assigned)}${through.map((id) => role(id, t.included))}<li><span class="ico">${renderIcon('key', 'xs')}</span><span><code>${permission}</code><span class="sub-line quiet">${t.inRole}</span></span></li></ol>`;
}

function nameOf(id: string, roles: readonly Role[]): string {
  const role = roles.find((one) => one.id === id);
  return role ? nameOfRole(role) : id;
}

/** The picture of a member or an application. */
export function renderSubject({ id, name }: Subject): Html {
  return isApplication(id) ? html`<span class="ico">${renderIcon('app', 'xs')}</span>` : renderAvatar({ id, name });
}

const shownMembers = '20';

/** Renders the question which members hold a permission, and those who do. */
export async function renderWhoCan(visit: OrganizationVisit, known: Omit<Known, 'roles'>): Promise<Html> {
  const t = texts().whoCan;
  const { query } = visit;
  const permission = typeof query.who === 'string' ? query.who : '';
  const holders = permission === '' ? null : await readHolders(visit, permission);
  return html`<section class="panel" aria-labelledby="h-who">
<header><h2 id="h-who">${t.title}</h2></header>
<form class="body stack" method="get" action="${pathOf(visit, 'roles')}">${renderChoice({ name: 'who', label: t.permission, options: known.permissions.map(({ key }) => [key, key] as const) }, permission)}
<div><button class="btn">${t.submit}</button></div></form>
${holders && (await renderHolders(visit, permission, holders, known.subjects))}
</section>`;
}

type Holders = CallOutput<'access.permissions.list-users'>;

/** Null for a key that the organization has not registered. */
async function readHolders({ ctx, query }: OrganizationVisit, key: string): Promise<Holders | null> {
  const { cursor } = query;
  const range = { limit: shownMembers, ...(typeof cursor === 'string' && { cursor }) };
  return await orNull(call(ctx, 'access.permissions.list-users', { path: { key }, query: range }), 'NOT_FOUND');
}

async function renderHolders(
  visit: OrganizationVisit,
  permission: string,
  { data, nextCursor }: Holders,
  subjects: readonly Subject[],
): Promise<Html> {
  const t = texts().whoCan;
  if (data.length === 0) return html`<p class="body quiet">${t.none}</p>`;
  const ids = data.map(({ userId }) => userId);
  const names = await namesOf(visit, ids, subjects);
  return html`<ul class="list body">${ids.map((id) => {
    const name = names.get(id) ?? id;
    return html`<li>${renderSubject({ id, name })}<span class="grow clip"><bdi>${name}</bdi></span></li>
`;
  })}</ul>
${nextCursor && html`<p class="body"><a class="link" href="${pathOf(visit, 'roles', [], { who: permission, cursor: nextCursor })}">${t.more}</a></p>`}`;
}
