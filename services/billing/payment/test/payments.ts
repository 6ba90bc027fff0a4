import { now } from '../../../../lib/clock.ts';
import { insertIfAbsent } from '../../../../lib/insert-unless-there.ts';
import {
  type TestOutcomeDocument,
  TestOutcomeModel,
  type TestPayment,
  type TestSubscriptionDocument,
  TestSubscriptionModel,
} from '../../../../models/billing/test-payment.ts';
import type { Charge } from '../provider.ts';

/** A payment on the page: `declinesRenewals` when the payer chose a card that no renewal can be charged to. */
export type SandboxPayment = { orgId: string; payment: TestPayment; declinesRenewals: boolean };

/**
 * Pays a checkout; a webhook will report it. Of any number of payments and closings the first counts.
 *
 * @returns whether it is paid, by this call or by one before.
 */
export async function payCheckout({ orgId, payment, declinesRenewals }: SandboxPayment): Promise<boolean> {
  return (await endOnce({ _id: payment.checkoutId, orgId, payment, declinesRenewals, isTold: false })) !== null;
}

/** Closes a checkout, unless it was paid. */
export async function closeCheckout(checkoutId: string, orgId: string): Promise<void> {
  await endOnce({ _id: checkoutId, orgId, payment: null, declinesRenewals: false, isTold: true });
}

/** The payment that ended the checkout; null when it was closed. */
async function endOnce(outcome: Omit<TestOutcomeDocument, 'nextAttemptAt' | 'createdAt'>): Promise<TestPayment | null> {
  const at = now();
  const isFirst = await insertIfAbsent<TestOutcomeDocument>(TestOutcomeModel, {
    ...outcome,
    nextAttemptAt: at,
    createdAt: at,
  });
  if (isFirst) return outcome.payment;
  const { _id, orgId } = outcome;
  const previous = await TestOutcomeModel.findOne({ _id, orgId }).lean<TestOutcomeDocument>();
  return previous?.payment ?? null;
}

/** Stores the card of a subscription. */
export async function saveCard({ orgId, payment, declinesRenewals }: TestOutcomeDocument): Promise<void> {
  if (!payment) return;
  const _id = payment.gatewaySubscriptionId;
  const document = { _id, orgId, declinesRenewals, isEnded: false, charges: [] };
  const isNew = await insertIfAbsent<TestSubscriptionDocument>(TestSubscriptionModel, document);
  if (!isNew) await TestSubscriptionModel.updateOne({ _id, orgId }, { $set: { declinesRenewals } });
}

/** Charges a subscription's card; the same key always has the same outcome. */
export async function chargeCard({ key, orgId, gatewaySubscriptionId: _id }: Charge): Promise<'paid' | 'failed'> {
  const subscription = await findSubscription(_id, orgId);
  if (!subscription) return 'failed';
  const isPaid = !subscription.declinesRenewals && !subscription.isEnded;
  await TestSubscriptionModel.updateOne(
    { _id, orgId, 'charges.key': { $ne: key } },
    { $push: { charges: { key, isPaid } } },
  );
  const charged = (await findSubscription(_id, orgId))?.charges.find((charge) => charge.key === key);
  return charged?.isPaid ? 'paid' : 'failed';
}

/** Nothing is charged from now on. */
export async function endSubscription(_id: string): Promise<void> {
  await TestSubscriptionModel.updateOne({ _id }, { $set: { isEnded: true } }).setOptions({ acrossTenants: true });
}

/** Stores that the payment of a checkout was refunded. */
export async function refundCheckout(_id: string, orgId: string): Promise<void> {
  await TestOutcomeModel.updateOne({ _id, orgId, payment: { $ne: null } }, { $set: { isRefunded: true } });
}

function findSubscription(_id: string, orgId: string): Promise<TestSubscriptionDocument | null> {
  return TestSubscriptionModel.findOne({ _id, orgId }).lean<TestSubscriptionDocument>().exec();
}
