import { renderConfirmedForm } from '../../../web/confirm.ts';
import { type Html, html } from '../../../web/html.ts';
import { renderIcon } from '../../../web/icons.ts';
import type { OrganizationVisit } from '../../../web/organization-page.ts';
import { openUserFlow } from '../../../web/user-page.ts';
import { type EditorKind, type Template, templatePath, templatesForm } from './editor-kind.ts';
import { nameOfLocale } from './locale-names.ts';
import { texts } from './texts.ts';

/** Renders the languages of a template, and a form that adds one. */
export function renderLocales(kind: EditorKind, visit: OrganizationVisit, template: Template, locale: string): Html {
  const { locales: t, defaultLocale } = texts();
  const isLatest = template.version === template.latestVersion;
  const isNew = locale !== '' && template.locales[locale] === undefined;
  const tags = ['', ...Object.keys(template.locales), ...(isNew ? [locale] : [])];
  const version = isLatest ? '' : String(template.version);
  const path = templatePath(kind, visit, [template.id]);
  const links = tags.map((tag) => {
    const href = templatePath(kind, visit, [template.id], { version, locale: tag });
    return html`<a href="${href}"${tag === locale && html` aria-current="true"`}>${tag === '' ? defaultLocale : nameOfLocale(tag)}</a>`;
  });
  const add = html`<details class="add-language"><summary class="btn sm plain">${renderIcon('plus')}${t.add}</summary>
<form method="get" action="${path}" class="row"><div class="field"><label for="new-locale">${t.tag}</label><span class="row"><input class="input" id="new-locale" name="locale" maxlength="16" autocomplete="off" autocapitalize="none" spellcheck="false" required pattern="[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?" title="${t.wrong}"><button class="btn">${t.submit}</button></span><p class="hint">${t.hint}</p></div></form></details>`;
  return html`<div class="languages"><nav class="seg" aria-label="${t.label}">${links}</nav>${visit.mayChange && isLatest && add}</div>`;
}

/** Renders the form that removes a language. */
export function renderRemovingLocale(
  kind: EditorKind,
  visit: OrganizationVisit,
  template: Template,
  locale: string,
): Html {
  const t = texts().locales;
  const name = nameOfLocale(locale);
  return renderConfirmedForm({
    id: 'remove-language',
    action: templatePath(kind, visit, [template.id, 'languages', 'remove']),
    flow: openUserFlow(visit, templatesForm),
    fields: html`<input type="hidden" name="locale" value="${locale}">`,
    submit: t.remove(name),
    question: t.question(name),
    consequence: t.consequence,
    confirm: t.confirm,
    isMild: true,
  });
}
