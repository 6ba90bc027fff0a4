import { type CallInput, call } from '../../../lib/contract/context.ts';
import type { Action } from '../../../lib/contract/define-action.ts';
import { allows } from '../../../lib/contract/permissions.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { type Refusal, refusalOf, refuse, submitForm } from '../../../web/attempt.ts';
import { renderFields } from '../../../web/fields.ts';
import { renderForm } from '../../../web/form-page.ts';
import { type Content, html } from '../../../web/html.ts';
import {
  type Area,
  consoleNavigation,
  type OrganizationVisit,
  organizationPage,
  switcherOf,
} from '../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../web/page.ts';
import { pickFields } from '../../../web/pick.ts';
import { renderTime } from '../../../web/time.ts';
import { flashMessage, openUserFlow, rejectStaleForm, renderUserPage, type UserPage } from '../../../web/user-page.ts';
import { renderOffers } from './offers.ts';
import { billingPath, cancelPath, withOrganization } from './paths.ts';
import {
  type BillingCycle,
  isCancellable,
  renderCancel,
  renderInvoices,
  renderSubscription,
  renderUsage,
  type Subscription,
} from './subscription.ts';
import { texts } from './texts.ts';

/** A visit of a user who may see the billing of an organization; `mayChange`: and change it. */
type BillingVisit = OrganizationVisit & { mayChange: boolean };

type Shape = Omit<Parameters<typeof organizationPage>[1], 'handler'> & {
  handler: (visit: BillingVisit) => Promise<PageAnswer>;
};

const area: Area = {
  path: billingPath,
  permission: 'billing.read',
  texts: () => ({ ...texts().console, title: texts().console.billing }),
};

/** A page for users, about the organization that the query or the form names. */
function billingPage({ handler, ...page }: Shape): Action {
  return organizationPage(area, {
    ...page,
    handler: (visit) => handler({ ...visit, mayChange: allows(visit.scopes, 'billing.write') }),
  });
}

/** Why a posted form is refused: it is stale, or the user may not change the plan; null when it is accepted. */
function rejectChange(visit: BillingVisit, kind: string): Refusal | null {
  const stale = rejectStaleForm(visit, kind);
  if (stale) return stale;
  return visit.mayChange ? null : refuse({}, texts().console.noChange, 403);
}

/** Shows a page of an organization's billing, from which users of several organizations switch to the others. */
async function renderBillingPage(visit: BillingVisit, page: Omit<UserPage, 'navigation'>): Promise<PageAnswer> {
  const navigation = consoleNavigation(area, visit.orgId);
  return renderUserPage({ ...page, navigation: { ...navigation, switcher: await switcherOf(area, visit) } });
}

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
  const stopped = rejectChange(visit, billingPath);
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
    rejectChange(visit, billingPath) ??
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

/** The page that confirms a cancellation, with its consequences and a question for the reason. */
export const cancelPages = {
  'pages.cancellation.show': billingPage({
    rest: `GET ${cancelPath}`,
    summary: 'Ask whether to cancel the subscription',
    handler: (visit) => renderCancellation(visit),
  }),
  'pages.cancellation.confirm': billingPage({
    rest: `POST ${cancelPath}`,
    summary: 'Cancel the subscription on the page that asks',
    handler: cancel,
  }),
};

async function cancel(visit: BillingVisit): Promise<PageAnswer> {
  const { ctx, form, orgId } = visit;
  const { reason } = pickFields(form, 'orgId', 'reason');
  const refusal =
    rejectChange(visit, cancelPath) ??
    (await refusalOf(['reason'], () =>
      call(ctx, 'billing.subscription.cancel', { path: { orgId }, body: { reason } }),
    ));
  if (refusal) return renderCancellation(visit, refusal, reason);
  return redirectTo(withOrganization(billingPath, orgId, { done: 'cancelled' }));
}

async function renderCancellation(visit: BillingVisit, refusal?: Refusal, reason = ''): Promise<PageAnswer> {
  const { ctx, orgId, mayChange } = visit;
  const subscription = await call(ctx, 'billing.subscription.describe', { body: { orgId } });
  const back = withOrganization(billingPath, orgId);
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
  return renderBillingPage(visit, {
    title: t.title(subscription.title),
    refusal,
    body: html`<p>${describe(subscription)}</p>
${renderForm({
  action: cancelPath,
  flow: openUserFlow(visit, cancelPath),
  fields: [html`<input type="hidden" name="orgId" value="${orgId}">`, renderFields([field], refusal?.errors)],
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
