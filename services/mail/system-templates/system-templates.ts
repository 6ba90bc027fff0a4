import { z } from 'zod';
import { emailSpelling } from '../../../lib/email-address.ts';
import { idPattern } from '../../../lib/ids.ts';
import { withoutLinks } from '../../../lib/public-names.ts';
import {
  paymentFailed,
  quotaWarning,
  subscriptionCanceled,
  subscriptionEnded,
  subscriptionExpired,
} from './billing-mails.ts';
import { emailVerification } from './email-verification.ts';
import { invitation } from './invitation.ts';
import { loginEmailChanged } from './login-email-changed.ts';
import type { MailContent } from './mail-content.ts';
import { passwordChanged } from './password-changed.ts';
import { recovery } from './recovery.ts';
import { registration } from './registration.ts';
import { registrationExisting } from './registration-existing.ts';
import { type RenderedMail, renderMail } from './render-mail.ts';

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

/** The organization, its plan, and where to change it. */
const ofPlan = { organizationName: name, plan: name, billingLink: link };

const request = <T extends string, V extends z.ZodRawShape>(template: T, variables: V) =>
  z.strictObject({
    /** The idempotency key; one mail per key. */
    key: z.string().min(1).max(200),
    to: emailSpelling,
    /** The organization whose erasure deletes the mail; null for none. */
    orgId: z.string().regex(idPattern('org')).nullable(),
    template: z.literal(template),
    variables: z.strictObject(variables),
  });

/** The platform's own mails: the template, the recipient and the variables. */
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
      ? Pick<M, 'template' | 'variables'>
      : never
    : never;

/** Renders one of the platform's own mails. */
export function renderSystemMail(mail: SystemMail): RenderedMail {
  return renderMail(contentOf(mail));
}

function contentOf(mail: SystemMail): MailContent {
  switch (mail.template) {
    case 'registration':
      return registration(mail.variables);
    case 'registration-existing':
      return registrationExisting(mail.variables);
    case 'recovery':
      return recovery(mail.variables);
    case 'email-verification':
      return emailVerification(mail.variables);
    case 'invitation':
      return invitation(mail.variables);
    case 'password-changed':
      return passwordChanged(mail.variables);
    case 'login-email-changed':
      return loginEmailChanged(mail.variables);
    case 'payment-failed':
      return paymentFailed(mail.variables);
    case 'subscription-canceled':
      return subscriptionCanceled(mail.variables);
    case 'subscription-ended':
      return subscriptionEnded(mail.variables);
    case 'subscription-expired':
      return subscriptionExpired(mail.variables);
    case 'quota-warning':
      return quotaWarning(mail.variables);
  }
}
