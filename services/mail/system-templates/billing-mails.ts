import { once } from '../../../lib/once.ts';
import type { MailContent } from './mail-content.ts';

/** The common fields of mails about a plan. */
type OfPlan = { organizationName: string; plan: string; billingLink: string };

const unasked = 'All owners of the organization get this mail. If you did not expect it, ask the others.';

/** A payment was refused, and the plan keeps working for a while. */
export function paymentFailed({
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
export function subscriptionCanceled({
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
      'Until that day the cancellation can be taken back.',
    ],
    button: { label: 'See the plan', link: billingLink },
    unasked,
  };
}

/** The subscription has ended, and the organization is on the free plan. */
export function subscriptionEnded({ organizationName, plan, billingLink }: OfPlan): MailContent {
  return {
    subject: `The plan of ${organizationName} has ended`,
    heading: `The plan ${plan} has ended`,
    paragraphs: [`${organizationName} is on the free plan now. What it stored is kept, within that plan’s limits.`],
    button: { label: 'Choose a plan', link: billingLink },
    unasked,
  };
}

/** The grace period ended without a payment. */
export function subscriptionExpired({
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
export function quotaWarning(quota: {
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
