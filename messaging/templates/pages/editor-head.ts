import { allows } from '../../../lib/contract/permissions.ts';
import { renderCopyable } from '../../../web/copy.ts';
import { type Html, html } from '../../../web/html.ts';
import { renderIcon } from '../../../web/icons.ts';
import type { OrganizationVisit } from '../../../web/organization-page.ts';
import { renderWhenWithin } from '../../../web/time.ts';
import type { EditorKind, Template } from './editor-kind.ts';
import { renderTemplateState } from './list.ts';
import { texts } from './texts.ts';

/** Renders the head of a template: its name, state and id, and the buttons that save the editor below. */
export function renderEditorHead(
  kind: EditorKind,
  { scopes }: OrganizationVisit,
  template: Template,
  isEditable: boolean,
): Html {
  const { editor: t, test } = texts();
  const { id, name, updatedAt } = template;
  const toTest =
    allows(scopes, kind.test.permission) &&
    html`<a class="btn desk" href="#test">${renderIcon('send')}${test.link}</a>`;
  return html`<header class="detail">
<div class="grow"><h1><bdi>${name}</bdi> ${renderTemplateState(template)}</h1>
<p class="quiet">${renderCopyable('template-id', id, t.idName)}<span>${t.changed(renderWhenWithin(updatedAt))}</span></p></div>
${isEditable && html`<div class="acts">${toTest}<button class="btn" form="editor" name="act" value="draft">${t.save}</button><button class="btn primary" form="editor" name="act" value="publish">${t.publish}</button></div>`}
</header>`;
}
