import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { day, fromNow } from '../../lib/data/clock.ts';
import type { Subscription } from '../../models/billing/subscription.ts';
import { complimentarySubscription } from '../../services/billing/subscriptions/transition.ts';
import { withBrowser } from '../support/browser.ts';
import { clientOf } from '../support/client.ts';
import { eventOf } from '../support/events.ts';
import { storeSubscription } from '../support/plans.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { createTenant, databaseUrlOf, slugOf } from '../support/tenants.ts';
import { eventually } from '../support/until.ts';
import { createUser, type User } from '../support/user-client.ts';
import { withinOneDay } from '../support/within-one-day.ts';
import { textsOf } from '../unit/billing/pdf-text.ts';
import { expectUsable, tabTo } from './pages-browser.ts';
import { pictureOfPdf } from './pdf-picture.ts';

// Each page is looked at in many sizes, which takes a while on a busy machine.
jest.setTimeout(180_000);

describe('paying for a plan', () => {
  const visit = withBrowser();
  let platform: Platform;

  beforeAll(async () => {
    platform = await startPlatform();
  });

  const pathOf = (orgId: string) => `/console/${slugOf(orgId)}/usage`;
  const open = (page: Page, path: string) => page.goto(`${platform.url}${path}`);
  const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();
  const heading = (page: Page) => page.locator('h1').textContent();
  const words = async (page: Page) => (await page.locator('main').textContent())!.replace(/\s+/g, ' ');
  const notice = (page: Page) => page.getByRole('status').textContent();
  const problem = (page: Page) => page.getByRole('alert').textContent();
  const backAt = (page: Page, orgId: string, done: string) =>
    page.waitForURL(`${platform.url}${pathOf(orgId)}?done=${done}`);

  async function newOwner(): Promise<{ orgId: string; owner: User }> {
    const databaseUrl = await databaseUrlOf(platform);
    const { orgId } = await createTenant(databaseUrl);
    return { orgId, owner: await createUser(databaseUrl, { orgId }) };
  }

  /** A browser in which the owner of a new organization is logged in and looks at its billing. */
  async function visitBilling(
    steps: (page: Page, orgId: string, complaints: string[]) => Promise<void>,
  ): Promise<void> {
    const { orgId, owner } = await newOwner();
    await visit(async ({ page, complaints }) => {
      const cookie = { name: 'platform_session', value: owner.sessionToken, url: platform.url };
      await page.context().addCookies([cookie]);
      await open(page, pathOf(orgId));
      await steps(page, orgId, complaints);
      expect(complaints.filter((text) => !isRefusedPayment(text))).toEqual([]);
    });
  }

  /** What the API answers this browser. */
  async function read<T>(page: Page, path: string): Promise<T> {
    const answer = await page.context().request.get(`${platform.url}${path}`);
    expect(answer.status()).toBe(200);
    return (await answer.json()) as T;
  }

  const subscriptionOf = (page: Page, orgId: string) => read(page, `/v1/orgs/${orgId}/subscription`);
  const entitlementsOf = (page: Page, orgId: string) => read(page, `/v1/orgs/${orgId}/entitlements`);

  const expectPlan = (page: Page, orgId: string, plan: string) =>
    eventually(async () => expect(await subscriptionOf(page, orgId)).toMatchObject({ plan, status: 'active' }));

  async function subscribe(page: Page, orgId: string, button: RegExp): Promise<void> {
    await press(page, button);
    await press(page, /^Pay €/);
    await backAt(page, orgId, 'checked-out');
  }

  test('leads from the login over the payment back to the page, with what the plan includes and the invoice', async () => {
    const { orgId, owner } = await newOwner();
    await visit(async ({ page, complaints, origins }) => {
      await open(page, pathOf(orgId));
      await page.getByLabel('Email address').fill(owner.email);
      await page.getByLabel('Password').fill(owner.password);
      await press(page, 'Log in');
      await page.waitForURL(`${platform.url}${pathOf(orgId)}`);
      expect(await heading(page)).toBe('Usage and billing');
      await expectUsable(page, 'billing-free');
      await press(page, 'Upgrade to Pro');
      expect(await heading(page)).toBe('Pay for Pro');
      await expectUsable(page, 'checkout');
      await press(page, 'Pay €49');
      await backAt(page, orgId, 'checked-out');
      expect(await notice(page)).toMatch(/Thank you\. Your order is complete/);
      await eventually(async () =>
        expect(await entitlementsOf(page, orgId)).toMatchObject({
          plan: 'pro',
          status: 'active',
          entitlements: { context: { eventsPerDay: 50_000 }, intelligence: { enabled: true } },
        }),
      );
      await page.reload();
      expect(await words(page)).toMatch(/Pro Monthly ?€49 a month ?Renews on [^.]*\./);
      await expectUsable(page, 'billing-pro');
      expect(complaints).toEqual([]);
      expect([...origins]).toEqual([platform.url]);
      await expectInvoice(page);
    });
  });

  /** Opens the PDF of the invoice that the page shows, reads it, and looks at its picture, which is kept. */
  async function expectInvoice(page: Page): Promise<void> {
    const link = page.getByRole('link', { name: /^PDF of invoice/ });
    const number = (await link.textContent())!;
    const { href: url } = new URL((await link.getAttribute('href'))!, page.url());
    await link.click();
    await page.waitForURL(url);
    const answer = await page.context().request.get(url);
    expect(answer.headers()).toMatchObject({ 'content-type': 'application/pdf' });
    const texts = textsOf(await answer.body()).map((text) => text.replaceAll('\u00a0', ' '));
    expect(texts).toEqual(expect.arrayContaining(['Invoice', number, 'Paid', 'Organization of a test', 'EUR 49.00']));
    const { paper, ink } = await pictureOfPdf(page, url, 'invoice');
    // A few lines of text on a sheet; boxes in place of letters, or another page, would be more, and nothing less.
    expect(paper).toBeGreaterThan(0.9);
    expect(ink).toBeGreaterThan(0.002);
    expect(ink).toBeLessThan(0.05);
  }

  test('goes on after a payment that was refused', async () => {
    await visitBilling(async (page, orgId) => {
      await press(page, 'Upgrade to Scale');
      await press(page, 'Decline the payment');
      expect(await problem(page)).toMatch(/Your payment was declined\. You have not been charged/);
      expect(await subscriptionOf(page, orgId)).toMatchObject({ plan: 'free' });
      await expectUsable(page, 'checkout-refused');
      await press(page, 'Pay €299');
      await backAt(page, orgId, 'checked-out');
      await expectPlan(page, orgId, 'scale');
    });
  });

  test('has the bank ask first, who may say no', async () => {
    await visitBilling(async (page, orgId) => {
      await page.getByRole('link', { name: 'Yearly' }).click();
      await expectUsable(page, 'billing-yearly');
      await press(page, 'Upgrade to Pro');
      await press(page, 'Require bank confirmation');
      expect(await heading(page)).toBe('Confirm your payment');
      await expectUsable(page, 'checkout-challenge');
      await press(page, 'Reject');
      expect(await problem(page)).toMatch(/Your bank did not confirm the payment\. You have not been charged/);
      expect(await subscriptionOf(page, orgId)).toMatchObject({ plan: 'free' });
      await press(page, 'Require bank confirmation');
      await press(page, 'Confirm');
      await backAt(page, orgId, 'checked-out');
      await expectPlan(page, orgId, 'pro');
      expect(await subscriptionOf(page, orgId)).toMatchObject({ billingCycle: 'yearly' });
    });
  });

  test('can be given up, and gone on with', async () => {
    await visitBilling(async (page, orgId) => {
      await press(page, 'Upgrade to Pro');
      const checkout = page.url();
      await press(page, 'Go back');
      await backAt(page, orgId, 'given-up');
      expect(await notice(page)).toBe('Checkout cancelled. You have not been charged.');
      expect(await subscriptionOf(page, orgId)).toMatchObject({ plan: 'free' });
      await press(page, 'Upgrade to Pro');
      expect(page.url()).toBe(checkout);
      await press(page, 'Pay €49');
      await backAt(page, orgId, 'checked-out');
      await expectPlan(page, orgId, 'pro');
      await page.goto(checkout);
      expect(await heading(page)).toBe('Paid');
      await expectUsable(page, 'checkout-paid');
    });
  });

  test('is cancelled in a step of its own, and taken back', async () => {
    await visitBilling(async (page, orgId) => {
      await subscribe(page, orgId, /^Upgrade to Pro/);
      await page.getByRole('link', { name: 'cancel Pro' }).click();
      expect(await heading(page)).toBe('Cancel Pro');
      await expectUsable(page, 'billing-cancel');
      await page.getByLabel('Why are you cancelling?').fill('x'.repeat(1000));
      await press(page, 'Cancel Pro');
      await backAt(page, orgId, 'cancelled');
      expect(await notice(page)).toBe('Your subscription was cancelled.');
      expect(await subscriptionOf(page, orgId)).toMatchObject({ plan: 'pro', cancelAtPeriodEnd: true });
      await expectUsable(page, 'billing-cancelled');
      await press(page, 'Resume Pro');
      await backAt(page, orgId, 'resumed');
      expect(await subscriptionOf(page, orgId)).toMatchObject({ plan: 'pro', cancelAtPeriodEnd: false });
    });
  });

  test('goes to less with the next period, and to what one had after all', async () => {
    await visitBilling(async (page, orgId) => {
      await subscribe(page, orgId, /^Upgrade to Scale/);
      await press(page, 'Change to Pro');
      expect(await heading(page)).toBe('Change to Pro');
      await expectUsable(page, 'checkout-change');
      await press(page, 'Change to Pro');
      await backAt(page, orgId, 'checked-out');
      expect(await words(page)).toMatch(/Changes to Pro, paid monthly, on [^.]* for €49 a month\./);
      expect(await entitlementsOf(page, orgId)).toMatchObject({ plan: 'scale' });
      await expectUsable(page, 'billing-scheduled');
      await press(page, 'Keep Scale');
      await page.waitForURL('**/billing/checkout/chk_*');
      await press(page, 'Keep Scale');
      await backAt(page, orgId, 'checked-out');
      expect(await words(page)).toMatch(/Scale Monthly ?€299 a month ?Renews on [^.]*\./);
    });
  });

  test('can be done with the keyboard alone', async () => {
    await visitBilling(async (page, orgId) => {
      await tabTo(page, 'Upgrade to Pro');
      const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineWidth');
      expect(outline).toBe('2px');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/billing/checkout/chk_*');
      await tabTo(page, 'Pay €');
      await page.keyboard.press('Enter');
      await backAt(page, orgId, 'checked-out');
      await tabTo(page, 'cancel Pro');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/usage/cancel');
      await tabTo(page, 'Why are you cancelling?');
      await page.keyboard.type('Too dear');
      await page.keyboard.press('Enter');
      await backAt(page, orgId, 'cancelled');
      await tabTo(page, 'Resume Pro');
      await page.keyboard.press('Space');
      await backAt(page, orgId, 'resumed');
      await tabTo(page, 'PDF of invoice');
    });
  });

  test('warns of a limit that is near, and of a payment that failed', () =>
    withinOneDay(async () => {
      const databaseUrl = await databaseUrlOf(platform);
      const tenant = await createTenant(databaseUrl);
      const owner = await createUser(databaseUrl, { orgId: tenant.orgId });
      const events = Array.from({ length: 460 }, () => eventOf(tenant.orgId));
      for (const batch of [events, events.map((event) => ({ ...event, eventId: crypto.randomUUID() }))]) {
        const client = clientOf({ url: platform.url, ...tenant });
        expect((await client.send('POST', '/events/batch', { events: batch })).status).toBe(200);
      }
      await visit(async ({ page }) => {
        const cookie = { name: 'platform_session', value: owner.sessionToken, url: platform.url };
        await page.context().addCookies([cookie]);
        await open(page, pathOf(tenant.orgId));
        expect(await words(page)).toContain('92% of events today are used.');
        await expectUsable(page, 'billing-near-limit');
        await page.getByRole('link', { name: 'See plans' }).click();
        await page.waitForURL(`**${pathOf(tenant.orgId)}#plans`);
        await storeSubscription(databaseUrl, tenant.orgId, pastDue(tenant.orgId));
        await eventually(async () => {
          await page.reload();
          expect(await words(page)).toMatch(/Payment failed ?€49 a month/);
        });
        await expectUsable(page, 'billing-past-due');
      });
    }));

  test('only shows to members what their organization has', async () => {
    const { orgId } = await newOwner();
    const member = await createUser(await databaseUrlOf(platform), { orgId, role: 'member' });
    await visit(async ({ page }) => {
      const cookie = { name: 'platform_session', value: member.sessionToken, url: platform.url };
      await page.context().addCookies([cookie]);
      await open(page, '/console');
      await page.getByRole('link', { name: 'Usage and billing' }).click();
      expect(await words(page)).toMatch(/You can view billing but not change it/);
      expect(await page.locator('main').getByRole('button').count()).toBe(0);
      await expectUsable(page, 'billing-member');
      await open(page, pathOf('org_00000000000000000000000000'));
      expect(await heading(page)).toBe('Not found');
    });
  });
});

function pastDue(orgId: string): Subscription {
  return {
    ...complimentarySubscription('pro', fromNow(-31 * day)),
    status: 'past_due',
    provider: 'test',
    gatewaySubscriptionId: `sub_of_${orgId}`,
    collection: 'platform',
    currency: 'eur',
    deadline: fromNow(5 * day),
  };
}

/** The browser counts a page that says that a payment was refused as an error of the network. */
function isRefusedPayment(text: string): boolean {
  return /status of 402/.test(text);
}
