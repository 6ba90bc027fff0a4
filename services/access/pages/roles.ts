import { call } from '../../../lib/contract/context.ts';
import { type Refusal, refusalOf, rejectMissing, submitForm } from '../../../web/attempt.ts';
import { renderForm } from '../../../web/form-page.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  renderOrganizationPage,
  renderReadOnly,
} from '../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../web/page.ts';
import { pickFields } from '../../../web/pick.ts';
import { openUserFlow, rejectStaleForm } from '../../../web/user-page.ts';
import { renderMatrixPage, renderRoleList } from './matrix.ts';
import { readRole, renderRole, roleAssignmentPages, rolePath } from './role.ts';
import { emptyRole, type RoleValues, readRoleForm, renderRoleFields, roleFields } from './role-form.ts';
import { crumbs, rolesForm } from './roles-page.ts';
import { texts } from './texts.ts';

/**
 * The roles of an organization. Of the routes that match a path, the first by name answers: `create`, `list` and `new`
 * stand before `save` and `show`.
 */
export const rolesPages = {
  'pages.console.roles.matrix': organizationPage('roles', {
    rest: 'GET',
    summary: 'Show the matrix of roles and permissions, who can and why',
    handler: renderMatrixPage,
  }),
  'pages.console.roles.list': organizationPage('roles', {
    rest: 'GET /list',
    summary: 'Show the roles of an organization',
    handler: renderRoleList,
  }),
  'pages.console.roles.new': organizationPage('roles', {
    rest: 'GET /new',
    summary: 'Show the form of a new role',
    handler: (visit) => renderNewRole(visit, emptyRole),
  }),
  'pages.console.roles.create': organizationPage('roles', {
    rest: 'POST /new',
    summary: 'Create a role on its page',
    handler: createRole,
  }),
  'pages.console.roles.show': organizationPage('roles', {
    rest: 'GET /:role',
    summary: 'Show a role, what it allows and who has it',
    handler: async (visit) => renderRole(visit, await readRole(visit)),
  }),
  'pages.console.roles.save': organizationPage('roles', {
    rest: 'POST /:role',
    summary: 'Change a role on its page',
    handler: saveRole,
  }),
  'pages.console.roles.delete': organizationPage('roles', {
    rest: 'POST /:role/delete',
    summary: 'Delete a role on its page',
    handler: deleteRole,
  }),
  ...roleAssignmentPages,
};

async function createRole(visit: OrganizationVisit): Promise<PageAnswer> {
  const { values } = readRoleForm(visit.form);
  const stopped =
    rejectStaleForm(visit, rolesForm) ?? rejectMissing({ name: values.name }, { name: texts().form.nameMissing });
  if (stopped) return renderNewRole(visit, values, stopped);
  const attempt = await submitForm(roleFields, () => call(visit.ctx, 'access.roles.create', { body: values }));
  if (attempt.refusal) return renderNewRole(visit, values, attempt.refusal);
  return redirectTo(rolePath(visit, attempt.answer.id, [], { done: 'created' }));
}

async function renderNewRole(visit: OrganizationVisit, values: RoleValues, refusal?: Refusal): Promise<PageAnswer> {
  const t = texts().form;
  return renderOrganizationPage(visit, {
    title: t.newTitle,
    lead: t.newLead,
    parents: crumbs(visit),
    refusal,
    body:
      renderReadOnly(visit) ??
      renderForm({
        action: pathOf(visit, 'roles', ['new']),
        flow: openUserFlow(visit, rolesForm),
        fields: await renderRoleFields(visit, { id: null, revision: '', values, refusal }),
        submit: t.create,
      }),
  });
}

async function saveRole(visit: OrganizationVisit): Promise<PageAnswer> {
  const { values, revision } = readRoleForm(visit.form);
  const role = await readRole(visit);
  // If-Match, so that a concurrent change is not overwritten.
  const headers = { 'if-match': `"${revision}"` };
  const input = { path: { id: role.id }, headers, body: values };
  const refusal =
    rejectStaleForm(visit, rolesForm) ??
    rejectMissing({ name: values.name }, { name: texts().form.nameMissing }) ??
    (await refusalOf(roleFields, () => call(visit.ctx, 'access.roles.update', input)));
  if (refusal) return renderRole(visit, role, { refusal, values });
  return redirectTo(rolePath(visit, role.id, [], { done: 'saved' }));
}

async function deleteRole(visit: OrganizationVisit): Promise<PageAnswer> {
  pickFields(visit.form);
  const role = await readRole(visit);
  const refusal =
    rejectStaleForm(visit, rolesForm) ??
    (await refusalOf([], () => call(visit.ctx, 'access.roles.delete', { path: { id: role.id }, headers: {} })));
  if (refusal) return renderRole(visit, role, { refusal });
  return redirectTo(pathOf(visit, 'roles', [], { done: 'deleted' }));
}
