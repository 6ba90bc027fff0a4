import { call } from '../../../lib/contract/context.ts';
import type { Refusal } from '../../../web/attempt.ts';
import { renderChoice, renderFields } from '../../../web/fields.ts';
import { flowField } from '../../../web/flow.ts';
import { type Html, html } from '../../../web/html.ts';
import { singleValues } from '../../../web/list-query.ts';
import { type OrganizationVisit, renderOrganizationPage, renderReadOnly } from '../../../web/organization-page.ts';
import type { PageAnswer } from '../../../web/page.ts';
import { renderBanner } from '../../../web/states.ts';
import { flashMessage, openUserFlow } from '../../../web/user-page.ts';
import { categories, localeTag } from '../content.ts';
import { renderEditorHead } from './editor-head.ts';
import { type EditorKind, type Template, type Typed, templatePath, templatesForm } from './editor-kind.ts';
import { typedOf } from './form.ts';
import { nameOfLocale } from './locale-names.ts';
import { renderLocales, renderRemovingLocale } from './locales.ts';
import { renderPreview, renderStored } from './preview.ts';
import { renderTest } from './test-form.ts';
import { texts } from './texts.ts';
import { renderVariables } from './variables.ts';
import { renderRemoving, renderVersions } from './versions.ts';

/** Reads the template in the path; throws NOT_FOUND when the organization has none of this id, or not the version. */
export async function readTemplate(
  { service }: EditorKind,
  { ctx, path }: OrganizationVisit,
  version?: string,
): Promise<Template> {
  const input = { path: { templateId: path.templateId ?? '' }, query: { ...(version && { version }) } };
  return await call(ctx, `${service}.templates.read`, input);
}

/** Shows a template: the editor of its latest version, or another version to read. */
export async function showTemplate(kind: EditorKind, visit: OrganizationVisit): Promise<PageAnswer> {
  const { version } = singleValues(visit.query, ['version']);
  return renderEditor(kind, visit, await readTemplate(kind, visit, version));
}

/** The refusal of a form, with its typed values. */
export type Refused = { typed?: Typed; tested?: Typed; refusal?: Refusal };

/** Renders the page of a template. */
export async function renderEditor(
  kind: EditorKind,
  visit: OrganizationVisit,
  template: Template,
  { typed, tested, refusal }: Refused = {},
): Promise<PageAnswer> {
  const t = texts();
  const asked = typed?.locale ?? singleValues(visit.query, ['locale']).locale ?? '';
  const locale = localeTag.safeParse(asked).success ? asked : '';
  const isLatest = template.version === template.latestVersion;
  const isEditable = visit.mayChange && isLatest;
  const values = typed ? { ...typed, version: String(template.latestVersion) } : typedOf(kind, template, locale);
  const { id: templateId, version } = template;
  const [stored, sender, versions] = await Promise.all([
    renderStored(kind, visit, { version: String(version), locale }),
    kind.renderSender(visit),
    renderVersions(kind, visit, template),
  ]);
  const rendered = stored.refusal === null ? stored.answer : {};
  const published = { published: t.kinds[kind.service].published, tested: t.kinds[kind.service].test.sent };
  return renderOrganizationPage(visit, {
    title: template.name,
    parents: [[templatePath(kind, visit), t.title]],
    head: renderEditorHead(kind, visit, template, isEditable),
    notice: flashMessage(visit, { ...t.notices, ...published }),
    refusal,
    hasFrames: true,
    body: html`${renderReadOnly(visit)}${renderOtherVersion(kind, visit, template)}${renderLocales(kind, visit, template, locale)}
<div class="studio">
${renderForm(kind, visit, { template, locale, values, isEditable, refusal })}
${renderPreview(kind, visit, { templateId, version, locale, rendered, sender, isEditable })}
${renderVariables(values, isEditable, refusal?.errors)}
<div class="stack">${isEditable && renderTest(kind, visit, { template, locale, tested, refusal })}
${versions}</div>
</div>
${visit.mayChange && renderRemoving(kind, visit, template)}`,
  });
}

function renderOtherVersion(kind: EditorKind, visit: OrganizationVisit, template: Template): Html | null {
  if (template.version === template.latestVersion) return null;
  const t = texts().editor;
  const latest = html`<a class="btn sm" href="${templatePath(kind, visit, [template.id])}">${t.toLatest}</a>`;
  return renderBanner({ icon: 'info', words: html`<p>${t.reading(template.version)}</p>`, act: latest });
}

type EditorForm = {
  template: Template;
  locale: string;
  values: Typed;
  isEditable: boolean;
  refusal: Refusal | undefined;
};

/** The fields of the content. The variables below and the buttons above are of the same form. */
function renderForm(kind: EditorKind, visit: OrganizationVisit, form: EditorForm): Html {
  const { template, locale, values, isEditable, refusal } = form;
  const t = texts();
  const errors = refusal?.errors ?? {};
  const isNew = locale !== '' && template.locales[locale] === undefined;
  const name = { name: 'name', label: t.editor.name, autocomplete: 'off', isRequired: true, maxLength: 100 };
  const category = {
    name: 'category',
    label: t.editor.category,
    options: categories.map((one) => [one, t.editor.categories[one]] as const),
  };
  return html`<div class="write">
<form method="post" action="${templatePath(kind, visit, [template.id])}" class="form" id="editor" aria-label="${t.editor.label}" novalidate>
${isEditable && flowField(openUserFlow(visit, templatesForm))}
<input type="hidden" name="version" value="${values.version}"><input type="hidden" name="locale" value="${locale}">
${isNew && isEditable && html`<p class="hint">${t.locales.adding(nameOfLocale(locale))}</p>`}
${isEditable && html`<div class="pair">${renderFields([{ ...name, value: values.name }], errors)}${renderChoice(category, values.category, errors.category)}</div>`}
${kind.renderFields(values, errors, !isEditable)}
</form>
${isEditable && locale !== '' && !isNew && renderRemovingLocale(kind, visit, template, locale)}</div>`;
}
