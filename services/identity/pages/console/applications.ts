import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { type Refusal, refusalOf, refuse, rejectMissing } from '../../../../web/attempt.ts';
import { hiddenIn } from '../../../../web/columns.ts';
import { type Field, type FieldErrors, renderFields } from '../../../../web/fields.ts';
import { renderFilters, withQuery } from '../../../../web/filters.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Html, html } from '../../../../web/html.ts';
import { renderIcon } from '../../../../web/icons.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  renderOrganizationPage,
  renderReadOnly,
} from '../../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { type Columns, renderEmpty, renderName, renderTable } from '../../../../web/table.ts';
import { renderWhen } from '../../../../web/time.ts';
import { flashMessage, openUserFlow, rejectStaleForm } from '../../../../web/user-page.ts';
import { renderTypedForm, renderZoneSection } from '../../../../web/zone.ts';
import { suggestSlug } from '../../organizations.ts';
import { texts } from '../texts.ts';
import { applicationClientPages } from './applications-client-form.ts';
import { applicationKeysPages } from './applications-keys.ts';
import { applicationNewKeyPages } from './applications-new-key.ts';
import { renderApplication } from './applications-overview.ts';
import {
  type Application,
  applicationPath,
  crumbsTo,
  readApplication,
  renderApplicationHead,
} from './applications-page.ts';

const formKind = 'applications';
const names = ['name', 'slug', 'description'] as const;
type Values = Record<(typeof names)[number], string>;

/**
 * The applications of an organization: what calls its API, with keys and OAuth clients. Of the routes that match a path,
 * the first by name answers: `new` stands before `show`, and `keys.new` before `keys.show`.
 */
export const consoleApplicationsPages = {
  'pages.console.applications.list': organizationPage('applications', {
    rest: 'GET',
    summary: 'Show the applications of an organization',
    handler: renderApplications,
  }),
  'pages.console.applications.new': organizationPage('applications', {
    rest: 'GET /new',
    summary: 'Show the form of a new application',
    handler: async (visit) => renderNew(visit, { name: '', slug: '', description: '' }),
  }),
  'pages.console.applications.create': organizationPage('applications', {
    rest: 'POST /new',
    summary: 'Create an application on its page',
    handler: create,
  }),
  'pages.console.applications.show': organizationPage('applications', {
    rest: 'GET /:app',
    summary: 'Show an application with its keys and its OAuth client',
    handler: async (visit) => renderApplication(visit, await readApplication(visit)),
  }),
  'pages.console.applications.settings': organizationPage('applications', {
    rest: 'GET /:app/settings',
    summary: 'Show the settings of an application',
    handler: async (visit) => renderSettings(visit, await readApplication(visit)),
  }),
  'pages.console.applications.save': organizationPage('applications', {
    rest: 'POST /:app/settings',
    summary: 'Change an application on its page',
    handler: save,
  }),
  'pages.console.applications.delete': organizationPage('applications', {
    rest: 'POST /:app/settings/delete',
    summary: 'Delete an application on its page',
    handler: remove,
  }),
  ...applicationNewKeyPages,
  ...applicationKeysPages,
  ...applicationClientPages,
};

const pageSize = '20';
/** Keys of each application that are read for its row. */
const maxCounted = '100';

type Row = Application & { keys: CallOutput<'identity.api-keys.list'> };

async function renderApplications(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, query, mayChange } = visit;
  const cursor = typeof query.cursor === 'string' ? query.cursor : undefined;
  const hidden = hiddenIn(query);
  const path = pathOf(visit, 'applications');
  const t = texts().consoleApplications;
  const { data, nextCursor } = await call(ctx, 'identity.applications.list', {
    query: { limit: pageSize, ...(cursor !== undefined && { cursor }) },
  });
  const rows = await Promise.all(
    data.map(async (application): Promise<Row> => {
      const of = { path: { id: application.id }, query: { limit: maxCounted } };
      return { ...application, keys: await call(ctx, 'identity.api-keys.list', of) };
    }),
  );
  const create =
    mayChange &&
    html`<a class="btn primary" href="${pathOf(visit, 'applications', ['new'])}">${renderIcon('plus')}${t.create}</a>`;
  const columns = columnsOf(visit);
  return renderOrganizationPage(visit, {
    title: t.title,
    lead: t.lead,
    acts: data.length > 0 && create,
    notice: flashMessage(visit, t.notices),
    body: html`${data.length > 0 && renderFilters({ action: path, columns: { columns, hidden, cursor } })}
${renderTable({
  label: t.label,
  rows,
  columns,
  hidden,
  empty: renderEmpty({ icon: 'app', title: t.none.title, words: t.none.words, acts: create }),
  pager: {
    next: nextCursor && withQuery(path, { ...hidden, cursor: nextCursor }),
    first: cursor === undefined ? null : withQuery(path, hidden),
  },
})}`,
  });
}

function columnsOf(visit: OrganizationVisit): Columns<Row> {
  const { columns } = texts().consoleApplications;
  return [
    {
      heading: columns.name,
      cell: (row) => renderName({ href: applicationPath(visit, row), name: row.name, summary: row.slug }),
    },
    { heading: columns.slug, key: 'slug', cell: ({ slug }) => html`<code class="id">${slug}</code>` },
    { heading: columns.keys, cell: renderKeyCount, isState: true },
    { heading: columns.lastUsed, key: 'used', cell: renderLastUse, isNumber: true },
    {
      heading: columns.created,
      key: 'created',
      cell: ({ createdAt }) => renderWhen(createdAt),
      isNumber: true,
      isMinor: true,
    },
  ];
}

function renderKeyCount({ keys }: Row): string {
  return texts().consoleApplications.keyCount(keys.data.length, keys.nextCursor !== null);
}

function renderLastUse({ keys }: Row): Html {
  const uses = keys.data.flatMap(({ lastUsedAt }) => lastUsedAt ?? []);
  const latest = uses.sort().at(-1);
  return latest === undefined
    ? html`<span class="quiet">${texts().consoleApplications.never}</span>`
    : renderWhen(latest);
}

async function create(visit: OrganizationVisit): Promise<PageAnswer> {
  const typed = pickFields(visit.form, ...names);
  const { name, description } = typed;
  const typedSlug = typed.slug.trim();
  let slug = typedSlug || suggestSlug(name);
  const t = texts().consoleApplications.form;
  const missing: FieldErrors = name.trim() === '' ? { name: t.nameMissing } : { slug: t.slugMissing };
  const store = () =>
    refusalOf(names, () => call(visit.ctx, 'identity.applications.create', { body: { name, slug, description } }));
  let refusal = rejectStaleForm(visit, formKind) ?? rejectMissing({ name, slug }, missing) ?? (await store());
  if (refusal?.status === 409 && typedSlug === '') {
    // Slugs are unique on the platform: another organization has an application of this name.
    slug = suggestSlug(`${visit.organization.slug} ${name}`);
    refusal = await store();
  }
  if (refusal) return renderNew(visit, { name, slug, description }, refusal);
  return redirectTo(applicationPath(visit, { slug }, [], { done: 'created' }));
}

function renderNew(visit: OrganizationVisit, values: Values, refusal?: Refusal): PageAnswer {
  const t = texts().consoleApplications.form;
  const slug = { name: 'slug', label: t.slug, autocomplete: 'off', hint: t.slugHint, maxLength: 63 };
  const [name, description] = fieldsOf(values);
  return renderOrganizationPage(visit, {
    title: t.title,
    lead: t.lead,
    parents: crumbsTo(visit),
    refusal,
    body:
      renderReadOnly(visit) ??
      renderForm({
        action: pathOf(visit, 'applications', ['new']),
        flow: openUserFlow(visit, formKind),
        fields: renderFields([name, { ...slug, value: values.slug }, description], refusal?.errors),
        submit: t.submit,
      }),
  });
}

function fieldsOf(values: Pick<Values, 'name' | 'description'>): [name: Field, description: Field] {
  const t = texts().consoleApplications.form;
  return [
    { name: 'name', label: t.name, autocomplete: 'off', value: values.name, isRequired: true, maxLength: 100 },
    {
      name: 'description',
      label: t.description,
      autocomplete: 'off',
      lines: 2,
      value: values.description,
      maxLength: 1000,
    },
  ];
}

async function save(visit: OrganizationVisit): Promise<PageAnswer> {
  const body = pickFields(visit.form, 'name', 'description');
  const application = await readApplication(visit);
  const { slug } = application;
  const refusal =
    rejectStaleForm(visit, formKind) ??
    rejectMissing({ name: body.name }, { name: texts().consoleApplications.form.nameMissing }) ??
    (await refusalOf(names, () => call(visit.ctx, 'identity.applications.update', { path: { slug }, body })));
  if (refusal) return renderSettings(visit, application, { typed: body, refusal });
  return redirectTo(applicationPath(visit, application, ['settings'], { done: 'saved' }));
}

async function remove(visit: OrganizationVisit): Promise<PageAnswer> {
  const { confirm } = pickFields(visit.form, 'confirm');
  const application = await readApplication(visit);
  const { slug } = application;
  const t = texts().consoleApplications.settings;
  const refusal =
    rejectStaleForm(visit, formKind) ??
    (confirm.trim() === slug ? null : refuse({ confirm: t.confirmWrong(slug) })) ??
    (await refusalOf([], () => call(visit.ctx, 'identity.applications.delete', { path: { slug } })));
  if (refusal) return renderSettings(visit, application, { refusal });
  return redirectTo(pathOf(visit, 'applications', [], { done: 'deleted' }));
}

type Refused = { typed?: Pick<Values, 'name' | 'description'>; refusal?: Refusal };

function renderSettings(
  visit: OrganizationVisit,
  application: Application,
  { typed = application, refusal }: Refused = {},
): PageAnswer {
  const t = texts().consoleApplications;
  return renderOrganizationPage(visit, {
    title: application.name,
    parents: crumbsTo(visit),
    head: renderApplicationHead(visit, application, 'settings'),
    notice: flashMessage(visit, t.notices),
    refusal,
    body: html`${renderReadOnly(visit)}
${
  visit.mayChange &&
  html`${renderForm({
    action: applicationPath(visit, application, ['settings']),
    flow: openUserFlow(visit, formKind),
    fields: renderFields(fieldsOf(typed), refusal?.errors),
    submit: t.settings.submit,
  })}
${renderDanger(visit, application, refusal)}`
}`,
  });
}

function renderDanger(visit: OrganizationVisit, application: Application, refusal?: Refusal): Html {
  const t = texts().consoleApplications.settings;
  const below = renderTypedForm({
    action: applicationPath(visit, application, ['settings', 'delete']),
    flow: openUserFlow(visit, formKind),
    label: t.confirm(application.slug),
    submit: t.remove,
    errors: refusal?.errors,
  });
  return renderZoneSection({ id: 'h-danger', title: t.danger }, [{ title: t.remove, words: t.removeWords, below }]);
}
