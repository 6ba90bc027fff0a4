import { call } from '../../../../lib/contract/context.ts';
import { limits } from '../../../../messaging/templates/content.ts';
import type { EditorKind, Typed } from '../../../../messaging/templates/pages/editor-kind.ts';
import { templatePages } from '../../../../messaging/templates/pages/pages.ts';
import { type FieldErrors, renderFields } from '../../../../web/fields.ts';
import { type Html, html } from '../../../../web/html.ts';
import type { OrganizationVisit } from '../../../../web/organization-page.ts';
import { renderAvatar } from '../../../../web/states.ts';
import { callOnce } from '../../../../web/user-page.ts';
import { texts } from './texts.ts';

const formats = ['mjml', 'html', 'none'] as const;

/** The pages of mail templates: a subject, a body in MJML or HTML, and a text. */
const editor: EditorKind = {
  service: 'mail',
  area: 'templates',
  starters: () => texts().templates.starters,
  blankOf: (blank) => blank,
  fields: ['subject', 'format', 'body', 'text'],
  fieldOf: { html: 'body', mjml: 'body' },
  typedOf: ({ subject = '', mjml, html: own, text = '' }) => ({
    subject,
    format: mjml !== undefined ? 'mjml' : own !== undefined ? 'html' : 'none',
    body: mjml ?? own ?? '',
    text,
  }),
  partsOf: ({ subject = '', format, body = '', text = '' }) => ({
    subject,
    html: format === 'html' ? body : null,
    mjml: format === 'mjml' ? body : null,
    text: text === '' ? null : text,
  }),
  renderFields: renderContentFields,
  renderSender,
  isTextFirst: false,
  test: { permission: 'mail.send', fields: ['to'], renderFields: renderRecipient, send: sendTest },
};

export const mailTemplatesPages = templatePages(editor);

function renderContentFields(typed: Typed, errors: FieldErrors, isFixed: boolean): Html {
  const t = texts().templates;
  const subject = { name: 'subject', label: t.subject, autocomplete: 'off', value: typed.subject, isRequired: true };
  const text = { name: 'text', label: t.text, autocomplete: 'off', lines: 4, value: typed.text, hint: t.textHint };
  return html`${renderFields([{ ...subject, maxLength: limits.subject, isFixed }], errors)}
<div class="field source"><span class="label row between">${t.body}<span class="seg" role="group" aria-label="${t.format}">${formats.map((format) => renderFormat(format, typed, isFixed))}</span></span>
${renderSource(typed, errors, isFixed)}<p class="hint" id="body-hint">${t.bodyHint}</p></div>
${renderFields([{ ...text, maxLength: limits.text, isFixed }], errors)}`;
}

function renderFormat(format: (typeof formats)[number], { format: chosen }: Typed, isFixed: boolean): Html {
  const isChosen = format === chosen;
  return html`<label><input type="radio" name="format" value="${format}"${isChosen && html` checked`}${isFixed && !isChosen && html` disabled`}>${texts().templates.formats[format]}</label>`;
}

function renderSource({ body }: Typed, errors: FieldErrors, isFixed: boolean): Html {
  const t = texts().templates;
  const [label, area] = [t.source, { name: 'body', lines: 18, autocomplete: 'off', value: body }];
  return html`${renderFields([{ ...area, label, isRequired: true, isFixed, maxLength: limits.source }], errors)}`;
}

async function renderSender({ ctx, shell }: OrganizationVisit): Promise<Html> {
  const { fromName, from } = await call(ctx, 'mail.settings.read', {});
  const picture = renderAvatar({ name: fromName, id: shell.organization?.id ?? '', isSquare: true });
  return html`<header>${picture}<div class="grow"><b><bdi>${fromName}</bdi></b> <span class="quiet">${`<${from}>`}</span><span class="sub-line quiet">${texts().templates.to(shell.user.email)}</span></div></header>`;
}

function renderRecipient({ shell }: OrganizationVisit, { to = shell.user.email }: Typed, errors: FieldErrors): Html {
  const label = texts().templates.recipient;
  const field = { name: 'to', label, type: 'email', autocomplete: 'email', value: to, isRequired: true } as const;
  return html`${renderFields([{ ...field, maxLength: 254 }], errors)}`;
}

async function sendTest(
  visit: OrganizationVisit,
  { templateId, typed: { to = '' }, locale }: Parameters<EditorKind['test']['send']>[1],
): Promise<unknown> {
  return await callOnce(visit, 'mail.templates.test', {
    path: { templateId },
    body: { to, ...(locale && { locale }) },
  });
}
