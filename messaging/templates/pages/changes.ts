import { call } from '../../../lib/contract/context.ts';
import { allows } from '../../../lib/contract/permissions.ts';
import { type Refusal, refusalOf, refuse, rejectMissing } from '../../../web/attempt.ts';
import { type OrganizationVisit, rejectChange } from '../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../web/page.ts';
import { pickFields } from '../../../web/pick.ts';
import { rejectStaleForm } from '../../../web/user-page.ts';
import { readTemplate, renderEditor } from './editor.ts';
import { type EditorKind, type Template, type Typed, templatePath, templatesForm } from './editor-kind.ts';
import { changesOf, type Posted, readEditor, refusalAtFields } from './form.ts';
import { texts } from './texts.ts';

/** Saves a posted editor as a new version, and publishes it if asked. */
export async function saveTemplate(kind: EditorKind, visit: OrganizationVisit): Promise<PageAnswer> {
  const posted = readEditor(kind, visit.form);
  const template = await readTemplate(kind, visit);
  const changes = changesOf(kind, template, posted);
  const refusal =
    rejectWrite(kind, visit) ??
    rejectMissing({ name: posted.name }, { name: texts().form.nameMissing }) ??
    rejectOutdated(template, posted) ??
    (await refusalAtFields(kind, posted, () => store(kind, visit, { template, changes, posted })));
  if (refusal) return renderEditor(kind, visit, template, { typed: posted.typed, refusal });
  const { isPublished, locale } = posted;
  const done = isPublished ? 'published' : Object.keys(changes).length > 0 ? 'saved' : 'unchanged';
  return redirectTo(templatePath(kind, visit, [template.id], { locale, done }));
}

/** Another request has saved a version since the form was shown. The next submission replaces it. */
function rejectOutdated({ latestVersion }: Template, { typed }: Posted): Refusal | null {
  return typed.version === String(latestVersion) ? null : refuse({}, texts().editor.outdated(latestVersion), 409);
}

type Saved = { template: Template; changes: ReturnType<typeof changesOf>; posted: Posted };

async function store(
  kind: EditorKind,
  { ctx }: OrganizationVisit,
  { template, changes, posted }: Saved,
): Promise<void> {
  const { isPublished } = posted;
  const path = { templateId: template.id };
  const { name, ...content } = changes;
  const isNew = Object.keys(content).length > 0;
  if (isNew || name !== undefined) {
    await call(ctx, `${kind.service}.templates.update`, { path, body: { ...changes, publish: isPublished } });
  }
  if (isPublished && !isNew) await call(ctx, `${kind.service}.templates.publish`, { path, body: {} });
}

/** Publishes a version. */
export async function publishVersion(kind: EditorKind, visit: OrganizationVisit): Promise<PageAnswer> {
  const { version } = pickFields(visit.form, 'version');
  const template = await readTemplate(kind, visit);
  const input = { path: { templateId: template.id }, body: { version: Number(version) } };
  const refusal =
    rejectWrite(kind, visit) ??
    (await refusalOf([], () => call(visit.ctx, `${kind.service}.templates.publish`, input)));
  if (refusal) return renderEditor(kind, visit, template, { refusal });
  return redirectTo(templatePath(kind, visit, [template.id], { done: 'published' }));
}

/** Saves a draft without a language. */
export async function removeLocale(kind: EditorKind, visit: OrganizationVisit): Promise<PageAnswer> {
  const { locale } = pickFields(visit.form, 'locale');
  const template = await readTemplate(kind, visit);
  const body = { locales: { [locale]: null }, publish: false };
  const refusal =
    rejectWrite(kind, visit) ??
    (await refusalOf([], () =>
      call(visit.ctx, `${kind.service}.templates.update`, { path: { templateId: template.id }, body }),
    ));
  if (refusal) return renderEditor(kind, visit, template, { refusal });
  return redirectTo(templatePath(kind, visit, [template.id], { done: 'language-removed' }));
}
/** Sends a test of the latest version. */
export async function sendTest(kind: EditorKind, visit: OrganizationVisit): Promise<PageAnswer> {
  const typed: Typed = pickFields(visit.form, 'test-locale', ...kind.test.fields);
  const template = await readTemplate(kind, visit);
  const locale = typed['test-locale'] ?? '';
  const mayTest = allows(visit.scopes, kind.test.permission);
  const refusal =
    rejectStaleForm(visit, templatesForm) ??
    (mayTest ? null : refuse({}, texts().editor.lacks(kind.test.permission), 403)) ??
    (await refusalOf(kind.test.fields, () => kind.test.send(visit, { templateId: template.id, typed, locale })));
  if (refusal) return renderEditor(kind, visit, template, { tested: typed, refusal });
  return redirectTo(templatePath(kind, visit, [template.id], { locale, done: 'tested' }));
}
/** Deletes a template. */
export async function deleteTemplate(kind: EditorKind, visit: OrganizationVisit): Promise<PageAnswer> {
  pickFields(visit.form);
  const template = await readTemplate(kind, visit);
  const input = { path: { templateId: template.id } };
  const refusal =
    rejectWrite(kind, visit) ?? (await refusalOf([], () => call(visit.ctx, `${kind.service}.templates.delete`, input)));
  if (refusal) return renderEditor(kind, visit, template, { refusal });
  return redirectTo(templatePath(kind, visit, [], { done: 'deleted' }));
}

/** Why a form that changes templates is rejected; null if it is accepted. */
function rejectWrite({ service }: EditorKind, visit: OrganizationVisit): Refusal | null {
  return rejectChange(visit, templatesForm, texts().editor.lacks(`${service}.templates.write`));
}
