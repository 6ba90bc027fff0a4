import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { day, setClock } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { type InvoiceDocument, InvoiceModel } from '../../../models/billing/invoice.ts';
import { clockOffset, loadClockOffset, setClockOffset } from '../../../services/billing/clock.ts';
import { linkTo } from '../../support/checkout-links.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { type BillingBroker, startBillingBroker } from './billing-broker.ts';

let billing: BillingBroker;
let restore = (): void => undefined;

beforeAll(async () => {
  billing = await startBillingBroker();
});
afterAll(() => billing.stop());
beforeEach(() => {
  const instant = Date.parse('2030-01-31T12:00:00.000Z');
  restore = setClock(() => new Date(instant));
});
afterEach(async () => {
  await billing.call('billing.clock.reset', {});
  restore();
});

const urls = { successUrl: `${settings.PUBLIC_URL}/done`, cancelUrl: `${settings.PUBLIC_URL}/back` };
const move = (days: number) => billing.call('billing.clock.move', { body: { seconds: (days * day) / 1000 } });
const subscription = (orgId: string) => billing.callAs(orgId, 'billing.subscription.read', { path: { orgId } });
const entitlements = (orgId: string) => billing.callAs(orgId, 'billing.entitlements.read', { path: { orgId } });
const invoices = (orgId: string) =>
  InvoiceModel.find({ orgId }).sort({ issuedAt: 1, sequence: 1 }).lean<InvoiceDocument[]>();
const mailsOf = (orgId: string) =>
  [...billing.mails.values()].filter((mail) => mail.orgId === orgId).map(({ template }) => template);

async function buy(orgId: string, how: 'approve' | 'approve-once', plan: 'pro' | 'scale' = 'pro') {
  const body = { plan, billingCycle: 'monthly', ...urls } as const;
  const { sessionId } = await billing.callAs(orgId, 'billing.checkouts.open', { path: { orgId }, body });
  await billing.call('billing.checkouts.act', { body: { ...linkTo(sessionId), act: how } });
}

/** How many months the clock is moved by: every day of them costs a run of all jobs. */
const months = propertyCases(3, 12);
/** Their days, their end, and the end of the next month. */
const [days, end, nextEnd] =
  months === 3
    ? ([89, '2030-04-30T12:00:00.000Z', '2030-05-31T12:00:00.000Z'] as const)
    : ([365, '2031-01-31T12:00:00.000Z', '2031-02-28T12:00:00.000Z'] as const);

describe('the clock of billing', () => {
  test('moved by months renews once in each, at its time, with an invoice each', async () => {
    const orgId = newId('org');
    await buy(orgId, 'approve');
    expect(await move(days)).toEqual({ now: end, offsetSeconds: days * 24 * 3600 });
    expect(await subscription(orgId)).toMatchObject({
      plan: 'pro',
      status: 'active',
      currentPeriodStart: end,
      currentPeriodEnd: nextEnd,
    });
    const all = await invoices(orgId);
    expect(all.map(({ status }) => status)).toEqual(Array.from({ length: months + 1 }, () => 'paid'));
    expect(all.slice(1, 4).map(({ issuedAt }) => issuedAt?.toISOString().slice(0, 10))).toEqual([
      '2030-02-28',
      '2030-03-31',
      '2030-04-30',
    ]);
    expect(mailsOf(orgId)).toEqual([]);
  });

  test('shows what becomes of a card that no renewal can be charged to: grace, end, free, and the mails', async () => {
    const orgId = newId('org');
    await buy(orgId, 'approve-once');
    await move(27);
    expect((await subscription(orgId)).status).toBe('active');
    await move(2);
    expect((await subscription(orgId)).status).toBe('past_due');
    expect((await entitlements(orgId)).plan).toBe('pro');
    await move(7);
    expect((await subscription(orgId)).status).toBe('expired');
    await move(30);
    expect(await subscription(orgId)).toMatchObject({ plan: 'free', status: 'active' });
    expect(mailsOf(orgId)).toEqual(['payment-failed', 'subscription-expired', 'subscription-ended']);
    expect((await invoices(orgId)).map(({ status }) => status)).toEqual(['paid', 'uncollectible']);
  });

  test('lets a payment during the grace go on with the plan, and what is unpaid is void', async () => {
    const orgId = newId('org');
    await buy(orgId, 'approve-once');
    await move(30);
    expect((await subscription(orgId)).status).toBe('past_due');
    await buy(orgId, 'approve');
    expect(await subscription(orgId)).toMatchObject({
      plan: 'pro',
      status: 'active',
      currentPeriodStart: '2030-02-28T12:00:00.000Z',
      currentPeriodEnd: '2030-03-31T12:00:00.000Z',
    });
    expect((await invoices(orgId)).map(({ status }) => status)).toEqual(['paid', 'void', 'paid']);
    await move(31);
    expect((await subscription(orgId)).status).toBe('active');
    expect((await invoices(orgId)).map(({ status }) => status)).toEqual(['paid', 'void', 'paid', 'paid']);
  });

  test('gives no free days to who buys again each time that a card fails', async () => {
    const orgId = newId('org');
    const periods: string[] = [];
    for (let cycle = 0; cycle < 3; cycle += 1) {
      await buy(orgId, 'approve-once');
      const { currentPeriodStart, currentPeriodEnd } = await subscription(orgId);
      periods.push(`${currentPeriodStart.slice(0, 10)} ${currentPeriodEnd.slice(0, 10)}`);
      // Five days into the grace.
      const paidUntil = Date.parse(currentPeriodEnd) - Date.parse((await move(0)).now);
      await move(Math.round(paidUntil / day) + 5);
      expect((await subscription(orgId)).status).toBe('past_due');
    }
    expect(periods).toEqual(['2030-01-31 2030-02-28', '2030-02-28 2030-03-31', '2030-03-31 2030-04-30']);
  });

  test.each(['expired', 'free'] as const)('takes the unpaid grace off what is bought when it is %s', async (status) => {
    const orgId = newId('org');
    await buy(orgId, 'approve-once');
    await move(28 + 7);
    expect((await subscription(orgId)).status).toBe('expired');
    if (status === 'free') await move(31);
    expect((await subscription(orgId)).plan).toBe(status === 'free' ? 'free' : 'pro');
    const at = Date.parse((await move(0)).now);
    await buy(orgId, 'approve');
    const bought = await subscription(orgId);
    expect((at - Date.parse(bought.currentPeriodStart)) / day).toBe(7);
    expect(bought).toMatchObject({ plan: 'pro', status: 'active' });
    // Once.
    await move(31);
    expect((await invoices(orgId)).at(-1)?.status).toBe('paid');
  });

  test('ends what was cancelled', async () => {
    const orgId = newId('org');
    await buy(orgId, 'approve', 'scale');
    await billing.callAs(orgId, 'billing.subscription.cancel', { path: { orgId }, body: { reason: 'Enough' } });
    await move(27);
    expect(await subscription(orgId)).toMatchObject({ plan: 'scale', cancelAtPeriodEnd: true });
    await move(1);
    expect(await subscription(orgId)).toMatchObject({ plan: 'free', gatewaySubscriptionId: null });
    expect(await invoices(orgId)).toHaveLength(1);
    expect(mailsOf(orgId)).toEqual(['subscription-canceled', 'subscription-ended']);
  });

  test('stays as it was moved, also after the next start, until it is reset', async () => {
    await move(3);
    setClockOffset(0);
    await loadClockOffset();
    expect(clockOffset()).toBe(3 * day);
    expect(await move(0)).toMatchObject({ offsetSeconds: 3 * 24 * 3600 });
    expect(await billing.call('billing.clock.reset', {})).toMatchObject({ offsetSeconds: 0 });
    await loadClockOffset();
    expect(clockOffset()).toBe(0);
  });

  test('is moved by an operator in words', async () => {
    const say = async (change: string) => (await billing.call('billing.console.clock', { body: { change } })).lines[0];
    expect(await say('+31d')).toBe(
      "Billing's clock is at 2030-03-03T12:00:00.000Z, 2678400 seconds ahead of the real time.",
    );
    expect(await say('12h')).toContain('2030-03-04T00:00:00.000Z');
    expect(await say('')).toContain('2030-03-04T00:00:00.000Z');
    expect(await say('-1d')).toContain('Usage: billing:clock');
    expect(await say('reset')).toContain(', the real time');
  });

  test('goes neither back nor on for ever', async () => {
    for (const seconds of [-1, 1.5, 1e12]) {
      await expect(billing.call('billing.clock.move', { body: { seconds } })).rejects.toMatchObject({
        type: 'INPUT_INVALID',
      });
    }
  });
});

describe('the console', () => {
  test('gives plans, and shows how an organization stands', async () => {
    const orgId = newId('org');
    const give = async (plan: string, id = orgId) =>
      (await billing.call('billing.console.give', { body: { orgId: id, plan } })).lines[0];
    const show = async (id = orgId) => (await billing.call('billing.console.show', { body: { orgId: id } })).lines;
    expect((await show())[0]).toContain('has no subscription');
    expect(await give('gold')).toContain('There is no plan gold');
    expect(await give('pro', 'shop')).toContain('is not the id of an organization');
    expect(await give('pro')).toContain('has the plan pro');
    expect((await show())[0]).toBe('Plan pro@1 monthly, active, free of charge.');
    await buy(orgId, 'approve', 'scale');
    const lines = await show();
    expect(lines[0]).toMatch(/^Plan scale@1 monthly, active, paid by test sub_/);
    expect(lines.at(-1)).toMatch(/^Invoice ivc_\w+ 2030-\d{6}: EUR\s299\.00, paid\.$/);
    await billing.callAs(orgId, 'billing.subscription.cancel', { path: { orgId }, body: { reason: 'Too dear.\nBye' } });
    expect(await show()).toContain('Cancelled; ends with the period, because "Too dear.\\nBye".');
  });
});
