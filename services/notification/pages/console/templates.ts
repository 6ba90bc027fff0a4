import { texts as messageTexts } from '../../../../messaging/delivery/pages/texts.ts';
import { limits } from '../../../../messaging/templates/content.ts';
import type { EditorKind, Typed } from '../../../../messaging/templates/pages/editor-kind.ts';
import { templatePages } from '../../../../messaging/templates/pages/pages.ts';
import { type Channel, channels } from '../../../../models/notification/connection.ts';
import { type Field, type FieldErrors, renderChoice, renderFields } from '../../../../web/fields.ts';
import { type Html, html } from '../../../../web/html.ts';
import type { OrganizationVisit } from '../../../../web/organization-page.ts';
import { callOnce } from '../../../../web/user-page.ts';
import { optionsPart } from '../../templates/templates.ts';
import { texts } from './texts.ts';

/** The fields of a template that WhatsApp has approved; all empty without one. */
const whatsappFields = ['whatsappName', 'whatsappLanguage', 'whatsappParameters'] as const;

/** The pages of notification templates: a text, and a subject, HTML and an approved template where a channel takes them. */
const editor: EditorKind = {
  service: 'notification',
  area: 'notificationTemplates',
  starters: () => texts().templates.starters,
  blankOf: ({ text }) => ({ text }),
  fields: ['subject', 'text', 'html', ...whatsappFields],
  fieldOf: {
    'options.whatsapp.name': 'whatsappName',
    'options.whatsapp.language': 'whatsappLanguage',
    'options.whatsapp.parameters': 'whatsappParameters',
  },
  typedOf: ({ subject = '', text = '', html: own = '', options }) => ({
    subject,
    text,
    html: own,
    ...whatsappIn(options),
  }),
  partsOf: ({ subject = '', text = '', html: own = '', ...others }) => ({
    subject: subject === '' ? null : subject,
    text,
    html: own === '' ? null : own,
    options: optionsOf(others),
  }),
  renderFields: renderContentFields,
  renderSender: () => Promise.resolve(null),
  isTextFirst: true,
  test: {
    permission: 'notification.send',
    fields: ['channel', 'recipientId'],
    renderFields: renderTest,
    send: sendTest,
  },
};

export const notificationTemplatesPages = templatePages(editor);

function whatsappIn(options: unknown): Typed {
  const { whatsapp } = optionsPart.safeParse(options).data ?? {};
  const { name = '', language = '', parameters = [] } = whatsapp ?? {};
  return { whatsappName: name, whatsappLanguage: language, whatsappParameters: parameters.join('\n') };
}

/** The endpoint says what is missing of an approved template that is named in part. */
function optionsOf({ whatsappName = '', whatsappLanguage = '', whatsappParameters = '' }: Typed) {
  const parameters = whatsappParameters.split('\n').flatMap((line) => line.trim() || []);
  if (whatsappName === '' && whatsappLanguage === '' && parameters.length === 0) return null;
  return { whatsapp: { name: whatsappName, language: whatsappLanguage, parameters } };
}

function renderContentFields(typed: Typed, errors: FieldErrors, isFixed: boolean): Html {
  const t = texts().templates;
  const field = (name: string, label: string, more: Partial<Field>): Field => {
    return { name, label, autocomplete: 'off', value: typed[name] ?? '', isFixed, ...more };
  };
  const content = [
    field('subject', t.subject, { hint: t.subjectHint, maxLength: limits.subject }),
    field('text', t.text, { hint: t.textHint, lines: 6, maxLength: limits.text, isRequired: true }),
    field('html', t.html, { hint: t.htmlHint, lines: 6, maxLength: limits.source }),
  ];
  const approved = [
    field('whatsappName', t.whatsappName, { hint: t.whatsappNameHint, maxLength: 512 }),
    field('whatsappLanguage', t.whatsappLanguage, { hint: t.whatsappLanguageHint, maxLength: 6 }),
    field('whatsappParameters', t.whatsappParameters, { hint: t.whatsappParametersHint, lines: 3 }),
  ];
  const isOpen = whatsappFields.some((name) => typed[name] || errors[name]);
  return html`${renderFields(content, errors)}
<details class="alternative"${isOpen && html` open`}><summary>${t.whatsapp}</summary><div class="form">${renderFields(approved, errors)}</div></details>`;
}

function renderTest(_visit: OrganizationVisit, { channel, recipientId = '' }: Typed, errors: FieldErrors): Html {
  const { templates: t } = texts();
  const options = channels.map((one) => [one, messageTexts().channels[one]] as const);
  const recipient = { name: 'recipientId', label: t.recipient, hint: t.recipientHint, autocomplete: 'off' };
  return html`${renderChoice({ name: 'channel', label: t.channel, options }, channel, errors.channel)}
${renderFields([{ ...recipient, value: recipientId, isRequired: true, maxLength: 512 }], errors)}`;
}

async function sendTest(
  visit: OrganizationVisit,
  { templateId, typed: { channel, recipientId = '' }, locale }: Parameters<EditorKind['test']['send']>[1],
): Promise<unknown> {
  // The endpoint says what is wrong with a channel that no option of the form has.
  const body = { channel: channel as Channel, recipientId, ...(locale && { locale }) };
  return await callOnce(visit, 'notification.templates.test', { path: { templateId }, body });
}
