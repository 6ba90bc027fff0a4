import { allows } from '../../../lib/contract/permissions.ts';
import type { Refusal } from '../../../web/attempt.ts';
import { renderForm } from '../../../web/form-page.ts';
import { type Html, html } from '../../../web/html.ts';
import type { OrganizationVisit } from '../../../web/organization-page.ts';
import { openUserFlow } from '../../../web/user-page.ts';
import { type EditorKind, type Template, type Typed, templatePath, templatesForm } from './editor-kind.ts';
import { texts } from './texts.ts';

type Test = { template: Template; locale: string; tested: Typed | undefined; refusal: Refusal | undefined };

/** Renders the form that sends a test; null for a member who may not send. */
export function renderTest(kind: EditorKind, visit: OrganizationVisit, test: Test): Html | null {
  if (!allows(visit.scopes, kind.test.permission)) return null;
  const { test: t, kinds } = texts();
  const { template, locale, tested = {}, refusal } = test;
  return html`<section id="test" aria-labelledby="h-test">
<div class="sec-head"><h2 id="h-test">${t.title}</h2><p>${kinds[kind.service].test.words}</p></div>
${renderForm({
  action: templatePath(kind, visit, [template.id, 'test']),
  flow: openUserFlow(visit, templatesForm),
  fields: html`<input type="hidden" name="test-locale" value="${locale}">${kind.test.renderFields(visit, tested, refusal?.errors ?? {})}`,
  submit: t.submit,
  isSecond: true,
})}</section>`;
}
