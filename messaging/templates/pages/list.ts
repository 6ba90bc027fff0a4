import { type CallOutput, call } from '../../../lib/contract/context.ts';
import { type Refusal, refuse, rejectMissing, submitForm } from '../../../web/attempt.ts';
import { renderFields, renderOptions } from '../../../web/fields.ts';
import { renderFilters, withQuery } from '../../../web/filters.ts';
import { renderForm } from '../../../web/form-page.ts';
import { type Html, html } from '../../../web/html.ts';
import { renderIcon } from '../../../web/icons.ts';
import { singleValues } from '../../../web/list-query.ts';
import {
  type OrganizationVisit,
  rejectChange,
  renderAreaTabs,
  renderOrganizationPage,
  renderReadOnly,
} from '../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../web/page.ts';
import { pickFields } from '../../../web/pick.ts';
import { renderState } from '../../../web/states.ts';
import { renderEmpty, renderName, renderTable, type Table } from '../../../web/table.ts';
import { renderWhen } from '../../../web/time.ts';
import { callOnce, flashMessage, openUserFlow } from '../../../web/user-page.ts';
import { type EditorKind, templatePath, templatesForm } from './editor-kind.ts';
import { texts } from './texts.ts';

const pageSize = '20';

type Templates = CallOutput<'mail.templates.list'>;
type Row = Templates['data'][number];
const noTemplates: Templates = { data: [], nextCursor: null };

/** Shows the templates, with the languages of their latest versions. */
export async function renderTemplates(kind: EditorKind, visit: OrganizationVisit): Promise<PageAnswer> {
  const { cursor, search = '' } = singleValues(visit.query, ['cursor', 'search']);
  const query = { limit: pageSize, ...(cursor && { cursor }), ...(search && { search }) };
  const { refusal, ...found } = await submitForm([], () =>
    call(visit.ctx, `${kind.service}.templates.list`, { query }),
  );
  const { data, nextCursor } = 'answer' in found ? found.answer : noTemplates;
  const t = texts();
  const isWithoutAny = data.length === 0 && search === '' && !refusal;
  const create =
    visit.mayChange &&
    html`<a class="btn primary" href="${templatePath(kind, visit, ['new'])}">${renderIcon('plus')}${t.create}</a>`;
  const filters = renderFilters({
    action: templatePath(kind, visit),
    search: { name: 'search', label: t.search, value: search },
  });
  const pager = {
    next: nextCursor && withQuery(templatePath(kind, visit), { search, cursor: nextCursor }),
    first: cursor === undefined ? null : withQuery(templatePath(kind, visit), { search }),
  };
  const { empty } = t.kinds[kind.service];
  return renderOrganizationPage(visit, {
    title: t.title,
    lead: t.kinds[kind.service].lead,
    acts: !isWithoutAny && create,
    notice: flashMessage(visit, t.notices),
    refusal,
    body: html`${renderAreaTabs(visit)}
${!isWithoutAny && filters}
${
  !refusal &&
  renderTemplateTable(kind, visit, {
    rows: data,
    empty: isWithoutAny
      ? renderEmpty({ icon: 'template', ...empty, acts: create })
      : renderEmpty({ icon: 'search', title: t.notFound.title, words: t.notFound.words(search) }),
    pager,
  })
}`,
  });
}

function renderTemplateTable(
  kind: EditorKind,
  visit: OrganizationVisit,
  list: Pick<Table<Row>, 'rows' | 'empty' | 'pager'>,
): Html {
  const t = texts();
  return html`<div class="many-columns">${renderTable<Row>({
    label: t.kinds[kind.service].label,
    ...list,
    columns: [
      {
        heading: t.columns.name,
        cell: ({ id, name, updatedAt }) =>
          renderName({ href: templatePath(kind, visit, [id]), name, summary: renderWhen(updatedAt) }),
      },
      { heading: t.columns.state, cell: renderTemplateState, isState: true },
      { heading: t.columns.locales, cell: renderLocales, isMinor: true },
      { heading: t.columns.version, cell: ({ latestVersion }) => latestVersion, isNumber: true, isMinor: true },
      { heading: t.columns.changed, cell: ({ updatedAt }) => renderWhen(updatedAt), isNumber: true },
    ],
  })}</div>`;
}

/** Renders whether a template is live, and whether a newer version is a draft. */
export function renderTemplateState({ liveVersion, latestVersion }: Pick<Row, 'liveVersion' | 'latestVersion'>): Html {
  const t = texts().states;
  if (liveVersion === null) return renderState(t.draft, 'off');
  return renderState(liveVersion === latestVersion ? t.live(liveVersion) : t.ahead(liveVersion, latestVersion), 'good');
}

function renderLocales({ locales }: Row): Html {
  const names = [texts().defaultLocale, ...locales];
  return html`<span class="quiet">${names.join(', ')}</span>`;
}

const blank = 'blank';
const names = ['name', 'starter'] as const;
type Values = Record<(typeof names)[number], string>;

/** Creates a template as a draft, from a starter or blank. */
export async function createTemplate(kind: EditorKind, visit: OrganizationVisit): Promise<PageAnswer> {
  const typed = pickFields(visit.form, ...names);
  const { editor, form } = texts();
  const refusal =
    rejectChange(visit, templatesForm, editor.lacks(`${kind.service}.templates.write`)) ??
    rejectMissing({ name: typed.name }, { name: form.nameMissing }) ??
    (isChoice(kind, typed.starter) ? null : refuse({ starter: form.starterWrong }));
  const attempt = refusal ? { refusal } : await submitForm(names, () => store(kind, visit, typed));
  if (attempt.refusal) return renderNewTemplate(kind, visit, typed, attempt.refusal);
  return redirectTo(templatePath(kind, visit, [attempt.answer.id], { done: 'created' }));
}

const isChoice = ({ starters }: EditorKind, choice: string): boolean =>
  choice === blank || Object.hasOwn(starters(), choice);

function store(kind: EditorKind, visit: OrganizationVisit, { name, starter }: Values) {
  const { blankSubject: subject, blankText: text, blankVariable, blankSample } = texts().form;
  const variables = [{ name: blankVariable, required: false, sample: blankSample }];
  const content = starter === blank ? { ...kind.blankOf({ subject, text }), variables } : { starter };
  return callOnce(visit, `${kind.service}.templates.create`, { body: { name, ...content, publish: false } });
}

/** Shows the form of a new template. */
export function renderNewTemplate(
  kind: EditorKind,
  visit: OrganizationVisit,
  values: Values = { name: '', starter: blank },
  refusal?: Refusal,
): PageAnswer {
  const t = texts();
  const words = t.kinds[kind.service];
  const field = { name: 'name', label: t.form.name, autocomplete: 'off', isRequired: true, maxLength: 100 };
  return renderOrganizationPage(visit, {
    title: t.form.title,
    lead: words.newLead,
    parents: [[templatePath(kind, visit), t.title]],
    refusal,
    body:
      renderReadOnly(visit) ??
      renderForm({
        action: templatePath(kind, visit, ['new']),
        flow: openUserFlow(visit, templatesForm),
        fields: html`${renderFields([{ ...field, value: values.name, hint: t.form.nameHint }], refusal?.errors)}
${renderStarters(kind, values.starter, refusal?.errors.starter)}`,
        submit: t.form.submit,
      }),
  });
}

function renderStarters({ starters, service }: EditorKind, chosen: string, error: string | undefined): Html {
  const t = texts();
  const options = [
    { value: blank, label: t.form.blank, hint: t.kinds[service].blank },
    ...Object.entries(starters()).map(([value, { name, description }]) => ({ value, label: name, hint: description })),
  ];
  return renderOptions({ name: 'starter', label: t.form.starter, options }, chosen, error);
}
