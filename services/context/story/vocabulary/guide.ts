import { entities, type Family, type Meaning, tellingEntities } from './events.ts';
import type { billingFields, fieldNames } from './fields.ts';

/** The meaning of each word and field of the vocabulary, in Markdown, for `docs/events.md`. */

/** The headings of the families. */
export const familyTitles: Record<Family, string> = {
  order: 'Orders',
  payment: 'Payments',
  subscription: 'Subscriptions and trials',
  ticket: 'Tickets',
  message: 'Messages',
  person: 'People',
  page: 'Pages',
};

export const meaningTexts: { [Name in Family]: Record<Meaning<Name>, string> } = {
  order: {
    placed: 'a new order',
    paid: 'the order is paid',
    shipped: 'it is on its way',
    delivered: 'it arrived',
    completed: 'it is done',
    cancelled: 'it is cancelled; its reason is kept',
    returned: 'the goods came back',
    refunded: 'all of it was refunded, or the stated amount',
    partially_refunded: 'a part of it was refunded',
  },
  payment: {
    succeeded: 'a payment was received; a negative amount is a refund, zero is not a payment',
    failed: 'an attempt failed and the amount is still due',
    pending: 'an amount is due',
    overdue: 'an amount is overdue',
    refunded: 'a payment was refunded',
    disputed: 'the customer disputes a payment',
    dropped: 'nothing is due',
    unremarkable: 'changes nothing',
  },
  subscription: {
    started: 'a new subscription, or a trial when it names the end of one',
    activated: 'it is active: after a trial, a pause or a cancellation',
    trialing: 'a trial began',
    trial_ending: 'the end of the trial is known, or moved',
    trial_over: 'the trial ran out',
    renewed: 'another period was bought',
    upgraded: 'a larger plan',
    downgraded: 'a smaller plan',
    changed: 'another plan',
    past_due: 'a renewal is not paid',
    paused: 'it is paused',
    cancelled: 'it is cancelled, immediately or for later; its reason is kept',
    ended: 'it is over',
  },
  ticket: {
    opened: 'a new ticket',
    replied: 'an answer',
    resolved: 'the ticket is closed',
    reopened: 'it is open again',
  },
  message: {
    exchanged: 'one message to or from the customer; its content is not read',
  },
  person: {
    registered: 'the person registered',
    updated: 'their profile changed',
    logged_in: 'they logged in',
    closed: 'the account is closed; its reason is kept',
  },
  page: {
    viewed: 'a page was viewed; only its path is kept',
  },
};

export const fieldTexts: Record<keyof typeof fieldNames, string> = {
  orderId: 'the order; events with the same id belong to the same order',
  paymentId: 'the payment, or the attempt',
  refundId: 'the refund, so that a repeated report counts once',
  id: 'the entity itself, when no other field names it',
  forOrder: 'the order that a payment is for',
  forInvoice: 'the invoice that a payment is for',
  forSubscription: 'the subscription, also of a payment or a trial',
  trialId: 'the trial, when it has a separate id',
  ticketId: 'the ticket',
  total: 'an amount: the value of an order, or the payment',
  received: 'an amount: the payment; preferred to the names above',
  due: 'an amount: the amount due; preferred to the names above',
  amount: 'an amount: the refund of an order',
  refund: 'an amount: one refund',
  refundTotal: 'an amount: all refunds of a payment so far',
  minorUnits: 'a whole number of minor units (cents); needs a currency',
  currency: 'three letters of ISO 4217',
  items: 'a list of the items of an order, at most 100 are read',
  itemName: 'of an item: its name',
  itemPrice: 'of an item: the amount for one',
  itemQuantity: 'of an item: a whole number, 1 when it is missing',
  plan: 'the name of the plan, or an object with `name`',
  formerPlan: 'the plan before a change',
  trialEnd: 'an instant: when the trial ends',
  cancelAt: 'an instant: when a cancelled subscription ends',
  end: 'an instant: the same, or when the trial ends',
  periodEnd: 'an instant: the end of the paid period',
  cancelLater: '`true`: cancelled for the end of the period',
  reason: 'why something was cancelled; a code such as `too_expensive` is shown in words',
  status: 'what an update changed it to',
  paymentStatus: 'of a checkout: `unpaid` is not a payment yet',
  subject: 'of a ticket',
  direction: '`inbound`, `incoming`, `in`, `received`; `outbound`, `outgoing`, `out`, `sent`',
  channel: 'of a message; by default the word of the event name or `source.channel`',
  address: 'of a page; host, query and fragment are dropped',
  pageTitle: 'of a page without an address',
  fullName: 'of a person',
  givenName: 'of a person',
  familyName: 'of a person',
  email: 'of a person',
  company: 'of a person',
  personPlan: 'of a person without a subscription',
  customerName: 'of any event: the customer',
  customerEmail: 'of any event: the customer',
  label: 'of an event that is in no table: shown with its date',
  detail:
    'of an event that is in no table: shown with the name of the field; without any of these an amount, or the first other field that does not identify, locate or authorize',
};

/** The fields of Stripe's objects. */
export const billingFieldTexts: Record<keyof typeof billingFields, string> = {
  amounts: 'whole numbers of minor units; for ISK and UGX a hundredth, for MGA the ariary',
  payments: 'the payment it belongs to',
  invoice: 'the invoice it belongs to',
  subscription: 'the subscription it belongs to',
  plan: "of `items.data[0].price`, `items.data[0].plan` or `plan`: the plan's name",
  reason: 'why it was cancelled',
};

/** The name of an event of a family, with a dot after its entity: `trial.started` for the word `trial_started`. */
export function eventName(family: Family, word: string): string {
  const telling = tellingEntities.find((entity) => entities[family].includes(entity) && word.startsWith(`${entity}_`));
  return telling ? `${telling}.${word.slice(telling.length + 1)}` : `${entities[family][0]}.${word}`;
}
