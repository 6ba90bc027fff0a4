import { day, fromNow, now } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import type { InvoiceDocument, InvoiceStatus } from '../../../models/billing/invoice.ts';
import type { Subscription } from '../../../models/billing/subscription.ts';
import { complimentarySubscription } from '../../../services/billing/subscriptions/transition.ts';
import { storeSubscription } from '../../support/plans.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';

/**
 * Has an organization of the shared platform subscribe to Pro, ten days ago and paid until in twenty, monthly and in EUR
 * at the test provider, but for what is given. Nobody is to have asked for its subscription before.
 */
export async function subscribe(orgId: string, changes: Partial<Subscription> = {}): Promise<Subscription> {
  const currentPeriodStart = fromNow(-10 * day);
  const currentPeriodEnd = fromNow(20 * day);
  const subscription: Subscription = {
    ...complimentarySubscription('pro', now()),
    provider: 'test',
    gatewaySubscriptionId: `sub_of_${orgId}`,
    collection: 'platform',
    currency: 'eur',
    currentPeriodStart,
    currentPeriodEnd,
    anchorDay: currentPeriodStart.getUTCDate(),
    paidUntil: currentPeriodEnd,
    invoicedUntil: currentPeriodEnd,
    ...changes,
  };
  const databaseUrl = await databaseUrlOf(await sharedPlatform());
  await storeSubscription(databaseUrl, orgId, subscription, subscription.deadline ?? currentPeriodEnd);
  return subscription;
}

/** Stores an invoice of an organization of the shared platform, of the day of January 2026 that is its number. */
export async function storeInvoice(orgId: string, number: number, status: InvoiceStatus = 'paid'): Promise<void> {
  const at = new Date(Date.UTC(2026, 0, number));
  const document: InvoiceDocument = {
    _id: newId('inv').replace('inv_', 'ivc_'),
    orgId,
    key: `test ${number}`,
    status,
    series: `test-${orgId}`,
    sequence: number,
    number: `T-${number}`,
    currency: 'eur',
    seller: { name: 'Platform', address: [], taxId: null },
    buyer: { name: 'Shop', address: [], taxId: null },
    lines: [{ description: 'Pro', quantity: 1, unitAmount: 4900, amount: 4900, period: null }],
    taxes: [],
    amount: 4900,
    createdAt: at,
    updatedAt: at,
    issuedAt: at,
    dueAt: at,
    paidAt: status === 'paid' ? at : null,
    paymentReference: null,
  };
  await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
    database.collection<InvoiceDocument>('billing_invoices').insertOne(document),
  );
}
