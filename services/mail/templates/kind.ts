import type { Content } from '../../../messaging/templates/content.ts';
import { htmlPart, subjectPart, textPart } from '../../../messaging/templates/content.ts';
import type { TemplateKind } from '../../../messaging/templates/kind.ts';
import { TemplateModel, TemplateVersionModel } from '../../../models/mail/template.ts';
import { withUnsubscribeLink } from '../unsubscribe-link.ts';
import { starters } from './starters.ts';

/** The templates of mail: a subject, and HTML, MJML, text or several of them. */
export const mailTemplates: TemplateKind = {
  service: 'mail',
  path: '/v1/mail/templates',
  permissions: { read: 'mail.read', write: 'mail.templates.write' },
  limit: 'mailTemplates',
  templates: TemplateModel,
  versions: TemplateVersionModel,
  parts: { subject: subjectPart, html: htmlPart, mjml: htmlPart, text: textPart },
  required: ['subject'],
  exclusive: ['html', 'mjml'],
  oneAtLeast: ['html', 'mjml', 'text'],
  check: checkParts,
  builtIn: ['unsubscribeUrl'],
  complete: (rendered, { category, locale, values: { unsubscribeUrl } }) =>
    category === 'marketing' && unsubscribeUrl ? withUnsubscribeLink(rendered, unsubscribeUrl, locale) : rendered,
  starters,
  example: {
    subject: 'Your order {{ orderNumber }}',
    html: '<p>Hello {{ name }}, we have your order {{ orderNumber }}.</p>',
    variables: [
      { name: 'name', required: true, sample: 'Grace' },
      { name: 'orderNumber', required: true, sample: 'A-1042' },
    ],
  },
};

function checkParts({ html, mjml, text }: Content): { path: string; message: string }[] {
  if (html !== undefined && mjml !== undefined) return [{ path: 'mjml', message: 'Must not be combined with html.' }];
  if (html === undefined && mjml === undefined && text === undefined) {
    return [{ path: 'html', message: 'One of html, mjml and text is required.' }];
  }
  return [];
}
