import { call } from '../../../lib/contract/context.ts';
import { formatPrice } from '../../../lib/format/money.ts';
import { planNames } from '../../../models/billing/sold-version.ts';
import { type Refusal, refusalOf } from '../../../web/attempt.ts';
import { pageLanguage } from '../../../web/catalogue.ts';
import { renderConfirmedForm } from '../../../web/confirm.ts';
import { renderChoice } from '../../../web/fields.ts';
import { renderForm } from '../../../web/form-page.ts';
import { type Content, type Html, html } from '../../../web/html.ts';
import {
  type OperatedOrganization,
  type OperatorVisit,
  operatedPath,
  operatorPage,
  readOperated,
  renderOperated,
} from '../../../web/operator-page.ts';
import { type PageAnswer, redirectTo } from '../../../web/page.ts';
import { pickFields } from '../../../web/pick.ts';
import { flashMessage, openUserFlow, rejectStaleForm } from '../../../web/user-page.ts';
import { type Invoice, renderInvoices, renderSubscription } from './subscription.ts';
import { texts } from './texts.ts';
import { renderUsage } from './usage.ts';

/** The kind of the tokens of the forms about an organization's plan. */
const formKind = 'operated plan';

/** The plan, the usage and the invoices of an organization, for operators. */
export const operatorPlanPages = {
  'pages.operator.plan': operatorPage('organizations', {
    rest: 'GET /:orgId/plan',
    summary: 'Show the plan, usage and invoices of an organization to operators',
    handler: (visit) => renderPlan(visit),
  }),
  'pages.operator.plan.give': operatorPage('organizations', {
    rest: 'POST /:orgId/plan',
    summary: 'Give an organization a plan without payment',
    handler: givePlan,
  }),
  'pages.operator.plan.pay': operatorPage('organizations', {
    rest: 'POST /:orgId/plan/invoices/:invoiceId',
    summary: 'Mark an invoice as paid',
    handler: markPaid,
  }),
};

type Plan = (typeof planNames)[number];

async function givePlan(visit: OperatorVisit): Promise<PageAnswer> {
  const { plan } = pickFields(visit.form, 'plan');
  const id = visit.path.orgId ?? '';
  // A plan that the form does not offer is refused by the endpoint.
  const input = { path: { orgId: id }, body: { plan: plan as Plan } };
  const refusal =
    rejectStaleForm(visit, formKind) ??
    (await refusalOf(['plan'], () => call(visit.ctx, 'billing.operator.plan.give', input)));
  if (refusal) return renderPlan(visit, refusal);
  return redirectTo(operatedPath({ id }, 'plan', [], { done: 'given' }));
}

async function markPaid(visit: OperatorVisit): Promise<PageAnswer> {
  pickFields(visit.form);
  const id = visit.path.orgId ?? '';
  const path = { orgId: id, invoiceId: visit.path.invoiceId ?? '' };
  const refusal =
    rejectStaleForm(visit, formKind) ??
    (await refusalOf([], () => call(visit.ctx, 'billing.operator.invoices.pay', { path })));
  if (refusal) return renderPlan(visit, refusal);
  return redirectTo(operatedPath({ id }, 'plan', [], { done: 'paid' }));
}

const shownInvoices = '12';

async function renderPlan(visit: OperatorVisit, refusal?: Refusal): Promise<PageAnswer> {
  const { ctx, query } = visit;
  const orgId = visit.path.orgId ?? '';
  const cursor = typeof query.cursor === 'string' ? { cursor: query.cursor } : {};
  const [organization, subscription, invoices] = await Promise.all([
    readOperated(visit),
    call(ctx, 'billing.subscription.describe', { body: { orgId } }),
    call(ctx, 'billing.operator.invoices.list', { path: { orgId }, query: { limit: shownInvoices, ...cursor } }),
  ]);
  const flow = openUserFlow(visit, formKind);
  const { headings } = texts().console;
  const { notices, give } = texts().operator;
  return renderOperated(visit, organization, {
    tab: 'plan',
    notice: flashMessage(visit, notices),
    refusal,
    body: html`${renderSubscription(subscription)}
${renderUsage(subscription)}
<section class="sec" aria-labelledby="invoices"><div class="sec-head"><h2 id="invoices">${headings.invoices}</h2></div>
${renderInvoices(operatedPath(organization, 'plan'), invoices, (invoice) => renderPay(organization, invoice, flow))}</section>
<section class="sec" aria-labelledby="h-give"><div class="sec-head"><h2 id="h-give">${give.title}</h2></div>
<div class="stack"><p class="quiet">${give.words}</p>
${renderForm({
  action: operatedPath(organization, 'plan'),
  flow,
  fields: renderPlans(subscription.plan, refusal),
  submit: give.submit,
})}</div></section>`,
  });
}

function renderPlans(current: string, refusal: Refusal | undefined): Html {
  const { label, plans } = texts().operator.give;
  const options = planNames.map((plan) => [plan, plans[plan]] as const);
  return renderChoice({ name: 'plan', label, options }, current, refusal?.errors.plan);
}

function renderPay(organization: OperatedOrganization, invoice: Invoice, flow: string): Content {
  const { invoiceId, number, status, amount, currency } = invoice;
  if (status !== 'open' && status !== 'uncollectible') return null;
  const { submit, question, consequence, confirm } = texts().operator.pay;
  const name = number ?? texts().console.invoices.unnumbered;
  return renderConfirmedForm({
    id: `pay-${invoiceId}`,
    action: operatedPath(organization, 'plan', ['invoices', invoiceId]),
    flow,
    submit,
    question: question(name),
    consequence: consequence(formatPrice(amount, currency, pageLanguage())),
    confirm,
    isMild: true,
  });
}
