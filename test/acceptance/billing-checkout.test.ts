import { expect } from '@jest/globals';
import { send } from '../support/http.ts';
import { eventually } from '../support/until.ts';
import { covers } from './covers.ts';
import { buttons, buy, checkOut, press, readLimits, readSubscription, returnUrls, withCustomer } from './customers.ts';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

covers('checkout.create', (platform) =>
  withCustomer(platform, async (customer) => {
    const before = await readSubscription(customer);
    const { status, body } = await checkOut(customer);
    expect(status).toBe(201);
    expect(body).toEqual({
      checkoutUrl: expect.stringMatching(/^https?:\/\//),
      sessionId: expect.stringMatching(/^chk_[0-9a-hjkmnp-tv-z]{26}$/),
      expiresAt: expect.stringMatching(timestamp),
    });
    expect(Date.parse(body.expiresAt)).toBeGreaterThan(Date.now());
    expect(await readSubscription(customer)).toEqual(before);
  }),
);

covers('checkout.fields', (platform) =>
  withCustomer(platform, async (customer) => {
    const wrong: [wish: object, path: string][] = [
      [{ plan: 'gold' }, 'plan'],
      [{ plan: 'free' }, 'plan'],
      [{ plan: undefined }, 'plan'],
      [{ billingCycle: 'weekly' }, 'billingCycle'],
      [{ billingCycle: undefined }, 'billingCycle'],
      [{ currency: 'EUR' }, 'currency'],
      [{ successUrl: undefined }, 'successUrl'],
      [{ cancelUrl: undefined }, 'cancelUrl'],
      [{ price: 1 }, 'price'],
    ];
    for (const [wish, field] of wrong) {
      const { status, body } = await checkOut(customer, wish);
      expect({ wish, status, error: body.error }).toEqual({ wish, status: 400, error: 'INPUT_INVALID' });
      expect(body.details!.map(({ path }) => path)).toEqual([`body.${field}`]);
    }
  }),
);

covers('checkout.urls', (platform) =>
  withCustomer(platform, async (customer) => {
    const foreign = [
      'https://evil.example/thanks',
      'https://shop.example.com.evil.example/',
      'https://shop.example.com@evil.example/',
      'https://shop.example.com:8443/',
      'http://shop.example.com/',
      '//evil.example/',
      'javascript:alert(1)',
      'https://shop.example.com\\@evil.example/',
      '',
    ];
    for (const url of foreign) {
      for (const field of ['successUrl', 'cancelUrl']) {
        const { status, body } = await checkOut(customer, { [field]: url });
        expect({ url, status, error: body.error }).toEqual({ url, status: 400, error: 'INPUT_INVALID' });
        expect(body.details!.map(({ path }) => path)).toEqual([`body.${field}`]);
      }
    }
    expect((await checkOut(customer, { successUrl: `${customer.url}/account`, cancelUrl: '/account' })).status).toBe(
      201,
    );
  }),
);

covers('checkout.open', (platform) =>
  withCustomer(platform, async (customer) => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => checkOut(customer)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.sessionId)).size).toBe(1);
    const former = answers[0]!.body;
    expect((await checkOut(customer)).body).toEqual(former);
    const other = await checkOut(customer, { billingCycle: 'yearly' });
    expect(other.body.sessionId).not.toBe(former.sessionId);
    await expect(press(customer, former, buttons.approve)).rejects.toThrow('No form');
    expect((await press(customer, other.body, buttons.approve)).headers.location).toBe(returnUrls.successUrl);
    await eventually(async () => expect((await readSubscription(customer)).billingCycle).toBe('yearly'));
  }),
);

covers('checkout.paid', (platform) =>
  withCustomer(platform, async (customer) => {
    const { body } = await checkOut(customer);
    const left = await press(customer, body, buttons.approve);
    expect(left.status).toBe(303);
    expect(left.headers.location).toBe(returnUrls.successUrl);
    await eventually(async () => {
      expect(await readSubscription(customer)).toMatchObject({ plan: 'pro', status: 'active' });
      expect((await readLimits(customer)).context).toMatchObject({ eventsPerDay: 50_000 });
    });
    // The page of what is paid does not take a second payment.
    await expect(press(customer, body, buttons.approve)).rejects.toThrow('No form');
    await buy(customer, { plan: 'scale' });
    expect((await readLimits(customer)).pulse).toEqual({ enabled: true });
  }),
);

/** What a checkout of `pro` may not have changed before it is paid. */
async function expectFree(customer: Parameters<typeof readSubscription>[0]): Promise<void> {
  expect(await readSubscription(customer)).toMatchObject({ plan: 'free', gatewaySubscriptionId: null });
  const { invoices } = await customer.call('billing.invoices.list', { path: { orgId: customer.orgId }, query: {} });
  expect(invoices).toEqual([]);
}

covers('checkout.declined', (platform) =>
  withCustomer(platform, async (customer) => {
    const { body } = await checkOut(customer);
    const declined = await press(customer, body, buttons.decline);
    expect(declined.status).toBe(402);
    expect(declined.text).toContain('Your payment was declined');
    await expectFree(customer);
    expect((await checkOut(customer)).body).toEqual(body);
    expect((await press(customer, body, buttons.approve)).headers.location).toBe(returnUrls.successUrl);
    await eventually(async () => expect((await readSubscription(customer)).plan).toBe('pro'));
  }),
);

covers('checkout.challenged', (platform) =>
  withCustomer(platform, async (customer) => {
    const { body } = await checkOut(customer);
    for (const answer of [buttons.challenge, buttons.refuseAtBank, buttons.challenge]) {
      await press(customer, body, answer);
      await expectFree(customer);
    }
    expect((await press(customer, body, buttons.confirmAtBank)).headers.location).toBe(returnUrls.successUrl);
    await eventually(async () => expect((await readSubscription(customer)).plan).toBe('pro'));
  }),
);

covers('checkout.abandoned', (platform) =>
  withCustomer(platform, async (customer) => {
    const { body } = await checkOut(customer);
    expect((await press(customer, body, buttons.abandon)).headers.location).toBe(returnUrls.cancelUrl);
    await expectFree(customer);
  }),
);

covers('checkout.current', (platform) =>
  withCustomer(platform, async (customer) => {
    await buy(customer);
    expect(await checkOut(customer)).toMatchObject({ status: 409, body: { error: 'PLAN_IS_CURRENT' } });
    expect((await checkOut(customer, { billingCycle: 'yearly' })).status).toBe(201);
  }),
);

covers('checkout.downgrade', (platform) =>
  withCustomer(platform, async (customer) => {
    await buy(customer, { plan: 'scale' });
    const before = await readSubscription(customer);
    const { status, body } = await checkOut(customer, { plan: 'pro' });
    expect(status).toBe(201);
    expect((await press(customer, body, buttons.confirmChange)).headers.location).toBe(returnUrls.successUrl);
    expect(await readSubscription(customer)).toEqual(before);
    expect(await checkOut(customer, { plan: 'pro' })).toMatchObject({
      status: 409,
      body: { error: 'PLAN_IS_CURRENT' },
    });
    const { invoices } = await customer.call('billing.invoices.list', { path: { orgId: customer.orgId }, query: {} });
    expect(invoices).toHaveLength(1);
  }),
);

covers('cancel.create', (platform) =>
  withCustomer(platform, async (customer) => {
    await buy(customer);
    const path = { orgId: customer.orgId };
    const before = await readSubscription(customer);
    const { status, body } = await customer.attempt('billing.subscription.cancel', { path, body: { reason: 'Moved' } });
    expect({ status, body }).toEqual({ status: 200, body: { ...before, cancelAtPeriodEnd: true } });
    expect(await readSubscription(customer)).toEqual(body);
    expect((await readLimits(customer)).context).toMatchObject({ eventsPerDay: 50_000 });
    const again = await customer.attempt('billing.subscription.cancel', { path, body: { reason: 'Still' } });
    expect({ status: again.status, body: again.body }).toEqual({ status: 200, body });
    for (const wrong of [{ reason: 'x'.repeat(1001) }, { reason: 1 }, { why: 'x' }]) {
      expect((await customer.attempt('billing.subscription.cancel', { path, body: wrong })).status).toBe(400);
    }
  }),
);

covers('cancel.resume', (platform) =>
  withCustomer(platform, async (customer) => {
    await buy(customer);
    const path = { orgId: customer.orgId };
    const before = await readSubscription(customer);
    await customer.call('billing.subscription.cancel', { path, body: {} });
    for (const _again of [1, 2]) {
      const { status, body } = await customer.attempt('billing.subscription.resume', { path });
      expect({ status, body }).toEqual({ status: 200, body: before });
    }
    expect(await readSubscription(customer)).toEqual(before);
  }),
);

type Listed = { invoices: { invoiceId: string; number: string; pdfUrl: string }[]; nextCursor: string | null };

covers('invoices.list', (platform) =>
  withCustomer(platform, async (customer) => {
    await buy(customer);
    await buy(customer, { plan: 'scale' });
    const list = (query: string) =>
      customer.send<Listed>('GET', `/v1/orgs/${customer.orgId}/invoices${query}`).then(({ body }) => body);
    const all = await eventually(async () => {
      const found = await list('');
      expect(found.invoices).toHaveLength(2);
      return found;
    });
    expect(all).toEqual({
      invoices: [expect.anything(), expect.objectContaining({ amount: 4900, currency: 'eur' })],
      nextCursor: null,
    });
    for (const invoice of all.invoices) {
      expect(invoice).toEqual({
        invoiceId: expect.any(String),
        number: expect.stringMatching(/\d{4}-\d{6}$/),
        status: 'paid',
        amount: expect.any(Number),
        currency: 'eur',
        createdAt: expect.stringMatching(timestamp),
        updatedAt: expect.stringMatching(timestamp),
        issuedAt: expect.stringMatching(timestamp),
        dueAt: null,
        paidAt: expect.stringMatching(timestamp),
        pdfUrl: expect.stringContaining(`/v1/invoices/${invoice.invoiceId}/pdf`),
      });
    }
    const first = await list('?limit=1');
    const second = await list(`?limit=1&cursor=${first.nextCursor}`);
    const numbers = [...first.invoices, ...second.invoices].map(({ number }) => number);
    expect(numbers).toEqual(all.invoices.map(({ number }) => number));
    expect(second.nextCursor).toBeNull();
  }),
);

/** The one invoice of an organization that has bought something. */
async function readInvoice(customer: Parameters<typeof readSubscription>[0]) {
  return await eventually(async () => {
    const { invoices } = await customer.call('billing.invoices.list', { path: { orgId: customer.orgId }, query: {} });
    expect(invoices).toHaveLength(1);
    return invoices[0]!;
  });
}

/** What a browser asks for that follows a link: nothing says who it is. */
function follow(url: string, link: string) {
  const { pathname, search } = new URL(link);
  return send<{ error: string }>(url, { path: `${pathname}${search}` });
}

covers('invoices.pdf', (platform) =>
  withCustomer(platform, async (customer) => {
    await buy(customer);
    const { invoiceId, pdfUrl } = await readInvoice(customer);
    const byLink = await follow(customer.url, pdfUrl);
    expect(byLink.status).toBe(200);
    expect(byLink.headers['content-type']).toBe('application/pdf');
    expect(byLink.text).toMatch(/^%PDF-1\.[3-7]/);
    const path = `/v1/invoices/${invoiceId}/pdf`;
    expect((await customer.send('GET', path)).text).toBe(byLink.text);
    expect((await send(customer.url, { path })).status).toBe(401);
    expect((await platform.other.send('GET', path)).status).toBe(404);
  }),
);

covers('invoices.link', (platform) =>
  withCustomer(platform, async (customer) => {
    await buy(customer);
    const { invoiceId, pdfUrl } = await readInvoice(customer);
    const changed = [
      pdfUrl.replace(/expires=\d+/, (found) => `expires=${Number(found.slice(8)) + 1}`),
      pdfUrl.replace(/expires=\d+/, 'expires=1'),
      pdfUrl.replace(/signature=./, (found) => `signature=${found.endsWith('A') ? 'B' : 'A'}`),
      pdfUrl.replace(/&?signature=[^&]+/, ''),
      pdfUrl.replace(invoiceId, `ivc_${'0'.repeat(26)}`),
    ];
    for (const link of changed) {
      expect(await follow(customer.url, link)).toMatchObject({ status: 403, body: { error: 'PERMISSION_DENIED' } });
    }
  }),
);

covers('webhooks.refuse', async ({ own: { url } }) => {
  const told = JSON.stringify({
    id: 'evt_1',
    type: 'checkout.completed',
    createdAt: new Date().toISOString(),
    data: {},
  });
  const tell = (provider: string, headers: Record<string, string> = {}, body = told) =>
    send<{ error: string }>(url, {
      method: 'POST',
      path: `/v1/billing/webhooks/${provider}`,
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
  const seconds = Math.floor(Date.now() / 1000);
  const signatures = [
    '',
    'x',
    `t=${seconds}`,
    `t=${seconds},v1=`,
    `t=${seconds},v1=${'0'.repeat(64)}`,
    `t=${seconds - 3600},v1=${'0'.repeat(64)}`,
    `t=now,v1=${'0'.repeat(64)}`,
  ];
  for (const signature of signatures) {
    const headers = { 'platform-signature': signature };
    expect(await tell('test', headers)).toMatchObject({ status: 400, body: { error: 'WEBHOOK_INVALID' } });
  }
  expect(await tell('test')).toMatchObject({ status: 400, body: { error: 'WEBHOOK_INVALID' } });
  expect((await tell('test', {}, 'x'.repeat(256 * 1024 + 1))).status).toBe(413);
  for (const provider of ['manual', 'nobody', 'constructor']) {
    expect(await tell(provider)).toMatchObject({ status: 404, body: { error: 'NOT_FOUND' } });
  }
});
