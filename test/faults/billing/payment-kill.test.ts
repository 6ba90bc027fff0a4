import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import type { InvoiceDocument } from '../../../models/billing/invoice.ts';
import type { SubscriptionDocument } from '../../../models/billing/subscription.ts';
import type { TestOutcomeDocument } from '../../../models/billing/test-payment.ts';
import type { WebhookDocument } from '../../../models/billing/webhook.ts';
import { pathOf } from '../../support/checkout-links.ts';
import { clientOf } from '../../support/client.ts';
import { clockEnvironment } from '../../support/clock-environment.ts';
import { runJob } from '../../support/operator.ts';
import { visitorOf } from '../../support/pages.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { createTenant, databaseUrlOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';

const organizations = 40;
const killAfter = 12;
const dataDir = mkdtempSync(join(tmpdir(), 'payment-kill-'));
let platform: Platform;

afterAll(async () => {
  await platform.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

/** The path of a new checkout's page. */
async function open({ orgId, apiKey }: Tenant): Promise<string> {
  const { checkoutUrl } = await clientOf({ url: platform.url, orgId, apiKey }).call('billing.checkouts.open', {
    path: { orgId },
    body: { plan: 'pro', billingCycle: 'monthly', successUrl: '/account', cancelUrl: '/account' },
  });
  return pathOf(checkoutUrl);
}

/** Pays all of them at once until the platform is killed in the middle of it; those that were told that they paid. */
async function payUntilKilled(checkouts: Map<string, string>): Promise<string[]> {
  const told: string[] = [];
  let killing: Promise<void> | undefined;
  const paying = [...checkouts].map(async ([orgId, path]) => {
    const { status } = await visitorOf(platform.url).postFrom(path, path, { act: 'approve' });
    if (status !== 303) return;
    told.push(orgId);
    if (told.length >= killAfter) killing ??= platform.kill();
  });
  await Promise.allSettled(paying);
  await killing;
  return told;
}

const read = async () =>
  withDatabase(await databaseUrlOf(platform), async (database) => ({
    outcomes: await database.collection<TestOutcomeDocument>('billing_test_outcomes').find().toArray(),
    webhooks: await database.collection<WebhookDocument>('billing_webhooks').find().toArray(),
    subscriptions: await database.collection<SubscriptionDocument>('billing_subscriptions').find().toArray(),
    invoices: await database.collection<InvoiceDocument>('billing_invoices').find().toArray(),
  }));

test('what was paid when the platform was killed is had and invoiced once, and nothing else is', async () => {
  platform = await startPlatform({ dataDir });
  const databaseUrl = await databaseUrlOf(platform);
  const checkouts = new Map<string, string>();
  for (let made = 0; made < organizations; made += 1) {
    const tenant = await createTenant(databaseUrl);
    checkouts.set(tenant.orgId, await open(tenant));
  }
  const told = await payUntilKilled(checkouts);
  expect(told.length).toBeGreaterThanOrEqual(killAfter);
  // The leases of the dead process have expired, and what the platform does each minute a test has it do at once.
  const env = clockEnvironment(Date.now() + 6 * 60_000, Date.now());
  platform = await startPlatform({ dataDir, env, entry: 'test/support/operated-platform.ts' });

  await until(async () => {
    for (const name of ['billing.webhooks', 'billing.subscriptions']) await runJob(platform.url, name);
    const { outcomes, webhooks, subscriptions } = await read();
    const isHeard = outcomes.every(({ isTold }) => isTold) && webhooks.every(({ isDone }) => isDone);
    return isHeard && subscriptions.every(({ effects }) => effects.length === 0);
  }, 200_000);

  const { outcomes, subscriptions, invoices } = await read();
  const paid = outcomes.filter(({ payment }) => payment).map(({ orgId }) => orgId);
  expect(paid).toEqual(expect.arrayContaining(told));
  for (const orgId of checkouts.keys()) {
    const plan = subscriptions.find(({ _id }) => _id === orgId)?.subscription.plan;
    const statuses = invoices.filter((invoice) => invoice.orgId === orgId).map(({ status }) => status);
    expect({ plan, statuses }).toEqual(
      paid.includes(orgId) ? { plan: 'pro', statuses: ['paid'] } : { plan: 'free', statuses: [] },
    );
  }
  const numbers = invoices.map(({ sequence }) => sequence).sort((one, other) => one - other);
  expect(numbers).toEqual(numbers.map((_number, index) => index + 1));
}, 300_000);
