import { describe, expect, test } from '@jest/globals';
import type { SystemRole } from '../../../lib/contract/authorize.ts';
import { newId } from '../../../lib/data/ids.ts';
import type { SubscriptionDocument } from '../../../models/billing/subscription.ts';
import { eventOf } from '../../support/events.ts';
import { send } from '../../support/http.ts';
import { expectPage, expectRedirect, flowOf, newVisitor, type Visitor, wordsOf } from '../../support/pages.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, slugOf, withDatabase } from '../../support/tenants.ts';
import { decodeEntities } from '../../support/user-agent.ts';
import { joinAs, newUserClient } from '../../support/user-client.ts';
import { withinOneDay } from '../../support/within-one-day.ts';
import { storeInvoice, subscribe } from './subscriptions.ts';

const login = '/self-service/login/browser';
const formerPath = '/console/billing';
/** The page, with a query that begins with `&`. */
const pathOf = (orgId: string, more = '') => `/console/${slugOf(orgId)}/usage${more.replace('&', '?')}`;
const cancelOf = (orgId: string) => `${pathOf(orgId)}/cancel`;
const soon = () => new Date(Date.now() + 5 * 86_400_000);
const owed = { deadline: soon(), paidUntil: null };
const yearlyPro = { plan: 'pro', version: 1, billingCycle: 'yearly' } as const;

/** A user with a browser that is logged in, in an organization of their own. */
async function newMember(role: SystemRole = 'owner') {
  const tenant = await newTenantClient();
  const user = await newUserClient({ orgId: tenant.orgId, role });
  return { tenant, user, orgId: tenant.orgId, visitor: await newVisitor(user.sessionToken) };
}

/** What a page says, with plain spaces. */
const said = (answer: { text: string }): string => wordsOf(answer).replaceAll('\u00a0', ' ').replaceAll(' ,', ',');

const mainOf = (text: string): string => text.slice(text.indexOf('<main'), text.indexOf('</main>'));

/** The words of the buttons on a page. */
const buttons = ({ text }: { text: string }): string[] =>
  [...mainOf(text).matchAll(/<button[^>]*>([^<]*)</g)].map(([, words]) =>
    decodeEntities(words!).replaceAll('\u00a0', ' '),
  );

/** The hidden fields of the first form on a page with this button. */
function fieldsOf({ text }: { text: string }, button: RegExp): Record<string, string> {
  const forms = [...text.matchAll(/<form[^>]*>([\s\S]*?)<\/form>/g)].map(([, form]) => form!);
  const form = forms.find((each) => button.test(decodeEntities(each).replaceAll('\u00a0', ' ')));
  if (!form) throw new Error(`No button ${button}: ${text}`);
  const fields = form.matchAll(/name="([^"]*)" value="([^"]*)"/g);
  return Object.fromEntries([...fields].map(([, name, value]) => [name!, decodeEntities(value!)]));
}

async function databaseUrl(): Promise<string> {
  return databaseUrlOf(await sharedPlatform());
}

async function storedSubscription(orgId: string): Promise<SubscriptionDocument['subscription'] | undefined> {
  const found = await withDatabase(await databaseUrl(), (database) =>
    database.collection<SubscriptionDocument>('billing_subscriptions').findOne({ _id: orgId }),
  );
  return found?.subscription;
}

describe('the billing page of an organization', () => {
  test.each(['', '?cycle=yearly', '/cancel', '?done=resumed'])(
    'asks for a login first at %s, and is come back to',
    async (query) => {
      const address = pathOf(newId('org')) + query;
      const location = `${login}?return_to=${encodeURIComponent(address)}`;
      expectRedirect(await (await newVisitor()).get(address), location);
      expectRedirect(await (await newVisitor('AAAAAAAAAAAAAAAAAAAAAA')).get(address), location);
    },
  );

  test.each([['/checkout'], ['/resume'], ['/cancel']])('changes nothing without a session by POST %s', async (act) => {
    const orgId = newId('org');
    const returnTo = act === '/cancel' ? cancelOf(orgId) : pathOf(orgId);
    const visitor = await newVisitor();
    const answer = await visitor.post(pathOf(orgId) + act, {}, { referer: visitor.url + returnTo });
    expectRedirect(answer, `${login}?return_to=${encodeURIComponent(returnTo)}`);
    // A page of another site is none to come back to.
    const foreign = await visitor.post(pathOf(orgId) + act, {}, { referer: `https://evil.example${returnTo}` });
    expectRedirect(foreign, `${login}?return_to=${encodeURIComponent(returnTo)}`);
  });

  test.each([
    ['that is expired', 'PAYMENT_REQUIRED', /Usage and billing Pro Monthly Expired €49 a month Your plan is suspended/],
    [
      'that is used up',
      'PLAN_LIMIT_EXCEEDED',
      /100% of events today are used\. More are refused until .*00:00 UTC \. See plans Usage Daily limits reset on .* Events today Used up 1,000 of 1,000 /,
    ],
  ])('is where a refusal for a plan %s leads', (_plan, code, words) =>
    withinOneDay(async () => {
      const { tenant, orgId, visitor } = await newMember();
      if (code === 'PAYMENT_REQUIRED') await subscribe(orgId, { status: 'expired', deadline: soon() });
      else {
        for (let batch = 0; batch < 2; batch += 1) {
          const events = Array.from({ length: 500 }, () => eventOf(orgId));
          expect((await tenant.send('POST', '/events/batch', { events })).status).toBe(200);
        }
      }
      const refused = await tenant.send<{ error: string; upgradeUrl: string }>('POST', '/events', eventOf(orgId));
      expect(refused).toMatchObject({ status: 402, body: { error: code } });
      const { pathname, search, origin } = new URL(refused.body.upgradeUrl);
      expect(origin).toBe(new URL(visitor.url).origin);
      const moved = await visitor.get(pathname + search);
      expectRedirect(moved, pathOf(orgId));
      expectPage(await visitor.get(pathOf(orgId)), 200, words);
    }),
  );

  test('is reached by its former address, of the organization in the query or the one that was used last', async () => {
    const { orgId, user, visitor } = await newMember();
    expectRedirect(await visitor.get(formerPath), pathOf(orgId));
    const other = await newTenantClient();
    await joinAs(user, { orgId: other.orgId, role: 'member' });
    expectRedirect(
      await visitor.get(`${formerPath}?orgId=${other.orgId}&cycle=yearly`),
      pathOf(other.orgId, '&cycle=yearly'),
    );
    expectPage(await visitor.get(pathOf(other.orgId)), 200);
    expectRedirect(await visitor.get(formerPath), pathOf(other.orgId));
    expectRedirect(await visitor.get('/console'), `/console/${slugOf(other.orgId)}`);
    expectPage(await visitor.get(`${formerPath}?orgId=${newId('org')}`), 404, /Not found/);
    const page = await visitor.get(pathOf(orgId));
    expect(page.text).toContain(`<a href="/console/${slugOf(other.orgId)}">`);
    const stranger = await newVisitor((await newUserClient()).sessionToken);
    expectRedirect(await stranger.get(formerPath), '/account/organizations');
  });

  test('of a stranger is not found, nor is what is no organization', async () => {
    const { visitor, orgId } = await newMember();
    const other = await newTenantClient();
    const flow = flowOf(await visitor.get(pathOf(orgId)));
    for (const wanted of [other.orgId, newId('org'), 'nonsense', "'><b>"]) {
      expectPage(await visitor.get(pathOf(wanted)), 404, /Not found/);
      expectPage(await visitor.get(cancelOf(wanted)), 404, /Not found/);
    }
    for (const act of ['/checkout', '/resume', '/cancel']) {
      expectPage(await visitor.post(pathOf(other.orgId) + act, { flow }), 404, /Not found/);
    }
  });

  test('shows the plan, what is used of it, and what is on sale in either currency', async () => {
    const { orgId, visitor } = await newMember();
    const page = await visitor.get(pathOf(orgId));
    expectPage(page, 200);
    expect(said(page)).toMatch(
      /^Usage and billing Free Free, with no end date\. Change plan Usage .* Plans Monthly Yearly EUR USD Free Current plan €0 .* Pro €49 a month/,
    );
    expect(said(page)).toMatch(
      /Usage Daily limits reset on .*00:00 UTC \. Monthly limits reset on .*00:00 UTC \. Events today 0 of 1,000 .* Bandwidth this month 0 bytes of 5 GB Storage 0 bytes of 1 GB/,
    );
    expect(page.text).not.toContain('class="banner');
    // What the platform does not have is not advertised.
    expect(said(page)).not.toMatch(/recommendation|Pulse|Content service|microblog|photo app/i);
    expect(said(page)).toMatch(
      /Current plan Events a day 1,000 Events kept 30 days Emails a month 500 Notifications a month 100 Storage 1 GB Bandwidth a month 5 GB Agent seats 1 Members 100 Roles 50 Applications 10 API keys 50 Pro/,
    );
    expect(said(page)).toMatch(
      /Events kept 1 year .* Events a day 10M Events kept 5 years .* Storage 2 TB Bandwidth a month 20 TB/,
    );
    expect(page.text).toMatch(/aria-label="Events today: 0 % used"><rect width="0"/);
    expect(said(page)).toMatch(/Invoices No invoices yet\.$/);
    expect(buttons(page)).toEqual(['Current plan', 'Upgrade to Pro', 'Upgrade to Scale']);
    const yearly = await visitor.get(pathOf(orgId, '&cycle=yearly&currency=usd'));
    expect(said(yearly)).toMatch(
      /Pro \$540 a year Save 16% compared to paying monthly .* Upgrade to Pro .* \$3,290 a year/,
    );
    expect(fieldsOf(yearly, /Upgrade to Pro/)).toMatchObject({ plan: 'pro', currency: 'usd' });
    expect(yearly.text).toContain(
      `<a href="${pathOf(orgId, '&currency=usd&cycle=monthly').replaceAll('&', '&amp;')}#plans">`,
    );
    expect(page.text.match(/<h1>/g)).toHaveLength(1);
    expect(page.text).toContain(`<a href="${pathOf(orgId)}" aria-current="page">`);
  });

  test('shows what was used', async () => {
    const { tenant, orgId, visitor } = await newMember();
    expect((await tenant.send('POST', '/events', eventOf(orgId))).status).toBe(201);
    expect(said(await visitor.get(pathOf(orgId)))).toMatch(/Events today 1 of 1,000 /);
  });

  test.each([
    [749, 'owner', null],
    [
      750,
      'owner',
      /Change plan 75% of events today are used\. Requests beyond the limit are refused until .* See plans Usage/,
    ],
    [750, 'member', /75% of events today are used\. Requests beyond the limit are refused until .*00:00 UTC \. Usage/],
  ] as const)('warns of a limit that is near: %d of 1,000, for the %s', (count, role, words) =>
    withinOneDay(async () => {
      const { tenant, orgId, visitor } = await newMember(role);
      const events = Array.from({ length: count }, () => eventOf(orgId));
      for (const batch of [events.slice(0, 500), events.slice(500)]) {
        expect((await tenant.send('POST', '/events/batch', { events: batch })).status).toBe(200);
      }
      const page = await visitor.get(pathOf(orgId));
      expect(page.text.includes('class="banner warn"')).toBe(words !== null);
      if (words) expect(said(page)).toMatch(words);
    }),
  );

  test.each([
    ['active', {}, /^Usage and billing Pro Monthly €49 a month Renews on [^€]*UTC \. Change plan Usage/],
    [
      'cancelled',
      { cancelAtPeriodEnd: true },
      /Pro Monthly Cancelled €49 a month Cancelled\. You keep Pro until .* and move to Free after that\. You will not be charged again\. Resume Pro Change plan/,
    ],
    [
      'to become less',
      { plan: 'scale' as const, scheduled: { plan: 'pro' as const, version: 1, billingCycle: 'yearly' as const } },
      /Scale Monthly Changes to Pro, paid yearly, on .* for €490 a year\./,
    ],
    [
      'past due',
      { status: 'past_due' as const, deadline: soon(), paidUntil: null },
      /Payment failed €49 a month The last payment failed\. Your plan keeps working until .* After that, you can only pay or cancel\./,
    ],
    [
      'expired',
      { status: 'expired' as const, deadline: soon(), paidUntil: null },
      /Expired €49 a month Your plan is suspended because it was not paid\. .* Otherwise you move to Free on .*You can use your plan again/,
    ],
    [
      'incomplete',
      { status: 'incomplete' as const, deadline: soon(), paidUntil: null },
      /Waiting for payment €49 a month The first payment is not complete\. You have what Free includes until it arrives\. The payment expires on .* Events today 0 of 1,000/,
    ],
    [
      'on trial',
      { status: 'trialing' as const },
      /Not paid yet €49 a month You can use your plan now\. The payment is still due\. Renews on/,
    ],
    [
      'being charged',
      { deadline: soon(), paidUntil: null },
      /The payment for this period is being processed\. Renews on/,
    ],
    [
      'given',
      { provider: null, gatewaySubscriptionId: null, collection: null, currency: null },
      /^Usage and billing Pro Free of charge\. Change plan /,
    ],
  ])('says what it means to be %s', async (_name, changes, words) => {
    const { orgId, visitor } = await newMember();
    await subscribe(orgId, changes);
    const page = await visitor.get(pathOf(orgId));
    expectPage(page, 200);
    expect(said(page)).toMatch(words);
  });

  test.each<[string, Parameters<typeof subscribe>[1], 'monthly' | 'yearly', string[], boolean]>([
    ['a plan', {}, 'monthly', ['quiet Current plan', 'Upgrade to Scale'], true],
    ['a plan', {}, 'yearly', ['quiet Pay yearly for Pro', 'Upgrade to Scale'], true],
    [
      'what was cancelled',
      { cancelAtPeriodEnd: true },
      'monthly',
      ['Resume Pro', 'quiet Current plan', 'quiet Upgrade to Scale'],
      false,
    ],
    ['what is owed', { status: 'past_due', ...owed }, 'monthly', ['Pay for Pro', 'quiet Upgrade to Scale'], true],
    ['what has expired', { status: 'expired', ...owed }, 'monthly', ['Pay for Pro', 'quiet Upgrade to Scale'], true],
    ['what becomes less', { scheduled: yearlyPro }, 'monthly', ['quiet Keep Pro', 'Upgrade to Scale'], true],
    ['what becomes less', { scheduled: yearlyPro }, 'yearly', ['Upgrade to Scale'], true],
    [
      'the largest plan',
      { plan: 'scale', currency: 'usd' },
      'monthly',
      ['quiet Change to Pro', 'quiet Current plan'],
      true,
    ],
    ['the largest plan', { plan: 'scale' }, 'yearly', ['quiet Change to Pro', 'quiet Pay yearly for Scale'], true],
  ])(
    'offers what one can do with %s (%j, %s), one of it first of all',
    async (_what, changes, cycle, acts, canCancel) => {
      const { orgId, visitor } = await newMember();
      await subscribe(orgId, changes);
      const page = await visitor.get(pathOf(orgId, `&cycle=${cycle}`));
      const shown = [...mainOf(page.text).matchAll(/<button([^>]*)>([^<]*)</g)];
      expect(
        shown.map(([, attributes, words]) => (/class="btn primary"/.test(attributes!) ? words : `quiet ${words}`)),
      ).toEqual(acts);
      const cancel = page.text.indexOf(`href="${cancelOf(orgId)}"`);
      expect(cancel > 0).toBe(canCancel);
      const change = /<a class="btn( primary)?" href="#plans">Change plan</.exec(page.text);
      expect(change?.[1] !== undefined).toBe(acts.every((act) => act.startsWith('quiet')));
      // Cancelling is the last on the page.
      if (canCancel) expect(cancel).toBeGreaterThan(page.text.indexOf('id="invoices"'));
    },
  );

  test('shows the prices of the period that is paid, unless another is chosen', async () => {
    const { orgId, visitor } = await newMember();
    await subscribe(orgId, { billingCycle: 'yearly' });
    expect(said(await visitor.get(pathOf(orgId)))).toMatch(/€490 a year/);
    expect(said(await visitor.get(pathOf(orgId, '&cycle=monthly')))).toMatch(/€49 a month/);
    expect(said(await visitor.get(pathOf(orgId, '&cycle=weekly&cycle=daily')))).toMatch(/€490 a year/);
  });

  test.each([['admin'], ['member']] as const)('only shows what there is to an %s', async (role) => {
    const { orgId, visitor } = await newMember(role);
    const subscription = await subscribe(orgId);
    const page = await visitor.get(pathOf(orgId));
    expectPage(
      page,
      200,
      /Pro Monthly €49 a month Renews on .*You can view billing but not change it\. Ask an owner of the organization\. Usage /,
    );
    expect(buttons(page)).toEqual([]);
    expect(page.text).not.toMatch(/\/cancel|href="#plans"/);
    expectRedirect(await visitor.get(cancelOf(orgId)), pathOf(orgId));
    const own = await newMember();
    await subscribe(own.orgId);
    await joinAs(own.user, { orgId, role });
    for (const [act, form] of [
      ['/checkout', pathOf(own.orgId)],
      ['/resume', pathOf(own.orgId)],
      ['/cancel', cancelOf(own.orgId)],
    ] as const) {
      const refused = await own.visitor.postFrom(form, pathOf(orgId) + act, {});
      expectPage(refused, 403, /You do not have permission to change billing\. Ask an owner of the organization\./);
    }
    expect(await storedSubscription(orgId)).toEqual(subscription);
  });

  test('escapes what people named', async () => {
    const { orgId, visitor } = await newMember();
    const name = `<b>"O'Neil" & söns</b>`;
    await withDatabase(await databaseUrl(), (database) =>
      database.collection<{ _id: string }>('identity_organizations').updateOne({ _id: orgId }, { $set: { name } }),
    );
    const page = await visitor.get(pathOf(orgId, `&done=${encodeURIComponent('<i>')}&currency=%3Cu%3E`));
    expectPage(page, 200);
    expect(page.text).toContain('&lt;b&gt;&quot;O&#39;Neil&quot; &amp; söns&lt;/b&gt;');
    expect(page.text).not.toMatch(/<b>["&]|<i>|<u>/);
  });
});

describe('the invoices on the billing page', () => {
  test('are listed with their PDFs, twelve at a time', async () => {
    const { orgId, visitor } = await newMember('member');
    for (let number = 1; number <= 13; number += 1) await storeInvoice(orgId, number, number === 13 ? 'open' : 'paid');
    const newest = await visitor.get(pathOf(orgId));
    expect(said(newest)).toMatch(
      /T-13 13 January 2026, €49 13 January 2026 Open due 13 January 2026 €49 T-12 .* Paid €49/,
    );
    expect(newest.text).not.toContain('>T-1<');
    const pdf = /href="([^"]*\/pdf)"/.exec(newest.text)![1]!;
    const file = await visitor.get(pdf);
    expect({ status: file.status, type: file.headers['content-type'] }).toEqual({
      status: 200,
      type: 'application/pdf',
    });
    expect(file.text.slice(0, 5)).toBe('%PDF-');
    expect((await send(visitor.url, { path: pdf })).status).toBe(401);
    const older = decodeEntities(/href="([^"]*)" rel="next">Older invoices/.exec(newest.text)![1]!);
    const oldest = await visitor.get(older.replace('#invoices', ''));
    expect(said(oldest)).toMatch(/T-1 1 January 2026, €49 1 January 2026 Paid €49/);
    expect(oldest.text).not.toContain('Older invoices');
    expectPage(await visitor.get(pathOf(orgId, '&cursor=nonsense')), 400, /cursor is not one/);
  });
});

describe('a change on the billing page', () => {
  const post = async (visitor: Visitor, orgId: string, act: string, fields: Record<string, string> = {}) =>
    visitor.postFrom(act === '/cancel' ? cancelOf(orgId) : pathOf(orgId), pathOf(orgId) + act, fields);

  test('to another plan leads to its checkout, and the same one again', async () => {
    const { orgId, visitor } = await newMember();
    const page = await visitor.get(pathOf(orgId));
    const fields = { ...fieldsOf(page, /Upgrade to Pro/), billingCycle: 'monthly' };
    const first = await visitor.post(`${pathOf(orgId)}/checkout`, fields);
    expect(first).toMatchObject({
      status: 303,
      headers: { location: expect.stringMatching(new RegExp(`^${visitor.url}/billing/checkout/chk_`)) },
    });
    expectRedirect(await visitor.post(`${pathOf(orgId)}/checkout`, fields), first.headers.location!);
    const checkout = await withDatabase(await databaseUrl(), (database) =>
      database.collection('billing_checkouts').findOne({ orgId }),
    );
    expect(checkout).toMatchObject({
      terms: { plan: 'pro', billingCycle: 'monthly' },
      currency: 'eur',
      successUrl: `${visitor.url}${pathOf(orgId, '&done=checked-out')}`,
      cancelUrl: `${visitor.url}${pathOf(orgId, '&done=given-up')}`,
    });
  });

  test.each([
    [{ plan: 'nonsense', billingCycle: 'monthly', currency: 'eur' }, 400, /Must be one of: pro, scale/],
    [{ plan: 'free', billingCycle: 'monthly', currency: 'eur' }, 400, /Must be one of: pro, scale/],
    [{ plan: 'pro', billingCycle: 'weekly', currency: 'eur' }, 400, /Must be one of: monthly, yearly/],
    [{ plan: 'pro', billingCycle: 'monthly', currency: 'gbp' }, 400, /Must be one of: eur, usd/],
    [{ plan: 'scale' }, 400, /Must be one of/],
    [{ plan: 'pro', billingCycle: 'monthly', currency: 'eur', successUrl: '/' }, 400, /is not a field/],
    [{ plan: 'pro', billingCycle: 'monthly', currency: 'eur' }, 409, /already has this plan in this cycle/],
  ])('to %j is refused and says why', async (wish, status, words) => {
    const { orgId, visitor } = await newMember();
    const subscription = await subscribe(orgId);
    expectPage(await post(visitor, orgId, '/checkout', wish), status, words);
    expect(await storedSubscription(orgId)).toEqual(subscription);
  });

  test('cancels after a step that says what it means, keeps the reason, and is taken back', async () => {
    const { orgId, visitor } = await newMember();
    await subscribe(orgId);
    const step = await visitor.get(cancelOf(orgId));
    expectPage(
      step,
      200,
      /Cancel Pro You keep Pro until .* and move to Free after that\. .*Why are you cancelling\? optional/,
    );
    const reason = 'Too <b>dear</b>.';
    expectRedirect(await post(visitor, orgId, '/cancel', { reason }), pathOf(orgId, '&done=cancelled'));
    expect(await storedSubscription(orgId)).toMatchObject({ cancelAtPeriodEnd: true, cancelReason: reason });
    const page = await visitor.get(pathOf(orgId, '&done=cancelled'));
    expectPage(page, 200, /Your subscription was cancelled\. .*Cancelled €49 a month Cancelled\. You keep Pro until/);
    expectRedirect(await visitor.get(cancelOf(orgId)), pathOf(orgId));
    expectRedirect(await post(visitor, orgId, '/resume'), pathOf(orgId, '&done=resumed'));
    expect(await storedSubscription(orgId)).toMatchObject({ cancelAtPeriodEnd: false, cancelReason: null });
    expectPage(await visitor.get(pathOf(orgId, '&done=resumed')), 200, /Your subscription was resumed.* Renews on/);
    const acts = await withDatabase(await databaseUrl(), (database) =>
      database.collection('identity_audit_records').distinct('action', { orgId }),
    );
    expect(acts).toEqual(expect.arrayContaining(['subscription.canceled', 'subscription.resumed']));
  });

  test('cancels what is past due for the end of its grace', async () => {
    const { orgId, visitor } = await newMember();
    const deadline = soon();
    await subscribe(orgId, { status: 'past_due', deadline, paidUntil: null });
    expect((await visitor.get(cancelOf(orgId))).text).toContain(`until <time datetime="${deadline.toISOString()}"`);
    expectRedirect(await post(visitor, orgId, '/cancel'), pathOf(orgId, '&done=cancelled'));
    const page = await visitor.get(pathOf(orgId));
    expectPage(page, 200, /The last payment failed\. Cancelled\. You keep Pro until/);
    expect(buttons(page)).toContain('Pay for Pro');
  });

  test('cancels at once what gives nothing any more', async () => {
    const { orgId, visitor } = await newMember();
    await subscribe(orgId, { status: 'expired', deadline: soon(), paidUntil: null });
    expectPage(await visitor.get(cancelOf(orgId)), 200, /Your plan ends now and you move to Free/);
    expectRedirect(await post(visitor, orgId, '/cancel', { reason: '' }), pathOf(orgId, '&done=cancelled'));
    expectPage(await visitor.get(pathOf(orgId)), 200, /^Usage and billing Free Free, with no end date/);
  });

  test('cancels nothing for a reason that is too long, and shows it again', async () => {
    const { orgId, visitor } = await newMember();
    const subscription = await subscribe(orgId);
    const refused = await post(visitor, orgId, '/cancel', { reason: `<u>${'x'.repeat(1000)}` });
    expectPage(refused, 400, /Must be at most 1000 characters/);
    expect(refused.text).toContain('value="&lt;u&gt;xxx');
    expect(await storedSubscription(orgId)).toEqual(subscription);
  });

  test('of what is free is nothing that could be cancelled or resumed', async () => {
    const { orgId, visitor } = await newMember();
    expectRedirect(await visitor.get(cancelOf(orgId)), pathOf(orgId));
    expectPage(await post(visitor, orgId, '/resume'), 409, /nothing to cancel or resume/);
  });

  test.each([
    ['/checkout', { plan: 'scale', billingCycle: 'monthly', currency: 'eur' }],
    ['/resume', {}],
    ['/cancel', { reason: '' }],
  ])('by POST %s changes nothing by a form that is stale, of another session, page or site', async (act, fields) => {
    const { orgId, user, visitor } = await newMember();
    const subscription = await subscribe(orgId, { cancelAtPeriodEnd: act === '/resume' });
    const filled = fields;
    expectPage(await visitor.post(pathOf(orgId) + act, { ...filled, flow: 'x.y' }), 400, /./);
    const other = await newMember();
    await subscribe(other.orgId);
    visitor.cookies.set('platform_session', other.user.sessionToken);
    const form = act === '/cancel' ? cancelOf(other.orgId) : pathOf(other.orgId);
    const flow = flowOf(await visitor.get(form));
    visitor.cookies.set('platform_session', user.sessionToken);
    expectPage(await visitor.post(pathOf(orgId) + act, { ...filled, flow }), 400, /logged in again/);
    const foreign = flowOf(await visitor.get('/account'));
    expectPage(await visitor.post(pathOf(orgId) + act, { ...filled, flow: foreign }), 400, /open for too long/);
    expectPage(await visitor.post(pathOf(orgId) + act, filled, { origin: 'https://evil.example' }), 403);
    expect(await storedSubscription(orgId)).toEqual(subscription);
    const checkouts = await withDatabase(await databaseUrl(), (database) =>
      database.collection('billing_checkouts').countDocuments({ orgId }),
    );
    expect(checkouts).toBe(0);
  });
});
