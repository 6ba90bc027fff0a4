import { once } from '../../lib/concurrency/once.ts';
import type { Language } from '../../lib/format/language.ts';
import { de } from './system-mail-texts-de.ts';

/** The common fields of mails about a plan. */
type OfPlan = { organizationName: string; plan: string; billingLink: string };

const unasked = 'All owners of the organization get this mail. If you did not expect it, ask the others.';

/** A payment was refused, and the plan keeps working for a while. */
function paymentFailed({
  organizationName,
  plan,
  graceUntil,
  billingLink,
}: OfPlan & { graceUntil: string }): MailContent {
  return {
    subject: `A payment for ${organizationName} failed`,
    heading: 'A payment failed',
    paragraphs: [
      `The plan ${plan} of ${organizationName} could not be paid.`,
      `Everything keeps working until ${dateOf(graceUntil)}. Please pay until then, or choose another plan.`,
    ],
    button: { label: 'Pay or choose a plan', link: billingLink },
    unasked,
  };
}

/** Sent after a cancellation, which can be reverted until the end of the period. */
function subscriptionCanceled({
  organizationName,
  plan,
  endsAt,
  billingLink,
}: OfPlan & { endsAt: string }): MailContent {
  return {
    subject: `The plan of ${organizationName} is cancelled`,
    heading: `The plan ${plan} is cancelled`,
    paragraphs: [
      `${organizationName} has the plan ${plan} until ${dateOf(endsAt)}, and then moves to the free plan.`,
      'Changed your mind? Resume it before then.',
    ],
    button: { label: 'See the plan', link: billingLink },
    unasked,
  };
}

/** The subscription has ended, and the organization is on the free plan. */
function subscriptionEnded({ organizationName, plan, billingLink }: OfPlan): MailContent {
  return {
    subject: `The plan of ${organizationName} has ended`,
    heading: `The plan ${plan} has ended`,
    paragraphs: [`${organizationName} is on the free plan now. What it stored is kept, within that plan’s limits.`],
    button: { label: 'Choose a plan', link: billingLink },
    unasked,
  };
}

/** The grace period ended without a payment. */
function subscriptionExpired({
  organizationName,
  plan,
  freeFrom,
  billingLink,
}: OfPlan & { freeFrom: string }): MailContent {
  return {
    subject: `${organizationName} is suspended until it is paid`,
    heading: 'The plan was not paid',
    paragraphs: [
      `The plan ${plan} of ${organizationName} was not paid in time, and its services are suspended.`,
      `They go on as soon as a payment arrives. On ${dateOf(freeFrom)} the organization falls back to the free plan.`,
    ],
    button: { label: 'Pay or choose a plan', link: billingLink },
    unasked,
  };
}

/** Sent when a share of a limit is used. `what` names the counted units, such as “events today”. */
function quotaWarning(quota: {
  organizationName: string;
  what: string;
  percent: string;
  used: string;
  limit: string;
  billingLink: string;
}): MailContent {
  const { organizationName, what, percent, used, limit, billingLink } = quota;
  return {
    subject: `${organizationName} has used ${percent} % of its plan: ${what}`,
    heading: `${percent} % is used: ${what}`,
    paragraphs: [
      `${organizationName} has used ${used} of the ${limit} that its plan includes.`,
      'What goes beyond the limit is refused until the plan gives more.',
    ],
    button: { label: 'See the plan', link: billingLink },
    unasked,
  };
}

const days = once(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }));

/** The UTC date of an instant, formatted for people. */
function dateOf(instant: string): string {
  return days().format(new Date(instant));
}

/** To an address that a user added to their account: proves that it is theirs. */
function emailVerification({ link }: { link: string }): MailContent {
  return {
    subject: 'Confirm this email address',
    heading: 'Confirm this email address',
    paragraphs: [
      'This email address was added to an account. To confirm that it is yours, open the link and log in to that account.',
    ],
    button: { label: 'Confirm this address', link },
    unasked: 'If you did not add it, do nothing: without the confirmation it stays unconfirmed.',
  };
}

type Invitation = { link: string; organizationName: string; inviterName: string; role: string };

/** An invitation into an organization. One by an application has the organization's name for the inviter's. */
function invitation({ link, organizationName, inviterName, role }: Invitation): MailContent {
  const invited = inviterName === organizationName ? 'You are invited' : `${inviterName} invited you`;
  return {
    subject: `Invitation to ${organizationName}`,
    heading: `Join ${organizationName}`,
    paragraphs: [`${invited} to join ${organizationName} with the role “${role}”.`],
    button: { label: 'See the invitation', link },
    unasked: 'If you weren’t expecting this, ignore this email.',
  };
}

/** A notice to the previous address of an account, in case an attacker made the change. */
function loginEmailChanged({ newEmail }: { newEmail: string }): MailContent {
  return {
    subject: 'The email address you log in with was changed',
    heading: 'The email address you log in with was changed',
    paragraphs: [`From now on you log in to your account with ${newEmail}, and no longer with this address.`],
    unasked: 'If it was not you, please tell the people who run this platform at once, for you cannot log in here now.',
  };
}

/** A link and its label. */
export type MailLink = { label: string; link: string };

/**
 * The content of one of the platform's own mails, as plain text: `renderMail` escapes all of it, so a template cannot
 * forget to.
 */
export type MailContent = {
  subject: string;
  heading: string;
  paragraphs: string[];
  button?: MailLink;
  /** An alternative, in a sentence that ends before its link. */
  alternative?: MailLink;
  /** A sentence for recipients who did not request this mail. */
  unasked: string;
  /** The organization on whose behalf the platform sends it, where its brand is shown. */
  organization?: MailedOrganization | undefined;
};

/** The brand of an organization in a mail: the address of its logo, and its colour as `#rrggbb`. */
export type MailedOrganization = { name: string; logoUrl: string | null; color: string | null };

/** A notice to the owner of an account, in case an attacker made the change. */
function passwordChanged({ recoveryLink }: { recoveryLink: string }): MailContent {
  return {
    subject: 'Your password was changed',
    heading: 'Your password was changed',
    paragraphs: ['The password of your account was changed just now. If that was you, there is nothing to do.'],
    button: { label: 'It was not me: choose a new password', link: recoveryLink },
    unasked: 'If it was not you, choose a new password at once: that logs everybody out of your account.',
  };
}

/** To a user who cannot log in: the link lets them choose a new password. */
function recovery({ link }: { link: string }): MailContent {
  return {
    subject: 'Choose a new password',
    heading: 'Choose a new password',
    paragraphs: [
      'Someone, probably you, asked for a new password for your account.',
      'The link works once, within one hour. Do not share it: anyone who has it can set your password.',
    ],
    button: { label: 'Choose a new password', link },
    unasked: 'If you did not ask for this, do nothing: your password stays as it is.',
  };
}

/** To a registration for an address that has an account: only the owner of the address learns that it exists. */
function registrationExisting(links: { loginLink: string; recoveryLink: string }): MailContent {
  return {
    subject: 'You already have an account',
    heading: 'You already have an account',
    paragraphs: [
      'Someone, probably you, tried to register with this email address. It has an account, so just log in.',
    ],
    button: { label: 'Log in', link: links.loginLink },
    alternative: { label: 'If you do not remember your password, choose a new one:', link: links.recoveryLink },
    unasked: 'If this was not you, do nothing: your account has not changed.',
  };
}

/** To a new registration: proves that the address belongs to the user. */
function registration({ link }: { link: string }): MailContent {
  return {
    subject: 'Confirm your email address',
    heading: 'Welcome',
    paragraphs: ['Please confirm your email address, and your account is ready.', 'The link works for 24 hours.'],
    button: { label: 'Confirm my address', link },
    unasked: 'If you did not register, do nothing: without the confirmation there is no account.',
  };
}

const en = {
  paymentFailed,
  subscriptionCanceled,
  subscriptionEnded,
  subscriptionExpired,
  quotaWarning,
  emailVerification,
  invitation,
  loginEmailChanged,
  passwordChanged,
  recovery,
  registrationExisting,
  registration,
  /** The sentence between the button and its link. */
  openLink: 'If the button does not work, open this address in your browser:',
};

export type MailTexts = typeof en;

/** The texts of the platform's own mails, by language. */
export const mailTexts: Record<Language, MailTexts> = { en, de };
