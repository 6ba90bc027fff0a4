import { call } from '../../../lib/contract/context.ts';
import { now } from '../../../lib/data/clock.ts';
import { type Refusal, refusalOf, refuse, rejectMissing } from '../../../web/attempt.ts';
import { renderConfirmedForm } from '../../../web/confirm.ts';
import { renderCopyable } from '../../../web/copy.ts';
import { renderChoice, renderFields } from '../../../web/fields.ts';
import { renderForm } from '../../../web/form-page.ts';
import { type Html, html } from '../../../web/html.ts';
import { renderIcon } from '../../../web/icons.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  renderOrganizationPage,
  renderReadOnly,
} from '../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../web/page.ts';
import { pickFields } from '../../../web/pick.ts';
import { renderBadge } from '../../../web/states.ts';
import { renderPager } from '../../../web/table.ts';
import { renderWhenWithin } from '../../../web/time.ts';
import { flashMessage, openUserFlow, rejectStaleForm } from '../../../web/user-page.ts';
import { renderZoneSection } from '../../../web/zone.ts';
import { isApplication } from '../subjects.ts';
import { renderSubject } from './check-access.ts';
import { type RoleValues, renderRoleFields } from './role-form.ts';
import {
  type Assignment,
  crumbs,
  descriptionOfRole,
  nameOfRole,
  namesOf,
  type Role,
  readSubjects,
  rolesForm,
  type Subject,
  subjectOfAssignment,
} from './roles-page.ts';
import { texts } from './texts.ts';

/** The forms that assign a role and remove it. */
export const roleAssignmentPages = {
  'pages.console.roles.assign': organizationPage('roles', {
    rest: 'POST /:role/assign',
    summary: 'Assign a role on its page',
    handler: assign,
  }),
  'pages.console.roles.remove': organizationPage('roles', {
    rest: 'POST /:role/remove',
    summary: 'Remove a role from a member or an application on its page',
    handler: remove,
  }),
};

/** The role in the path; throws NOT_FOUND when the organization has none of this id. */
export async function readRole({ ctx, path }: OrganizationVisit): Promise<Role> {
  return await call(ctx, 'access.roles.read', { path: { id: path.role ?? '' } });
}

export function rolePath(
  visit: OrganizationVisit,
  id: string,
  rest: string[] = [],
  query: Record<string, string> = {},
): string {
  return pathOf(visit, 'roles', [id, ...rest], query);
}

type Outcome = {
  refusal?: Refusal;
  /** The input of a refused form of the role. */
  values?: RoleValues;
  revision?: string;
  /** Whether the refused form is the one that assigns the role. */
  isAssigning?: boolean;
};

/** Renders the page of a role: what it allows, and who has it. */
export async function renderRole(visit: OrganizationVisit, role: Role, outcome: Outcome = {}): Promise<PageAnswer> {
  const t = texts();
  const { refusal, values, revision = `${role.revision}`, isAssigning = false } = outcome;
  const name = nameOfRole(role);
  const description = descriptionOfRole(role);
  const mayEdit = visit.mayChange && !role.isSystem;
  const form = { id: role.id, revision, values: values ?? role, refusal: isAssigning ? undefined : refusal };
  return renderOrganizationPage(visit, {
    title: name,
    parents: crumbs(visit),
    notice: flashMessage(visit, t.notices),
    refusal,
    head: html`<header class="detail"><span class="avatar lg sq t3" aria-hidden="true">${renderIcon('shield')}</span>
<div class="grow"><h1><bdi>${name}</bdi> ${role.isSystem && renderBadge(t.system, 'line')}</h1><p class="quiet">${description && html`<span class="clip"><bdi>${description}</bdi></span>`}${renderCopyable('role-id', role.id, t.role.idName)}</p></div></header>`,
    body: html`${renderReadOnly(visit)}
<div class="split access"><section aria-labelledby="h-permissions">
<div class="sec-head"><h2 id="h-permissions">${t.role.permissions}</h2>${role.isSystem && html`<p>${t.role.systemWords}</p>`}</div>
${
  mayEdit
    ? renderForm({
        action: rolePath(visit, role.id),
        flow: openUserFlow(visit, rolesForm),
        fields: await renderRoleFields(visit, form),
        submit: t.form.save,
      })
    : html`<ul class="cols">${role.permissions.map((key) => html`<li><code>${key}</code></li>`)}</ul>`
}</section>
<aside class="stack">${await renderHolders(visit, role, isAssigning ? refusal : undefined)}</aside></div>
${mayEdit && renderDanger(visit, role)}`,
  });
}

const shownHolders = '20';

async function renderHolders(visit: OrganizationVisit, role: Role, refusal?: Refusal): Promise<Html> {
  const t = texts().role;
  const { cursor } = visit.query;
  const query = { limit: shownHolders, ...(typeof cursor === 'string' && { cursor }) };
  const [{ data, nextCursor }, { subjects, isAll }] = await Promise.all([
    call(visit.ctx, 'access.assignments.list-of-role', { path: { id: role.id }, query }),
    readSubjects(visit),
  ]);
  const names = await namesOf(visit, data.map(subjectOfAssignment), subjects);
  return html`<section class="panel" aria-labelledby="h-members"><header><h2 id="h-members">${t.members}</h2></header>
${data.length === 0 ? html`<p class="body quiet">${t.none}</p>` : html`<ul class="list body">${data.map((one) => renderHolder(visit, role, one, names))}</ul>`}
${renderPager({
  next: nextCursor && rolePath(visit, role.id, [], { cursor: nextCursor }),
  first: typeof cursor === 'string' ? rolePath(visit, role.id) : null,
})}</section>
${visit.mayChange && !role.isSystem && renderAssigning(visit, role, { subjects, isAll, refusal })}`;
}

function renderHolder(
  visit: OrganizationVisit,
  role: Role,
  assignment: Assignment,
  names: ReadonlyMap<string, string>,
): Html {
  const t = texts().role;
  const id = subjectOfAssignment(assignment);
  const { assignmentId, expiresAt } = assignment;
  const name = names.get(id) ?? id;
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= now().getTime();
  const until = expiresAt === null ? null : isOver ? t.expired : t.untilDate(renderWhenWithin(expiresAt));
  const removing =
    visit.mayChange &&
    !role.isSystem &&
    renderConfirmedForm({
      id: `remove-${assignmentId}`,
      action: rolePath(visit, role.id, ['remove']),
      flow: openUserFlow(visit, rolesForm),
      fields: html`<input type="hidden" name="assignmentId" value="${assignmentId}">`,
      submit: html`<span aria-hidden="true">${t.remove}</span><span class="vh">${t.removeName(name)}</span>`,
      question: t.question(name),
      consequence: t.consequence,
      confirm: t.remove,
      isMild: true,
    });
  return html`<li>${renderSubject({ id, name })}<span class="grow clip"><bdi>${name}</bdi>${until && html`<span class="sub-line quiet">${until}</span>`}</span>${removing}</li>
`;
}

type Assigning = { subjects: readonly Subject[]; isAll: boolean; refusal?: Refusal | undefined };

function renderAssigning(visit: OrganizationVisit, role: Role, { subjects, isAll, refusal }: Assigning): Html {
  const t = texts().role;
  const errors = refusal?.errors ?? {};
  const { subject, until } = refusal ? visit.form : {};
  const options = [['', t.choose] as const, ...subjects.map(({ id, name }) => [id, name] as const)];
  const date = { name: 'until', label: t.until, type: 'date', autocomplete: 'off', hint: t.untilHint } as const;
  return html`<section class="panel" aria-labelledby="h-assign"><header><h2 id="h-assign">${t.assign}</h2></header>
<div class="body">${renderForm({
    action: rolePath(visit, role.id, ['assign']),
    flow: openUserFlow(visit, rolesForm),
    fields: html`${renderChoice({ name: 'subject', label: t.subject, options }, subject, errors.subject)}
${!isAll && html`<p class="hint">${t.onlyFirst}</p>`}
${renderFields([{ ...date, value: until ?? '' }], errors)}`,
    submit: t.assign,
    isSecond: true,
  })}</div></section>`;
}

async function assign(visit: OrganizationVisit): Promise<PageAnswer> {
  const { subject, until } = pickFields(visit.form, 'subject', 'until');
  const role = await readRole(visit);
  const t = texts().role;
  const isDay = until === '' || !Number.isNaN(Date.parse(`${until}T23:59:59.999Z`));
  const body = {
    ...(isApplication(subject) ? { applicationId: subject } : { userId: subject }),
    roleId: role.id,
    expiresAt: until === '' ? null : `${until}T23:59:59.999Z`,
    context: { orgId: visit.orgId },
  };
  const refusal =
    rejectStaleForm(visit, rolesForm) ??
    rejectMissing({ subject }, { subject: t.subjectMissing }) ??
    (isDay ? null : refuse({ until: t.untilWrong })) ??
    (await refusalOf(['userId', 'applicationId', 'expiresAt'], () =>
      call(visit.ctx, 'access.assignments.create', { body }),
    ));
  if (refusal) return renderRole(visit, role, { refusal: atFields(refusal), isAssigning: true });
  return redirectTo(rolePath(visit, role.id, [], { done: 'assigned' }));
}

/** The messages of the endpoint's fields at the fields of the form. */
function atFields({ errors, ...refusal }: Refusal): Refusal {
  const { userId, applicationId, expiresAt, ...others } = errors;
  const subject = userId ?? applicationId;
  return {
    ...refusal,
    errors: {
      ...others,
      ...(subject !== undefined && { subject }),
      ...(expiresAt !== undefined && { until: expiresAt }),
    },
  };
}

async function remove(visit: OrganizationVisit): Promise<PageAnswer> {
  const { assignmentId } = pickFields(visit.form, 'assignmentId');
  const role = await readRole(visit);
  const refusal =
    rejectStaleForm(visit, rolesForm) ??
    (await refusalOf([], () => call(visit.ctx, 'access.assignments.delete', { path: { assignmentId } })));
  if (refusal) return renderRole(visit, role, { refusal, isAssigning: true });
  return redirectTo(rolePath(visit, role.id, [], { done: 'removed' }));
}

function renderDanger(visit: OrganizationVisit, role: Role): Html {
  const t = texts().role;
  const name = nameOfRole(role);
  const confirmed = {
    id: 'delete-role',
    action: rolePath(visit, role.id, ['delete']),
    flow: openUserFlow(visit, rolesForm),
    submit: t.delete,
    question: t.deleteQuestion(name),
    consequence: t.deleteConsequence,
    confirm: t.delete,
  };
  const act = { title: t.deleteTitle, words: t.deleteWords, confirmed };
  return renderZoneSection({ id: 'h-danger', title: t.danger }, [act]);
}
