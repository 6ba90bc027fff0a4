import { z } from 'zod';
import { defineAction } from '../../lib/contract/define-action.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { organizationId } from '../../lib/contract/input.ts';
import { emailSpelling } from '../../lib/format/email-address.ts';
import { defaultLanguage, type Language, languages } from '../../lib/format/language.ts';
import { withoutLinks } from '../../lib/format/public-names.ts';
import { settings } from '../../lib/settings/settings.ts';
import { keyOfSystemMail, platformMail } from '../../models/mail/message.ts';
import { accents, accentsOf } from '../../web/theme.ts';
import { queueSystemMessage } from './messages/store.ts';
import {
  type MailContent,
  type MailedOrganization,
  type MailLink,
  type MailTexts,
  mailTexts,
} from './system-mail-texts.ts';
import { isMailOff } from './transports/choose-transport.ts';

export type RenderedMail = { subject: string; html: string; text: string };

/**
 * Renders one of the platform's own mails as HTML and as text. The HTML has no image but the logo of an organization, and
 * only the button is coloured, so that it is readable in dark and in light mode; each link is also shown as text. It
 * begins with a hidden line, which mail programs preview next to the subject.
 */
export function renderMail(content: MailContent, language: Language): RenderedMail {
  return { subject: content.subject, html: renderHtml(content, language), text: renderText(content) };
}

const fontStyle = 'font-family:system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;line-height:1.5';

function buttonStyle(color: string | null): string {
  const { accent, onAccent } = (color === null ? accents : accentsOf(color)).light;
  return (
    `display:inline-block;padding:12px 20px;border-radius:6px;background-color:${accent};color:${onAccent};` +
    'font-weight:600;text-decoration:none'
  );
}

function renderHtml(
  { subject, heading, paragraphs, button, alternative, unasked, organization }: MailContent,
  language: Language,
): string {
  return [
    '<!doctype html>',
    `<html lang="${language}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(subject)}</title></head>`,
    `<body style="margin:0;padding:24px;${fontStyle};font-size:16px">`,
    `<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(paragraphs[0] ?? heading)}</div>`,
    '<div style="max-width:560px;margin:0 auto;overflow-wrap:break-word">',
    `<p style="font-weight:600">${escapeHtml(settings.BRAND_NAME)}</p>`,
    ...(organization?.logoUrl ? [logoHtml(organization.name, organization.logoUrl)] : []),
    `<h1 style="font-size:22px;line-height:1.3">${escapeHtml(heading)}</h1>`,
    ...paragraphs.map(paragraph),
    ...(button ? [buttonHtml(button, mailTexts[language].openLink, organization?.color ?? null)] : []),
    ...(alternative ? [paragraph(alternative.label), plainLink(alternative.link)] : []),
    `<p style="font-size:14px">${escapeHtml(unasked)}</p>`,
    '</div></body></html>',
    '',
  ].join('\n');
}

function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`;
}

/** The logo of an organization below the platform's name, with its own name for readers whose program loads no images. */
function logoHtml(name: string, logoUrl: string): string {
  const style = 'display:inline-block;max-width:144px;max-height:48px;padding:4px;border-radius:6px;background:#ffffff';
  return `<p><img src="${escapeHtml(logoUrl)}" alt="${escapeHtml(name)}" height="48" style="${style}"></p>`;
}

function buttonHtml({ label, link }: MailLink, openLink: string, color: string | null): string {
  return [
    `<p style="margin:24px 0"><a href="${escapeHtml(link)}" style="${buttonStyle(color)}">${escapeHtml(label)}</a></p>`,
    paragraph(openLink),
    plainLink(link),
  ].join('\n');
}

/**
 * A link in the text colour: default blue is unreadable in programs that invert colours without supporting dark mode.
 */
function plainLink(link: string): string {
  const href = escapeHtml(link);
  return `<p style="font-size:14px;word-break:break-all"><a href="${href}" style="color:inherit">${href}</a></p>`;
}

function renderText({ heading, paragraphs, button, alternative, unasked }: MailContent): string {
  const links = [button && `${button.label}:`, button?.link, alternative?.label, alternative?.link];
  return `${[settings.BRAND_NAME, heading, ...paragraphs, ...links.filter((line) => line !== undefined), unasked].join('\n\n')}\n`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes a text for HTML, between tags or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

const link = z
  .string()
  .max(2000)
  // The URL standard accepts line breaks and spaces; mail does not.
  .regex(/^[^\s\p{C}]+$/u, 'Must not contain spaces.')
  .pipe(z.url({ protocol: /^https?$/, error: 'Must be an http or https URL.' }));

/** Bidirectional control characters, with which a name could rewrite the sentence around it. */
const directionMarks = /[\u202a-\u202e\u2066-\u2069]/g;

const words = z
  .string()
  .min(1)
  .max(300)
  .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'Must be a single line.')
  .transform((text) => text.replace(directionMarks, ''));

/** A name that a tenant chose. */
const name = words.transform(withoutLinks);

const instant = z.iso.datetime();

/** The organization on whose behalf a mail is sent, with its brand. */
const organization = z.strictObject({
  name,
  logoUrl: link.nullable(),
  color: z
    .string()
    .regex(/^#[0-9a-f]{6}$/)
    .nullable(),
});

/** The organization, its plan, and where to change it. */
const ofPlan = { organizationName: name, plan: name, billingLink: link };

const request = <T extends string, V extends z.ZodRawShape>(template: T, variables: V) =>
  z.strictObject({
    /** The idempotency key; one mail per key. */
    key: z.string().min(1).max(200),
    to: emailSpelling,
    /** The organization whose erasure deletes the mail; null for none. */
    orgId: organizationId.nullable(),
    template: z.literal(template),
    /** The language of the recipient. */
    language: z.enum(languages).default(defaultLanguage),
    /** The organization whose brand is shown in addition to the platform's; absent for none. */
    organization: organization.optional(),
    variables: z.strictObject(variables),
  });

/** The platform's own mails: the template, the recipient, the language and the variables. */
export const systemMail = z.discriminatedUnion('template', [
  request('registration', { link }),
  request('registration-existing', { loginLink: link, recoveryLink: link }),
  request('recovery', { link }),
  request('email-verification', { link }),
  request('invitation', { link, organizationName: name, inviterName: name, role: name }),
  request('password-changed', { recoveryLink: link }),
  request('login-email-changed', { newEmail: words }),
  request('payment-failed', { ...ofPlan, graceUntil: instant }),
  request('subscription-canceled', { ...ofPlan, endsAt: instant }),
  request('subscription-ended', ofPlan),
  request('subscription-expired', { ...ofPlan, freeFrom: instant }),
  request('quota-warning', {
    organizationName: name,
    what: words,
    percent: words,
    used: words,
    limit: words,
    billingLink: link,
  }),
]);

/** The input of a rendered mail. */
export type SystemMail =
  z.output<typeof systemMail> extends infer M
    ? M extends { template: unknown; variables: unknown }
      ? Pick<M, 'template' | 'variables'> & { language?: Language; organization?: MailedOrganization | undefined }
      : never
    : never;

/** Renders one of the platform's own mails, in English where no language is named. */
export function renderSystemMail(mail: SystemMail): RenderedMail {
  const { language = defaultLanguage, organization } = mail;
  return renderMail({ ...contentOf(mail, mailTexts[language]), organization }, language);
}

function contentOf(mail: SystemMail, texts: MailTexts): MailContent {
  switch (mail.template) {
    case 'registration':
      return texts.registration(mail.variables);
    case 'registration-existing':
      return texts.registrationExisting(mail.variables);
    case 'recovery':
      return texts.recovery(mail.variables);
    case 'email-verification':
      return texts.emailVerification(mail.variables);
    case 'invitation':
      return texts.invitation(mail.variables);
    case 'password-changed':
      return texts.passwordChanged(mail.variables);
    case 'login-email-changed':
      return texts.loginEmailChanged(mail.variables);
    case 'payment-failed':
      return texts.paymentFailed(mail.variables);
    case 'subscription-canceled':
      return texts.subscriptionCanceled(mail.variables);
    case 'subscription-ended':
      return texts.subscriptionEnded(mail.variables);
    case 'subscription-expired':
      return texts.subscriptionExpired(mail.variables);
    case 'quota-warning':
      return texts.quotaWarning(mail.variables);
  }
}

/**
 * `mail.system.send`, for every service: renders one of the platform's own mails and queues it. MAIL_DISABLED if mail
 * is turned off.
 */
export const sendSystemMail = defineAction({
  summary: "Send one of the platform's own mails",
  permission: 'internal',
  input: { body: systemMail },
  output: z.strictObject({ messageId: z.string() }),
  errors: ['MAIL_DISABLED'],
  async handler({ body }) {
    if (isMailOff()) throw apiError('MAIL_DISABLED');
    const { key, to, orgId } = body;
    const message = { key: keyOfSystemMail(key), to, orgId: orgId ?? platformMail, ...renderSystemMail(body) };
    return { messageId: await queueSystemMessage(message) };
  },
});

/** `mail.system.status`, for operations that require mail. */
export const readMailStatus = defineAction({
  summary: 'Find out whether mail is turned on',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({}) },
  output: z.strictObject({ isOn: z.boolean() }),
  handler: async () => ({ isOn: !isMailOff() }),
});
