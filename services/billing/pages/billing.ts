import { type CallInput, call } from '../../../lib/contract/context.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { type Refusal, refusalOf, submitForm } from '../../../web/attempt.ts';
import { renderFields } from '../../../web/fields.ts';
import { renderForm } from '../../../web/form-page.ts';
import { type Content, html } from '../../../web/html.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  rejectChange,
  renderOrganizationPage,
} from '../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../web/page.ts';
import { pickFields } from '../../../web/pick.ts';
import { texts as sharedTexts } from '../../../web/texts.ts';
import { renderTime } from '../../../web/time.ts';
import { flashMessage, openUserFlow } from '../../../web/user-page.ts';
import { hasPrimary, renderOffers } from './offers.ts';
import {
  type BillingCycle,
  isCancellable,
  renderCancel,
  renderInvoices,
  renderPlanActs,
  renderSubscription,
  type Subscription,
} from './subscription.ts';
import { texts } from './texts.ts';
import { renderNearLimit, renderUsage } from './usage.ts';
import { renderUsageHistory } from './usage-history.ts';

/** The kinds of the forms' tokens. */
const billingForm = 'billing';
const cancelForm = 'billing.cancel';

/**
 * The page of usage and billing: the plan, its usage, the plans on sale and the invoices. The upgrade link of each quota
 * refusal leads here. The invoices alone are also a page of a suspended organization.
 */
export const billingPages = {
  'pages.billing.show': organizationPage('usage', {
    rest: 'GET',
    summary: 'Show the plan, usage and invoices of an organization',
    handler: (visit) => renderBilling(visit),
  }),
  'pages.billing.invoices': organizationPage('usage', {
    rest: 'GET /invoices',
    summary: 'Show the invoices of an organization',
    whileSuspended: true,
    handler: renderAllInvoices,
  }),
  'pages.billing.checkout': organizationPage('usage', {
    rest: 'POST /checkout',
    summary: 'Go to the checkout of a chosen plan',
    handler: checkOut,
  }),
  'pages.billing.resume': organizationPage('usage', {
    rest: 'POST /resume',
    summary: 'Take back a cancellation on the billing page',
    handler: resume,
  }),
};

type CheckoutInput = CallInput<'billing.checkouts.open'>['body'];

async function checkOut(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, form, orgId } = visit;
  const typed = pickFields(form, 'plan', 'billingCycle', 'currency');
  const comeBack = (done: string) => settings.PUBLIC_URL + pathOf(visit, 'usage', [], { done });
  const addresses = { successUrl: comeBack('checked-out'), cancelUrl: comeBack('given-up') };
  const stopped = rejectChange(visit, billingForm, texts().console.noChange);
  if (stopped) return renderBilling(visit, stopped);
  // Values that the page does not offer are refused by the service.
  const body = { ...typed, ...addresses } as CheckoutInput;
  const attempted = await submitForm([], () => call(ctx, 'billing.checkouts.open', { path: { orgId }, body }));
  if (attempted.refusal) return renderBilling(visit, attempted.refusal);
  return redirectTo(attempted.answer.checkoutUrl);
}

async function resume(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, form, orgId } = visit;
  pickFields(form);
  const refusal =
    rejectChange(visit, billingForm, texts().console.noChange) ??
    (await refusalOf([], () => call(ctx, 'billing.subscription.resume', { path: { orgId } })));
  if (refusal) return renderBilling(visit, refusal);
  return redirectTo(pathOf(visit, 'usage', [], { done: 'resumed' }));
}

async function renderBilling(visit: OrganizationVisit, refusal?: Refusal): Promise<PageAnswer> {
  const { ctx, orgId, mayChange, query } = visit;
  // The invoices are read as the user, so a user without the permission gets an error instead of this page.
  const [invoices, subscription, { data: plans }] = await Promise.all([
    call(ctx, 'billing.invoices.list', { path: { orgId }, query: invoiceQuery(visit) }),
    call(ctx, 'billing.subscription.describe', { body: { orgId } }),
    call(ctx, 'billing.plans.list', { query: {} }),
  ]);
  const history = await renderUsageHistory(visit, subscription);
  const t = texts().console;
  const form = mayChange ? { flow: openUserFlow(visit, billingForm) } : null;
  const currency = subscription.currency ?? (query.currency === 'usd' ? 'usd' : 'eur');
  const path = pathOf(visit, 'usage');
  const offers = { path, plans, subscription, currency, billingCycle: shownCycle(visit, subscription), form };
  return renderOrganizationPage(visit, {
    title: sharedTexts().console.areas.usage,
    formsLeave: form !== null,
    notice: flashMessage(visit, t.notices),
    refusal,
    body: html`${renderSubscription(subscription, form && renderPlanActs(subscription, path, form, !hasPrimary(offers)))}
${!mayChange && html`<p class="hint">${t.readOnly}</p>`}
${renderNearLimit(subscription, form && '#plans')}
${renderUsage(subscription)}
${history}
${renderOffers(offers)}
<section class="sec" id="invoices" aria-labelledby="h-invoices"><div class="sec-head"><h2 id="h-invoices">${t.headings.invoices}</h2></div>
${renderInvoices(path, invoices)}</section>
${form && isCancellable(subscription) && renderCancel(subscription, path)}`,
  });
}

async function renderAllInvoices(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, orgId } = visit;
  const invoices = await call(ctx, 'billing.invoices.list', { path: { orgId }, query: invoiceQuery(visit) });
  return renderOrganizationPage(visit, {
    title: texts().console.headings.invoices,
    body: renderInvoices(pathOf(visit, 'usage', ['invoices']), invoices),
  });
}

/** The billing cycle whose prices are shown: the selected one, or the subscription's. */
function shownCycle({ query, form }: OrganizationVisit, subscription: Subscription): BillingCycle {
  const selected = query.cycle ?? form.billingCycle;
  return selected === 'monthly' || selected === 'yearly' ? selected : subscription.billingCycle;
}

const invoicesShown = '12';

function invoiceQuery({ query: { cursor } }: OrganizationVisit): CallInput<'billing.invoices.list'>['query'] {
  return { limit: invoicesShown, ...(typeof cursor === 'string' && { cursor }) };
}

/** The page that confirms a cancellation, with its consequences and a question for the reason. */
export const cancelPages = {
  'pages.cancellation.show': organizationPage('usage', {
    rest: 'GET /cancel',
    summary: 'Ask whether to cancel the subscription',
    handler: (visit) => renderCancellation(visit),
  }),
  'pages.cancellation.confirm': organizationPage('usage', {
    rest: 'POST /cancel',
    summary: 'Cancel the subscription on the page that asks',
    handler: cancel,
  }),
};

async function cancel(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, form, orgId } = visit;
  const { reason } = pickFields(form, 'reason');
  const refusal =
    rejectChange(visit, cancelForm, texts().console.noChange) ??
    (await refusalOf(['reason'], () =>
      call(ctx, 'billing.subscription.cancel', { path: { orgId }, body: { reason } }),
    ));
  if (refusal) return renderCancellation(visit, refusal, reason);
  return redirectTo(pathOf(visit, 'usage', [], { done: 'cancelled' }));
}

async function renderCancellation(visit: OrganizationVisit, refusal?: Refusal, reason = ''): Promise<PageAnswer> {
  const { ctx, orgId, mayChange } = visit;
  const subscription = await call(ctx, 'billing.subscription.describe', { body: { orgId } });
  const back = pathOf(visit, 'usage');
  if (!refusal && !(mayChange && isCancellable(subscription))) return redirectTo(back);
  const t = texts().cancellation;
  const field = {
    name: 'reason',
    label: t.reason,
    autocomplete: 'off',
    value: reason,
    hint: t.reasonHint,
    maxLength: 1000,
  };
  return renderOrganizationPage(visit, {
    title: t.title(subscription.title),
    refusal,
    body: html`<p>${describe(subscription)}</p>
${renderForm({
  action: pathOf(visit, 'usage', ['cancel']),
  flow: openUserFlow(visit, cancelForm),
  fields: renderFields([field], refusal?.errors),
  submit: t.title(subscription.title),
  isDangerous: true,
})}
<p class="links"><a href="${back}">${t.keep(subscription.title)}</a></p>`,
  });
}

function describe({ title, endsAt }: Subscription): Content {
  const t = texts().cancellation;
  return endsAt === null ? t.atOnce : t.atEnd(title, renderTime(endsAt));
}
