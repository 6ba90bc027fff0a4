import type { SystemRole } from '../../../../lib/contract/authorize.ts';
import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { type Refusal, rejectMissing } from '../../../../web/attempt.ts';
import { renderPick } from '../../../../web/bulk.ts';
import { renderConfirmedForm } from '../../../../web/confirm.ts';
import { downloadOf, renderExport } from '../../../../web/download.ts';
import { renderChoice, renderFields } from '../../../../web/fields.ts';
import { withQuery } from '../../../../web/filters.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Content, type Html, html } from '../../../../web/html.ts';
import { renderIcon } from '../../../../web/icons.ts';
import { areas } from '../../../../web/navigation.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  rejectChange,
  renderOrganizationPage,
} from '../../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { renderState } from '../../../../web/states.ts';
import { renderEmpty, renderPager } from '../../../../web/table.ts';
import { renderDay, renderWhenWithin } from '../../../../web/time.ts';
import { flashMessage, openUserFlow } from '../../../../web/user-page.ts';
import { findInvitation } from '../../invitations.ts';
import { texts } from '../texts.ts';
import { readNames } from './audit-words.ts';
import { type BulkList, bulkPages, renderBulkActs } from './bulk.ts';
import { roleOptions } from './role-options.ts';
import { inviteByCurl } from './users.ts';
import { refusalInWords } from './users-page.ts';

const bulkList: BulkList<{ id: string; email: string }> = {
  area: 'invitations',
  parameters: ['cursor'],
  acts: {
    resend: {
      icon: 'refresh',
      work: (visit, { id }) => call(visit.ctx, 'identity.invitations.resend', { path: pathIn(visit, id) }),
    },
    revoke: {
      icon: 'x',
      isDangerous: true,
      work: (visit, { id }) => call(visit.ctx, 'identity.invitations.revoke', { path: pathIn(visit, id) }),
    },
  },
  words: () => texts().people.bulk.invitations,
  async find({ orgId }, id) {
    const { email } = await findInvitation(orgId, id);
    return { id, email };
  },
  nameOf: ({ email }) => email,
  openFlow: (visit) => openUserFlow(visit, formKind),
  reject: rejectForm,
  renderList: renderInvitations,
};

const bulk = bulkPages(bulkList);

/** The invitations of an organization: whom it invited, and the form for one more. */
export const consoleInvitationsPages = {
  'pages.console.invitations.list': organizationPage('invitations', {
    rest: 'GET',
    summary: 'Show the invitations of an organization',
    handler: listInvitations,
  }),
  'pages.console.invitations.create': organizationPage('invitations', {
    rest: 'POST',
    summary: 'Invite a person on the page of invitations',
    handler: invite,
  }),
  'pages.console.invitations.bulk': bulk.ask,
  'pages.console.invitations.bulk-confirm': bulk.confirm,
  'pages.console.invitations.resend': organizationPage('invitations', {
    rest: 'POST /:invitationId/resend',
    summary: 'Mail an invitation again on its page',
    handler: actOn('resent', (visit, path) => call(visit.ctx, 'identity.invitations.resend', { path })),
  }),
  'pages.console.invitations.revoke': organizationPage('invitations', {
    rest: 'POST /:invitationId/revoke',
    summary: 'Revoke an invitation on its page',
    handler: actOn('revoked', (visit, path) => call(visit.ctx, 'identity.invitations.revoke', { path })),
  }),
};

const formKind = 'invitations';
const pageSize = '50';

type Invitation = CallOutput<'identity.invitations.list'>['data'][number];
type Path = { slug: string; invitationId: string };

const pathIn = ({ organization }: OrganizationVisit, invitationId: string): Path => ({
  slug: organization.slug,
  invitationId,
});

function rejectForm(visit: OrganizationVisit): Refusal | null {
  return rejectChange(visit, formKind, texts().people.lacks(areas.invitations.writePermission));
}

async function listInvitations(visit: OrganizationVisit): Promise<PageAnswer> {
  const input = { path: { slug: visit.organization.slug }, query: {} };
  const list = { name: texts().people.invitations.file, action: 'identity.invitations.list', input } as const;
  return downloadOf(visit, list) ?? (await renderInvitations(visit));
}

async function invite(visit: OrganizationVisit): Promise<PageAnswer> {
  const { email, role } = pickFields(visit.form, 'email', 'role');
  const path = { slug: visit.organization.slug };
  const body = { email, role: role as SystemRole };
  const refusal =
    rejectForm(visit) ??
    rejectMissing({ email }, { email: texts().people.invitations.form.emailMissing }) ??
    (await refusalInWords(['email', 'role'], () => call(visit.ctx, 'identity.invitations.create', { path, body })));
  if (refusal) return await renderInvitations(visit, refusal);
  return redirectTo(pathOf(visit, 'invitations', [], { done: 'invited' }));
}

/** The handler of a button of one invitation. */
function actOn(done: string, work: (visit: OrganizationVisit, path: Path) => Promise<unknown>) {
  return async (visit: OrganizationVisit): Promise<PageAnswer> => {
    pickFields(visit.form);
    const path = pathIn(visit, visit.path.invitationId ?? '');
    const refusal = rejectForm(visit) ?? (await refusalInWords([], () => work(visit, path)));
    if (refusal) return await renderInvitations(visit, refusal);
    return redirectTo(pathOf(visit, 'invitations', [], { done }));
  };
}

async function renderInvitations(visit: OrganizationVisit, refusal?: Refusal): Promise<PageAnswer> {
  const { ctx, organization, orgId, query } = visit;
  const cursor = typeof query.cursor === 'string' && !refusal ? query.cursor : undefined;
  const { data, nextCursor } = await call(ctx, 'identity.invitations.list', {
    path: { slug: organization.slug },
    query: { limit: pageSize, ...(cursor !== undefined && { cursor }) },
  });
  const names = await readNames(
    orgId,
    data.map(({ invitedBy }) => invitedBy),
  );
  const here = pathOf(visit, 'invitations');
  const flow = openUserFlow(visit, formKind);
  const t = texts().people.invitations;
  return renderOrganizationPage(visit, {
    title: t.title,
    lead: t.lead,
    acts: data.length > 0 && renderExport(here),
    notice: flashMessage(visit, t.notices),
    refusal,
    body: html`${visit.mayChange && renderInvite(visit, flow, refusal)}
<section class="sec" aria-labelledby="h-sent"><div class="sec-head"><h2 id="h-sent">${t.sent}</h2></div>
${data.length === 0 ? renderNone(visit) : html`<ul class="list">${data.map((one) => renderInvitation(visit, one, inviterOf(one, names), flow))}</ul>`}
${visit.mayChange && data.some(isActable) && renderBulkActs(visit, bulkList)}
${renderPager({ next: nextCursor && withQuery(here, { cursor: nextCursor }), first: cursor === undefined ? null : here })}</section>`,
  });
}

function renderInvite(visit: OrganizationVisit, flow: string, refusal?: Refusal): Html {
  const t = texts().people.invitations.form;
  const { form } = visit;
  const email = { name: 'email', label: t.email, type: 'email', autocomplete: 'off', isRequired: true } as const;
  const role = { name: 'role', label: t.role, options: roleOptions(visit, 'member') };
  return html`<section aria-labelledby="h-invite"><h2 id="h-invite" class="vh">${t.title}</h2>
${renderForm({
  action: pathOf(visit, 'invitations'),
  flow,
  fields: html`<div class="pair">${renderFields([{ ...email, value: form.email ?? '', maxLength: 254 }], refusal?.errors)}
${renderChoice(role, form.role ?? 'member', refusal?.errors.role)}</div>`,
  submit: t.submit,
})}</section>`;
}

function inviterOf({ invitedBy: { id, type } }: Invitation, names: ReadonlyMap<string, string>): Html {
  const t = texts().people.invitations;
  const unknown = type === 'user' ? t.formerUser : t.formerApplication;
  return html`<bdi>${names.get(id) ?? unknown}</bdi>`;
}

/** Whether an invitation can be sent again or revoked; an expired one opens again when it is sent again. */
const isActable = ({ status }: Invitation): boolean => status === 'pending' || status === 'expired';

const tones = { pending: 'live', accepted: 'good', revoked: 'off', expired: 'warn' } as const;

function renderInvitation(visit: OrganizationVisit, invitation: Invitation, inviter: Content, flow: string): Html {
  const { invitations: t, roles } = texts().people;
  const { email, role, status, createdAt, expiresAt } = invitation;
  const hasActs = isActable(invitation) && visit.mayChange;
  return html`<li${hasActs && html` class="with-acts"`}>${hasActs && html`<span class="desk">${renderPick(invitation.id, email)}</span>`}<span class="ico desk">${renderIcon('mail', 'xs')}</span><span class="grow"><b>${email}</b><span class="quiet sub-line">${t.by(roles[role], inviter, renderWhenWithin(createdAt))}</span>${status === 'pending' && html`<span class="quiet sub-line">${t.expires(renderDay(expiresAt))}</span>`}</span>${renderState(t.states[status], tones[status])}
${hasActs && renderActs(visit, invitation, flow)}</li>
`;
}

function renderActs(visit: OrganizationVisit, { id, email }: Invitation, flow: string): Html {
  const { resend, revoke } = texts().people.invitations;
  const actOf = (act: 'resend' | 'revoke', { submit, name, question, ...words }: typeof resend) =>
    renderConfirmedForm({
      id: `${act}-${id}`,
      action: pathOf(visit, 'invitations', [id, act]),
      flow,
      submit: html`<span aria-hidden="true">${submit}</span><span class="vh">${name(email)}</span>`,
      question: question(email),
      isMild: true,
      ...words,
    });
  return html`<span class="row">${actOf('resend', resend)}${actOf('revoke', revoke)}</span>`;
}

function renderNone(visit: OrganizationVisit): Html {
  const t = texts().people.invitations.none;
  return renderEmpty({
    icon: 'mail',
    title: t.title,
    words: t.words,
    code: [{ label: t.code, text: inviteByCurl(visit) }],
  });
}
