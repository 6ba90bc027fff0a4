import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { CheckoutDocument } from '../../../models/billing/checkout.ts';
import type { InvoiceDocument } from '../../../models/billing/invoice.ts';
import { eventually } from '../../support/until.ts';
import type { BillingBroker } from './billing-broker.ts';

process.env.PAYMENT_PROVIDER = 'manual';
const { day, hour, setClock } = await import('../../../lib/data/clock.ts');
const { newId } = await import('../../../lib/data/ids.ts');
const { settings } = await import('../../../lib/settings/settings.ts');
const { CheckoutModel } = await import('../../../models/billing/checkout.ts');
const { InvoiceModel } = await import('../../../models/billing/invoice.ts');
const { StripeCustomerModel } = await import('../../../models/billing/stripe-customer.ts');
const { sweepCheckouts } = await import('../../../services/billing/checkouts/sweep-checkouts.ts');
const { startBillingBroker } = await import('./billing-broker.ts');

let billing: BillingBroker;
let instant: number;
let restore = (): void => undefined;

beforeAll(async () => {
  billing = await startBillingBroker();
});
afterAll(() => billing.stop());
beforeEach(() => {
  instant = Date.parse('2030-01-31T12:00:00.000Z');
  restore = setClock(() => new Date(instant));
});
afterEach(() => restore());

const urls = { successUrl: `${settings.PUBLIC_URL}/done`, cancelUrl: `${settings.PUBLIC_URL}/back` };
type Wanted = { plan: 'pro' | 'scale'; billingCycle: 'monthly' | 'yearly' };
const pro: Wanted = { plan: 'pro', billingCycle: 'monthly' };
const scale: Wanted = { plan: 'scale', billingCycle: 'monthly' };
const scaleYearly: Wanted = { plan: 'scale', billingCycle: 'yearly' };

const want = async (orgId: string, wanted: Wanted): Promise<string> =>
  (await billing.callAs(orgId, 'billing.checkouts.open', { path: { orgId }, body: { ...wanted, ...urls } })).sessionId;
const pay = async (id: string) => (await billing.call('billing.console.pay', { body: { id } })).lines[0];
const read = (orgId: string) => billing.callAs(orgId, 'billing.subscription.read', { path: { orgId } });
const stored = async (orgId: string, _id: string) =>
  (await CheckoutModel.findOne({ _id, orgId }).lean<CheckoutDocument>())!;
const invoices = (orgId: string) => InvoiceModel.find({ orgId }).sort({ sequence: 1 }).lean<InvoiceDocument[]>();

/** An organization that has paid for a plan. */
async function buyer(wanted: Wanted = pro): Promise<string> {
  const orgId = newId('org');
  expect(await pay(await want(orgId, wanted))).toMatch(/has the plan/);
  return orgId;
}

/** The next period has begun, and its invoice is open. */
async function renew(orgId: string): Promise<InvoiceDocument> {
  instant = Date.parse((await read(orgId)).currentPeriodEnd) + hour;
  await billing.callAs(orgId, 'billing.subscription.cancel', { path: { orgId }, body: {} });
  await billing.callAs(orgId, 'billing.subscription.resume', { path: { orgId } });
  const renewal = (await invoices(orgId)).at(-1);
  expect(renewal?.status).toBe('open');
  return renewal!;
}

/** Expects that the money for a checkout is not taken for what the organization has now. */
async function expectRefused(orgId: string, checkoutId: string): Promise<void> {
  const before = { has: await read(orgId), invoices: await invoices(orgId), checkout: await stored(orgId, checkoutId) };
  expect(await pay(checkoutId)).toBe(
    `${checkoutId} is out of date: the subscription of ${orgId} has changed since. Open a new checkout.`,
  );
  const after = { has: await read(orgId), invoices: await invoices(orgId), checkout: await stored(orgId, checkoutId) };
  expect(after).toEqual(before);
}

describe('an upgrade that is paid by hand', () => {
  test('and was replaced counts as long as nothing else did', async () => {
    const orgId = await buyer();
    const first = await want(orgId, scale);
    const second = await want(orgId, scaleYearly);
    expect((await stored(orgId, first)).status).toBe('closed');
    expect(await pay(first)).toMatch(/has the plan Scale, monthly/);
    expect(await pay(first)).toBe(`${first} is already paid.`);
    await expectRefused(orgId, second);
  });

  test('does not make a month of the year that was paid in its place', async () => {
    const orgId = await buyer();
    const first = await want(orgId, scale);
    const second = await want(orgId, scaleYearly);
    expect(await pay(second)).toMatch(/has the plan Scale, yearly/);
    await expectRefused(orgId, first);
  });

  test('is refused when the period that it was reckoned from is another one', async () => {
    const orgId = await buyer();
    const upgrade = await want(orgId, scale);
    await pay((await renew(orgId))._id);
    await expectRefused(orgId, upgrade);
  });

  test('is offered anew when the period was paid after it was reckoned', async () => {
    const orgId = await buyer();
    const renewal = await renew(orgId);
    const dear = await want(orgId, scale);
    expect(await want(orgId, scale)).toBe(dear);
    await pay(renewal._id);
    await expectRefused(orgId, dear);
    const cheap = await want(orgId, scale);
    expect(cheap).not.toBe(dear);
    expect((await stored(orgId, cheap)).amount).toBeLessThan((await stored(orgId, dear)).amount);
    expect(await pay(cheap)).toMatch(/has the plan Scale, monthly/);
  });

  test('counts by its period alone where it was not noted what it was reckoned from', async () => {
    const [orgId, other] = [await buyer(), await buyer()];
    const forget = (of: string) => CheckoutModel.updateMany({ orgId: of }, { $unset: { from: 1 } });
    const upgrade = await want(orgId, scale);
    await forget(orgId);
    expect(await pay(upgrade)).toMatch(/has the plan Scale, monthly/);
    const replaced = await want(other, scale);
    await pay(await want(other, scaleYearly));
    await forget(other);
    await expectRefused(other, replaced);
  });
});

describe('a plan that is bought by hand', () => {
  test('is not paid again by a checkout that another one has replaced', async () => {
    const orgId = newId('org');
    const first = await want(orgId, pro);
    const second = await want(orgId, scaleYearly);
    expect(await pay(second)).toMatch(/has the plan Scale, yearly/);
    await expectRefused(orgId, first);
  });

  test('is not bought anew once the renewal was paid that was overdue', async () => {
    const orgId = await buyer();
    const renewal = await renew(orgId);
    instant += 8 * day;
    expect((await read(orgId)).status).toBe('past_due');
    const anew = await want(orgId, pro);
    await pay(renewal._id);
    await expectRefused(orgId, anew);
    await sweepCheckouts(billing.context(), new AbortController().signal);
    expect((await stored(orgId, anew)).status).toBe('closed');
  });

  test('that was cut off before it was noted as paid is paid no second time, and noted', async () => {
    const orgId = newId('org');
    const checkoutId = await want(orgId, pro);
    await pay(checkoutId);
    const before = { has: await read(orgId), invoices: await invoices(orgId) };
    await CheckoutModel.updateOne({ _id: checkoutId, orgId }, { $set: { status: 'open', slot: orgId } });
    await sweepCheckouts(billing.context(), new AbortController().signal);
    expect((await stored(orgId, checkoutId)).status).toBe('open');
    expect(await pay(checkoutId)).toMatch(/has the plan Pro, monthly/);
    expect((await stored(orgId, checkoutId)).status).toBe('completed');
    expect({ has: await read(orgId), invoices: await invoices(orgId) }).toEqual(before);
  });

  test('is had for what it cost when the plan in its place was given meanwhile', async () => {
    const orgId = newId('org');
    const checkoutId = await want(orgId, pro);
    await billing.call('billing.subscriptions.give', { body: { orgId, plan: 'scale' } });
    expect(await pay(checkoutId)).toMatch(/has the plan Pro, monthly/);
  });
});

describe('an organization that is deleted while it pays by hand', () => {
  const close = (orgId: string) => billing.call('billing.organizations.close', { body: { orgId } });

  test('has no plan for what arrives then, which the operator is to pay back', async () => {
    const error = jest.spyOn(billing.context().broker.logger, 'error');
    const orgId = newId('org');
    const checkout = await want(orgId, pro);
    await close(orgId);
    expect((await pay(checkout))?.replaceAll('\u00a0', ' ')).toBe(`${orgId} was deleted: refund EUR 49.00.`);
    expect(await read(orgId)).toMatchObject({ plan: 'free', status: 'canceled' });
    expect(await invoices(orgId)).toEqual([]);
    await eventually(() =>
      expect(error.mock.calls).toContainEqual([
        'A payment for a deleted organization must be refunded manually',
        expect.objectContaining({ orgId, checkoutId: checkout, amount: 4900, currency: 'eur' }),
      ]),
    );
    error.mockRestore();
  });

  test('is erased although it was a customer at Stripe, where nothing can be done without a key', async () => {
    const error = jest.spyOn(billing.context().broker.logger, 'error');
    const orgId = newId('org');
    const customerId = `cus_${orgId}`;
    await StripeCustomerModel.create({ _id: orgId, orgId, customerId, createdAt: new Date(instant) });
    await close(orgId);
    expect(await billing.call('billing.organizations.erase', { body: { orgId } })).toEqual({ isComplete: true });
    expect(await StripeCustomerModel.countDocuments({ orgId })).toBe(0);
    expect(error.mock.calls).toEqual([[expect.stringMatching(/deleted at Stripe manually/), { orgId, customerId }]]);
    error.mockRestore();
  });
});
