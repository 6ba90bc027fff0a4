import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { errorCode } from '../../../../lib/contract/errors.ts';
import { allows, type SystemPermission } from '../../../../lib/contract/permissions.ts';
import { type Refusal, refusalOf, refuse } from '../../../../web/attempt.ts';
import { renderConfirmedForm } from '../../../../web/confirm.ts';
import { renderCopyable } from '../../../../web/copy.ts';
import { type Content, type Html, html } from '../../../../web/html.ts';
import { type OrganizationVisit, pathOf, renderOrganizationPage } from '../../../../web/organization-page.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { nameOfUser } from '../../../../web/shell.ts';
import { renderAvatar, renderBadge, renderState, renderTabs } from '../../../../web/states.ts';
import { flashMessage, openUserFlow, rejectStaleForm } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';

export type User = CallOutput<'identity.users.read'>;

/** The kind of the forms' tokens. */
const formKind = 'users';

export const openUsersFlow = (visit: OrganizationVisit): string => openUserFlow(visit, formKind);

/** Whether the member who looks holds a permission. */
export const may = ({ scopes }: OrganizationVisit, permission: SystemPermission): boolean => allows(scopes, permission);

/** Why a posted form is rejected: it is stale, or the member lacks the permission; null if it is accepted. */
export function rejectUsersForm(visit: OrganizationVisit, permission: SystemPermission): Refusal | null {
  return rejectStaleForm(visit, formKind) ?? rejectWithout(visit, permission);
}

/** The refusal for a member who lacks a permission; null for one who holds it. */
export function rejectWithout(visit: OrganizationVisit, permission: SystemPermission): Refusal | null {
  return may(visit, permission) ? null : refuse({}, texts().people.lacks(permission), 403);
}

/** The refusal of a call, in words for the member who looks; null on success. */
export async function refusalInWords(names: readonly string[], work: () => Promise<unknown>): Promise<Refusal | null> {
  const words: Record<string, string | undefined> = texts().people.refusals;
  let problem: string | undefined;
  const refusal = await refusalOf(names, async () => {
    try {
      await work();
    } catch (error) {
      problem = words[errorCode(error) ?? ''];
      throw error;
    }
  });
  return refusal && problem !== undefined ? { ...refusal, errors: {}, problem } : refusal;
}

/** The user in the path; throws NOT_FOUND for those who are not members. */
export async function readUserInPath({ ctx, path }: OrganizationVisit): Promise<User> {
  return await readUser(ctx, path.userId ?? '');
}

/** A user of the organization; throws NOT_FOUND for those who are not members. */
export async function readUser(ctx: OrganizationVisit['ctx'], userId: string): Promise<User> {
  return await call(ctx, 'identity.users.read', { path: { userId }, query: {} });
}

/** The path of a user's page, or of a page below it. */
export function userPath(
  visit: Pick<OrganizationVisit, 'organization'>,
  userId: string,
  rest: readonly string[] = [],
  query: Record<string, string> = {},
): string {
  return pathOf(visit, 'users', [userId, ...rest], query);
}

export function renderUserState({ suspendedAt }: Pick<User, 'suspendedAt'>): Html {
  const { states } = texts().people.list;
  return suspendedAt === undefined ? renderState(states.active, 'good') : renderState(states.suspended, 'bad');
}

type Tab = 'overview' | 'access' | 'sessions' | 'messages' | 'audit';

/** The tabs with the permission that each needs beyond the area's. */
const tabs: readonly (readonly [Tab, SystemPermission])[] = [
  ['overview', 'console.users.read'],
  ['access', 'console.access.read'],
  ['sessions', 'console.users.read'],
  ['messages', 'mail.read'],
  ['audit', 'console.audit.read'],
];

type UserPage = { tab: Tab; user: User; body: Content; refusal?: Refusal | null | undefined };

/** Renders a page about one user: the head with the state and the tabs, and the content. */
export function renderUser(visit: OrganizationVisit, { tab, user, body, refusal }: UserPage): PageAnswer {
  const t = texts().people;
  return renderOrganizationPage(visit, {
    title: nameOfUser(user),
    parents: [[pathOf(visit, 'users'), t.list.title]],
    head: renderHead(visit, user, tab),
    notice: flashMessage(visit, t.user.notices),
    refusal,
    body,
  });
}

function renderHead(visit: OrganizationVisit, user: User, tab: Tab): Html {
  const t = texts().people;
  const { id, email, role } = user;
  const name = nameOfUser(user);
  const seen = tabs.filter(([, permission]) => may(visit, permission));
  const links = seen.map(
    ([key]) => [key, userPath(visit, id, key === 'overview' ? [] : [key]), t.user.tabs[key]] as const,
  );
  const isSelf = id === visit.user.id;
  return html`<header class="detail">
${renderAvatar({ name, id, size: 'lg' })}
<div class="grow"><h1><bdi>${name}</bdi> ${renderBadge(t.roles[role])}${isSelf && renderBadge(t.user.you, 'accent')} ${renderUserState(user)}</h1>
<p class="quiet">${name !== email && html`<span class="clip">${email}</span>`}${renderCopyable('user-id', id, t.user.idName)}</p></div>
${may(visit, 'console.users.write') && html`<div class="acts">${renderRecovery(visit, user)}</div>`}
</header>
${renderTabs(t.user.tabs.label, links, tab)}`;
}

function renderRecovery(visit: OrganizationVisit, user: User): Html {
  const { question, ...words } = texts().people.user.recovery;
  return renderConfirmedForm({
    id: 'send-recovery',
    action: userPath(visit, user.id, ['recovery']),
    flow: openUsersFlow(visit),
    question: question(nameOfUser(user)),
    isMild: true,
    ...words,
  });
}
