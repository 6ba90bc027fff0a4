import Stripe from 'stripe';
import { z } from 'zod';
import { apiError } from '../../../../lib/contract/errors.ts';
import { now } from '../../../../lib/data/clock.ts';
import type { PaymentEvent, VerifiedWebhook, WebhookRequest } from '../provider.ts';
import { subscriptionOf } from './payments.ts';
import type { StripeApi } from './provider.ts';
import { foreignObjects, nothing, paymentEventOf, unknown } from './reading.ts';
import { failedRefund } from './refunds.ts';
import { idOf, orNull, toInstant } from './requests.ts';
import { restoreSchedule } from './upgrade.ts';

/** How old a signature may be, in seconds. */
const toleranceSeconds = 300;
/** The implementation that works on every runtime. */
const cryptoProvider = Stripe.createSubtleCryptoProvider();

/** The fields read from an event. Everything else is read again at Stripe, for it may have changed since. */
const event = z.object({
  id: z.string().min(1).max(255),
  type: z.string().min(1).max(255),
  created: z.int().min(0),
  data: z.object({
    object: z.object({
      id: z.string().max(255).optional(),
      subscription: z.string().nullish().catch(null),
      parent: z
        .object({ subscription_details: z.object({ subscription: z.string() }) })
        .nullish()
        .catch(null),
      // The platform's metadata as of the event.
      metadata: z.object({ checkoutId: z.string().optional() }).nullish().catch(null),
    }),
  }),
});

type Read = z.output<typeof event>;

const payload = z.object({ id: z.string().min(1), checkoutId: z.string().nullable() });

/** Which payment event each kind of webhook event means. Events of all other kinds are taken and bring none. */
const readers: Record<string, (api: StripeApi, read: z.output<typeof payload>) => Promise<PaymentEvent>> = {
  'checkout.session.completed': ofSession,
  'checkout.session.expired': ofSession,
  'checkout.session.async_payment_succeeded': ofSession,
  'checkout.session.async_payment_failed': async (api, { id }) => ofSession(api, { id, isFailed: true }),
  'customer.subscription.created': ofSubscription,
  'customer.subscription.updated': ofSubscription,
  'customer.subscription.deleted': ofSubscription,
  'customer.subscription.paused': ofSubscription,
  'customer.subscription.resumed': ofSubscription,
  'customer.subscription.pending_update_applied': ofSubscription,
  'customer.subscription.pending_update_expired': ofExpiredUpgrade,
  'invoice.paid': ofInvoice,
  'invoice.payment_failed': ofInvoice,
  'invoice.payment_action_required': ofInvoice,
  'refund.failed': failedRefund,
};

/** @throws WEBHOOK_INVALID when none of the secrets signed it within the last five minutes, or it cannot be read. */
export async function verifyWebhook(
  { webhookSecrets }: StripeApi,
  { body, headers }: WebhookRequest,
): Promise<VerifiedWebhook> {
  const signed = await readSigned(body, headers['stripe-signature'] ?? '', webhookSecrets);
  const read = event.safeParse(signed);
  if (!read.success) throw apiError('WEBHOOK_INVALID', { message: 'The webhook cannot be read.', cause: read.error });
  const { id: eventId, type, created, data } = read.data;
  const { id = '', metadata } = data.object;
  const noted = { id, checkoutId: metadata?.checkoutId ?? null };
  return { eventId, type, sentAt: toInstant(created), payload: noted, subject: subjectOf(data.object) };
}

/** Interprets an event by the present state at Stripe, not by the state at the time it was sent. */
export async function interpret(api: StripeApi, { type, payload: stored }: VerifiedWebhook): Promise<PaymentEvent> {
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  return read ? await read(api, payload.parse(stored)) : nothing;
}

async function readSigned(body: string, signature: string, secrets: readonly string[]): Promise<unknown> {
  const failures: unknown[] = [];
  for (const secret of secrets) {
    try {
      return await Stripe.webhooks.constructEventAsync(
        body,
        signature,
        secret,
        toleranceSeconds,
        cryptoProvider,
        now().getTime(),
      );
    } catch (error) {
      failures.push(error);
    }
  }
  throw apiError('WEBHOOK_INVALID', { cause: failures[0] });
}

/** The subscription that an event is about, where it names one. */
function subjectOf({ id = '', subscription, parent }: Read['data']['object']): string {
  return parent?.subscription_details.subscription ?? subscription ?? id;
}

async function ofSession(
  api: StripeApi,
  { id, isFailed = false }: { id: string; isFailed?: boolean },
): Promise<PaymentEvent> {
  const session = await orNull(api.stripe.checkout.sessions.retrieve(id));
  if (!session) return unknown;
  const checkoutId = session.client_reference_id;
  if (!session.metadata?.orgId || !checkoutId) return foreignObjects;
  if (session.status === 'expired') return { ...nothing, checkoutId, isCheckoutOver: true };
  if (session.status !== 'complete' || !session.subscription) return nothing;
  const invoice = session.invoice && (await orNull(api.stripe.invoices.retrieve(idOf(session.invoice))));
  const paymentEvent = await paymentEventOf(api, idOf(session.subscription), invoice || null);
  if (paymentEvent.events.length === 0) return paymentEvent;
  const isUnpaid = isFailed && session.payment_status === 'unpaid';
  return { ...paymentEvent, checkoutId, ...(isUnpaid && { isCheckoutOver: true }) };
}

async function ofSubscription(api: StripeApi, { id }: { id: string }): Promise<PaymentEvent> {
  return await paymentEventOf(api, id);
}

/** The upgrade was not paid in time. Another checkout may be open by now, so the event's metadata names this one. */
async function ofExpiredUpgrade(api: StripeApi, { id, checkoutId }: z.output<typeof payload>): Promise<PaymentEvent> {
  await restoreSchedule(api, id);
  const paymentEvent = await ofSubscription(api, { id });
  return checkoutId && paymentEvent.gatewaySubscriptionId
    ? { ...paymentEvent, checkoutId, isCheckoutOver: true }
    : paymentEvent;
}

async function ofInvoice(api: StripeApi, { id }: { id: string }): Promise<PaymentEvent> {
  const invoice = await orNull(api.stripe.invoices.retrieve(id));
  if (!invoice) return unknown;
  const subscriptionId = subscriptionOf(invoice);
  return subscriptionId ? await paymentEventOf(api, subscriptionId, invoice) : foreignObjects;
}
