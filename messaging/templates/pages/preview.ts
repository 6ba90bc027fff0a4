import { call } from '../../../lib/contract/context.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { type Refusal, submitForm } from '../../../web/attempt.ts';
import { pageLanguage } from '../../../web/catalogue.ts';
import { renderFieldError } from '../../../web/fields.ts';
import { type Html, html } from '../../../web/html.ts';
import { renderIcon } from '../../../web/icons.ts';
import { singleValues } from '../../../web/list-query.ts';
import type { OrganizationVisit } from '../../../web/organization-page.ts';
import { type PageAnswer, renderFragment } from '../../../web/page.ts';
import { useScript } from '../../../web/script.ts';
import { rejectStaleForm } from '../../../web/user-page.ts';
import { type EditorKind, type Rendered, templatePath, templatesForm } from './editor-kind.ts';
import { type Posted, readEditor, refusalAtFields } from './form.ts';
import { texts } from './texts.ts';

/**
 * The policy of a previewed content: inline styles and images, but no scripts and no forms. The page that embeds it
 * replaces the content while its author types, which needs the same origin; nothing in the frame can run.
 */
const framePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src https: data:; font-src https:; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'self'; sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox";

const sandbox = 'allow-same-origin allow-popups allow-popups-to-escape-sandbox';

/** Answers with the content of a stored version, for the frame. */
export async function showStored(kind: EditorKind, visit: OrganizationVisit): Promise<PageAnswer> {
  const { version, locale } = singleValues(visit.query, ['version', 'locale']);
  const shown = await renderStored(kind, visit, { version, locale });
  rejectUnknown(shown.refusal);
  return frameWith(shown.refusal === null ? documentOf(shown.answer) : documentOfProblems(shown.refusal));
}

/** Answers with a posted draft: for the frame, or as the fragment that the script shows. */
export async function showDraft(kind: EditorKind, visit: OrganizationVisit): Promise<PageAnswer> {
  const posted = readEditor(kind, visit.form);
  const stale = rejectStaleForm(visit, templatesForm);
  let rendered: Rendered = {};
  const refusal =
    stale ??
    (await refusalAtFields(kind, posted, async () => {
      rendered = await call(visit.ctx, `${kind.service}.templates.preview`, draftOf(visit, posted));
    }));
  rejectUnknown(refusal);
  if (singleValues(visit.query, ['fragment']).fragment === 'preview') {
    return renderFragment(refusal ? renderProblemParts(refusal) : renderParts(rendered));
  }
  return frameWith(refusal ? documentOfProblems(refusal) : documentOf(rendered));
}

/** Throws NOT_FOUND where the organization has no such template or version. */
function rejectUnknown(refusal: Refusal | null): void {
  if (refusal?.status === 404) throw apiError('NOT_FOUND');
}

function draftOf({ path }: OrganizationVisit, { parts, variables, withoutOptional }: Posted) {
  return { path: { templateId: path.templateId ?? '' }, body: { withoutOptional, draft: { ...parts, variables } } };
}

type Shown = { version: string | undefined; locale: string | undefined };

/** Renders a stored version with its samples. */
export async function renderStored(kind: EditorKind, visit: OrganizationVisit, { version, locale }: Shown) {
  const path = { templateId: visit.path.templateId ?? '' };
  const body = { ...(version && { version: Number(version) }), ...(locale && { locale }) };
  return await submitForm<Rendered>([], () => call(visit.ctx, `${kind.service}.templates.preview`, { path, body }));
}

function frameWith(content: string): PageAnswer {
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': framePolicy,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    },
    cookies: [],
    html: content,
  };
}

function documentOf({ html: own, text = '' }: Rendered): string {
  return own ?? wordsIn(html`<pre>${text}</pre>`);
}

function documentOfProblems({ errors, problem }: Refusal): string {
  const problems = [...(problem === null ? [] : [problem]), ...Object.values(errors)];
  return wordsIn(html`<p>${texts().preview.failed}</p><ul>${problems.map((one) => html`<li>${one}</li>`)}</ul>`);
}

/** A document of plain words. The policy of the frame allows its styles. */
function wordsIn(body: Html): string {
  const style =
    'body{margin:24px;font:15px/1.6 system-ui,sans-serif;color:#1d2630}pre{font:inherit;white-space:pre-wrap}';
  return html`<!doctype html>
<html lang="${pageLanguage()}"><head><meta charset="utf-8"><style>${style}</style></head><body>${body}</body></html>`.toString();
}

/** The parts that the script puts in place of the present ones. The document goes into the frame. */
function renderParts(rendered: Rendered): Html {
  return html`<h3 data-part="subject">${subjectOf(rendered)}</h3>
<pre data-part="text">${rendered.text}</pre>
<div data-document="${documentOf(rendered)}"></div>`;
}

function subjectOf({ subject }: Rendered): string {
  return subject ?? texts().preview.noSubject;
}

function renderProblemParts({ errors, problem }: Refusal): Html {
  const marked = Object.entries(errors);
  return html`<p data-part="status">${problem ?? texts().preview.problems(marked.length)}</p>
${marked.map(([name, message]) => html`<div data-field="${name}">${renderFieldError(name, message)}</div>`)}`;
}

type Pane = {
  templateId: string;
  version: number;
  locale: string;
  rendered: Rendered;
  sender: Html | null;
  isEditable: boolean;
};

/** Renders the preview next to the editor. */
export function renderPreview(kind: EditorKind, visit: OrganizationVisit, pane: Pane): Html {
  const { templateId, version, locale, rendered, sender, isEditable } = pane;
  const t = texts().preview;
  const path = templatePath(kind, visit, [templateId, 'preview']);
  const stored = templatePath(kind, visit, [templateId, 'preview'], { version: String(version), locale });
  const frame = html`<iframe name="preview" src="${stored}" title="${t.frame}" width="640" height="520" sandbox="${sandbox}"></iframe>`;
  const text = html`<pre tabindex="0" aria-label="${t.text}" data-part="text">${rendered.text}</pre>`;
  const [first, second, words] = kind.isTextFirst ? [text, frame, t.html] : [frame, text, t.text];
  return html`<section class="see" aria-labelledby="h-preview">
<div class="sec-head"><h2 id="h-preview">${t.title}</h2>${isEditable && renderSamples()}${renderWidths()}</div>
<x-template-preview data-form="editor" data-src="${path}?fragment=preview" data-failed="${t.unavailable}">
<div class="mailbox${kind.isTextFirst && ' chat'}">${sender}<h3 data-part="subject">${subjectOf(rendered)}</h3>
${first}</div>
<p class="hint" role="status" data-part="status"></p>
<details class="alternative"><summary>${words}</summary>${second}</details>
${isEditable && html`<button class="btn sm" form="editor" formaction="${path}" formtarget="preview" data-plain>${renderIcon('eye')}${t.submit}</button>`}
</x-template-preview>
${isEditable && useScript('template-preview')}</section>`;
}

function renderSamples(): Html {
  const t = texts().preview;
  return html`<span class="select"><select class="input" form="editor" name="samples" aria-label="${t.samples}"><option value="">${t.all}</option><option value="required">${t.withoutOptional}</option></select></span>`;
}

/** The widths to look at, which the style sheet applies. */
function renderWidths(): Html {
  const t = texts().preview;
  return html`<span class="seg" role="group" aria-label="${t.width}"><label><input type="radio" name="width" value="desktop" checked>${renderIcon('device', 'sm')}<span class="vh">${t.desktop}</span></label><label><input type="radio" name="width" value="phone" id="width-phone">${renderIcon('phone', 'sm')}<span class="vh">${t.phone}</span></label></span>`;
}
