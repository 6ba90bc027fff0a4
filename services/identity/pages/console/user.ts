import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import type { SystemPermission } from '../../../../lib/contract/permissions.ts';
import type { Refusal } from '../../../../web/attempt.ts';
import { type ConfirmedForm, renderConfirmedForm } from '../../../../web/confirm.ts';
import { type Fact, renderFacts } from '../../../../web/facts.ts';
import { renderChoice } from '../../../../web/fields.ts';
import { type Html, html } from '../../../../web/html.ts';
import { type OrganizationVisit, organizationPage, pathOf } from '../../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { nameOfUser } from '../../../../web/shell.ts';
import { renderState } from '../../../../web/states.ts';
import { renderName, renderTable } from '../../../../web/table.ts';
import { renderTime, renderWhen } from '../../../../web/time.ts';
import { renderZone, type ZoneAct } from '../../../../web/zone.ts';
import { readMember } from '../../members.ts';
import { texts } from '../texts.ts';
import { roleOptions } from './role-options.ts';
import {
  may,
  openUsersFlow,
  readUserInPath,
  refusalInWords,
  rejectUsersForm,
  renderUser,
  renderUserState,
  type User,
  userPath,
} from './users-page.ts';

/** The first page of a user, with what an administrator can do to the membership and the account. */
export const userPages = {
  'pages.console.users.show': organizationPage('users', {
    rest: 'GET /:userId',
    summary: 'Show a user of an organization',
    handler: async (visit) => renderOverview(visit, await readUserInPath(visit)),
  }),
  'pages.console.users.role': organizationPage('users', {
    rest: 'POST /:userId/role',
    summary: 'Change the role of a member on their page',
    handler: changeRole,
  }),
  'pages.console.users.suspend': organizationPage('users', {
    rest: 'POST /:userId/suspend',
    summary: 'Suspend a member on their page',
    handler: actOn('console.orgs.write', 'suspended', (visit, member) =>
      call(visit.ctx, 'identity.members.suspend', { path: member }),
    ),
  }),
  'pages.console.users.restore': organizationPage('users', {
    rest: 'POST /:userId/restore',
    summary: 'End the suspension of a member on their page',
    handler: actOn('console.orgs.write', 'restored', (visit, member) =>
      call(visit.ctx, 'identity.members.restore', { path: member }),
    ),
  }),
  'pages.console.users.recovery': organizationPage('users', {
    rest: 'POST /:userId/recovery',
    summary: 'Mail a member a link to choose a new password',
    handler: actOn('console.users.write', 'recovery', (visit, { userId }) =>
      call(visit.ctx, 'identity.users.send-recovery', { path: { userId }, query: {} }),
    ),
  }),
  'pages.console.users.remove': organizationPage('users', {
    rest: 'POST /:userId/remove',
    summary: 'Remove a member on their page, or leave',
    handler: remove,
  }),
};

type MemberPath = { slug: string; userId: string };

/** The handler of a form with a button alone, which stays on the page of the user. */
function actOn(
  permission: SystemPermission,
  done: string,
  work: (visit: OrganizationVisit, member: MemberPath) => Promise<unknown>,
) {
  return async (visit: OrganizationVisit): Promise<PageAnswer> => {
    pickFields(visit.form);
    const user = await readUserInPath(visit);
    const refusal =
      rejectUsersForm(visit, permission) ?? (await refusalInWords([], () => work(visit, memberOf(visit, user))));
    if (refusal) return renderOverview(visit, user, refusal);
    return redirectTo(userPath(visit, user.id, [], { done }));
  };
}

const memberOf = ({ organization }: OrganizationVisit, { id }: User): MemberPath => ({
  slug: organization.slug,
  userId: id,
});

async function changeRole(visit: OrganizationVisit): Promise<PageAnswer> {
  const { role } = pickFields(visit.form, 'role');
  const user = await readUserInPath(visit);
  const path = memberOf(visit, user);
  const refusal =
    rejectUsersForm(visit, 'console.orgs.write') ??
    (await refusalInWords(['role'], () =>
      call(visit.ctx, 'identity.members.update', { path, body: { role: role as User['role'] } }),
    ));
  if (refusal) return renderOverview(visit, user, refusal);
  // Members do not see the users of the organization.
  if (user.id === visit.user.id && role === 'member') return redirectTo(pathOf(visit, 'overview'));
  return redirectTo(userPath(visit, user.id, [], { done: 'role' }));
}

/** Removes a member. A member who leaves needs no permission for it. */
async function remove(visit: OrganizationVisit): Promise<PageAnswer> {
  pickFields(visit.form);
  const user = await readUserInPath(visit);
  const leaves = user.id === visit.user.id;
  const path = memberOf(visit, user);
  const refusal =
    rejectUsersForm(visit, leaves ? 'console.users.read' : 'console.orgs.write') ??
    (await refusalInWords([], () => call(visit.ctx, 'identity.members.remove', { path })));
  if (refusal) return renderOverview(visit, user, refusal);
  return redirectTo(leaves ? '/console' : pathOf(visit, 'users', [], { done: 'removed' }));
}

const maxContacts = '100';

async function renderOverview(visit: OrganizationVisit, user: User, refusal?: Refusal): Promise<PageAnswer> {
  const { ctx, orgId } = visit;
  const [member, contacts] = await Promise.all([
    readMember(ctx, orgId, user.id),
    call(ctx, 'identity.users.list-contacts', { path: { userId: user.id }, query: { limit: maxContacts } }),
  ]);
  const changes = may(visit, 'console.orgs.write');
  return renderUser(visit, {
    tab: 'overview',
    user,
    refusal,
    body: html`<div class="split"><div class="stack">
${renderUserFacts(user, member.createdAt)}
${renderContacts(contacts.data)}
</div><aside class="stack">
${changes && renderRole(visit, user, refusal)}
${renderActs(visit, user, changes)}
</aside></div>`,
  });
}

function renderUserFacts(user: User, joinedAt: string): Html {
  const t = texts().people.user.facts;
  const { email, emailVerified, role, suspendedAt, lastLoginAt, createdAt } = user;
  const state = emailVerified ? t.confirmed : t.notConfirmed;
  const facts: Fact[] = [
    [t.email, html`${email} <span class="quiet">(${state})</span>`],
    [t.role, texts().people.roles[role]],
    [t.state, suspendedAt === undefined ? renderUserState(user) : t.suspendedSince(renderTime(suspendedAt))],
    [t.joined, renderTime(joinedAt)],
    [t.created, renderTime(createdAt)],
    [t.lastLogin, lastLoginAt === null ? texts().people.list.never : renderTime(lastLoginAt)],
  ];
  return html`<section aria-labelledby="h-facts"><h2 id="h-facts" class="vh">${t.title}</h2>
${renderFacts(facts)}</section>`;
}

type Contact = CallOutput<'identity.users.list-contacts'>['data'][number];

function renderContacts(contacts: Contact[]): Html {
  const t = texts().people.user.contacts;
  const { types } = texts().contacts;
  return html`<section class="sec" aria-labelledby="h-contacts"><div class="sec-head"><h2 id="h-contacts">${t.title}</h2></div>
${renderTable<Contact>({
  label: t.title,
  rows: contacts,
  empty: t.none,
  columns: [
    {
      heading: t.columns.value,
      cell: ({ value, type }) => renderName({ name: html`<bdi>${value}</bdi>`, summary: types[type] }),
    },
    { heading: t.columns.type, cell: ({ type }) => types[type] },
    {
      heading: t.columns.state,
      cell: ({ verified }) => (verified ? renderState(t.confirmed, 'good') : renderState(t.waiting, 'off')),
      isState: true,
    },
    { heading: t.columns.added, cell: ({ createdAt }) => renderWhen(createdAt), isNumber: true },
  ],
})}
<p class="hint after">${t.lead}</p></section>`;
}

function renderRole(visit: OrganizationVisit, user: User, refusal?: Refusal): Html {
  const t = texts().people.user.role;
  const options = roleOptions(visit, user.role);
  const chosen = refusal ? (visit.form.role ?? user.role) : user.role;
  return html`<section aria-labelledby="h-role"><h2 id="h-role" class="vh">${t.title}</h2>
${renderConfirmedForm({
  id: 'change-role',
  action: userPath(visit, user.id, ['role']),
  flow: openUsersFlow(visit),
  fields: renderChoice({ name: 'role', label: t.label, options }, chosen, refusal?.errors.role),
  submit: t.submit,
  question: t.question(nameOfUser(user)),
  consequence: t.consequence,
  confirm: t.confirm,
  isMild: true,
})}</section>`;
}

type ActWords = Pick<ConfirmedForm, 'consequence' | 'confirm' | 'submit'> & {
  name: string;
  words: string;
  question: (name: string) => string;
};

/** Renders the acts that end access. Users cannot suspend themselves, but can leave. */
function renderActs(visit: OrganizationVisit, user: User, changes: boolean): Html | null {
  const t = texts().people.user.zone;
  const isSelf = user.id === visit.user.id;
  if (!isSelf && !changes) return null;
  const isSuspended = user.suspendedAt !== undefined;
  const acts = [
    ...(isSelf ? [] : [actOf(visit, user, isSuspended ? 'restore' : 'suspend', isSuspended ? t.restore : t.suspend)]),
    actOf(visit, user, 'remove', isSelf ? t.leave : t.remove),
  ];
  return html`<section aria-labelledby="h-zone"><h2 id="h-zone" class="vh">${t.title}</h2>
${renderZone(acts)}</section>`;
}

function actOf(
  visit: OrganizationVisit,
  user: User,
  act: 'suspend' | 'restore' | 'remove',
  { name, words, question, ...others }: ActWords,
): ZoneAct {
  const confirmed = {
    id: `act-${act}`,
    action: userPath(visit, user.id, [act]),
    flow: openUsersFlow(visit),
    question: question(nameOfUser(user)),
    isMild: act === 'restore',
    ...others,
  };
  return { title: name, words, confirmed };
}
