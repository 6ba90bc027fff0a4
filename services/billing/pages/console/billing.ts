import { type CallInput, call } from '../../../../lib/calls.ts';
import { settings } from '../../../../lib/settings.ts';
import { type Refusal, refusalOf, submitForm } from '../../../../web/attempt.ts';
import { html } from '../../../../web/html.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { flashMessage, openUserFlow } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';
import { type BillingVisit, billingPage, refuseChange, renderBillingPage } from './billing-page.ts';
import { renderInvoices } from './invoices.ts';
import { renderOffers } from './offers.ts';
import { billingPath, withOrganization } from './paths.ts';
import {
  type BillingCycle,
  isCancellable,
  renderCancel,
  renderSubscription,
  type Subscription,
} from './subscription.ts';
import { renderUsage } from './usage.ts';

/** The billing page: plan, usage and invoices. The upgrade link of each quota refusal leads here. */
export const billingPages = {
  'pages.billing.show': billingPage({
    rest: `GET ${billingPath}`,
    summary: 'Show the plan, usage and invoices of an organization',
    handler: (visit) => renderBilling(visit),
  }),
  'pages.billing.checkout': billingPage({
    rest: `POST ${billingPath}/checkout`,
    summary: 'Go to the checkout of a chosen plan',
    handler: checkOut,
  }),
  'pages.billing.resume': billingPage({
    rest: `POST ${billingPath}/resume`,
    summary: 'Take back a cancellation on the billing page',
    handler: resume,
  }),
};

type CheckoutInput = CallInput<'billing.checkouts.open'>['body'];

async function checkOut(visit: BillingVisit): Promise<PageAnswer> {
  const { ctx, form, orgId } = visit;
  const { orgId: _found, ...typed } = pickFields(form, 'orgId', 'plan', 'billingCycle', 'currency');
  const comeBack = (done: string) => settings.PUBLIC_URL + withOrganization(billingPath, orgId, { done });
  const addresses = { successUrl: comeBack('checked-out'), cancelUrl: comeBack('given-up') };
  const stopped = refuseChange(visit, billingPath);
  if (stopped) return renderBilling(visit, stopped);
  // Values that the page does not offer are refused by the service.
  const body = { ...typed, ...addresses } as CheckoutInput;
  const attempted = await submitForm([], () => call(ctx, 'billing.checkouts.open', { path: { orgId }, body }));
  if (attempted.refusal) return renderBilling(visit, attempted.refusal);
  return redirectTo(attempted.answer.checkoutUrl);
}

async function resume(visit: BillingVisit): Promise<PageAnswer> {
  const { ctx, form, orgId } = visit;
  pickFields(form, 'orgId');
  const refusal =
    refuseChange(visit, billingPath) ??
    (await refusalOf([], () => call(ctx, 'billing.subscription.resume', { path: { orgId } })));
  if (refusal) return renderBilling(visit, refusal);
  return redirectTo(withOrganization(billingPath, orgId, { done: 'resumed' }));
}

async function renderBilling(visit: BillingVisit, refusal?: Refusal): Promise<PageAnswer> {
  const { ctx, orgId, mayChange, query } = visit;
  // The invoices are read as the user, so a user without the permission gets an error instead of this page.
  const [invoices, subscription, { data: plans }, { organization }] = await Promise.all([
    call(ctx, 'billing.invoices.list', { path: { orgId }, query: invoiceQuery(visit) }),
    call(ctx, 'billing.subscription.describe', { body: { orgId } }),
    call(ctx, 'billing.plans.list', { query: {} }),
    call(ctx, 'identity.organizations.describe', { body: { orgId } }),
  ]);
  const t = texts().console;
  const form = mayChange ? { orgId, flow: openUserFlow(visit, billingPath) } : null;
  const currency = subscription.currency ?? (query.currency === 'usd' ? 'usd' : 'eur');
  const billingCycle = shownCycle(visit, subscription);
  return renderBillingPage(visit, {
    title: t.title(organization?.name ?? orgId),
    formsLeave: form !== null,
    notice: flashMessage(visit, t.notices),
    refusal,
    body: html`<h2>${t.headings.plan}</h2>
${renderSubscription(subscription, form)}
${!mayChange && html`<p class="hint">${t.readOnly}</p>`}
<h2 id="plans">${t.headings.plans}</h2>
${renderOffers({ orgId, plans, subscription, currency, billingCycle, form })}
<h2>${t.headings.usage}</h2>
${renderUsage(subscription)}
<h2 id="invoices">${t.headings.invoices}</h2>
${renderInvoices(orgId, invoices)}
${form && isCancellable(subscription) && renderCancel(subscription, form)}`,
  });
}

/** The billing cycle whose prices are shown: the selected one, or the subscription's. */
function shownCycle({ query, form }: BillingVisit, subscription: Subscription): BillingCycle {
  const selected = query.cycle ?? form.billingCycle;
  return selected === 'monthly' || selected === 'yearly' ? selected : subscription.billingCycle;
}

const invoicesShown = '12';

function invoiceQuery({ query: { cursor } }: BillingVisit): CallInput<'billing.invoices.list'>['query'] {
  return { limit: invoicesShown, ...(typeof cursor === 'string' && { cursor }) };
}
