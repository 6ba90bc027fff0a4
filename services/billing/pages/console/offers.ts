import type { CallOutput } from '../../../../lib/calls.ts';
import { flowField } from '../../../../web/flow.ts';
import { type Html, html } from '../../../../web/html.ts';
import { taxSentence } from '../../../../web/tax-sentence.ts';
import { showTime } from '../../../../web/time.ts';
import { includedIn } from './included.ts';
import { billingPath, withOrganization } from './paths.ts';
import { adverbOf, type BillingCycle, type ChangeForm, priceInWords, type Subscription } from './subscription.ts';

type Plan = CallOutput<'billing.plans.list'>['data'][number];
type Currency = Plan['prices'][number]['currency'];

export type Offers = {
  orgId: string;
  plans: Plan[];
  subscription: Subscription;
  currency: Currency;
  /** Null for users who may not change the plan. */
  form: ChangeForm | null;
};

const owing: readonly Subscription['status'][] = ['past_due', 'expired', 'incomplete'];

/** The plans on sale, each with its entitlements, its prices and a button per cycle. */
export function showOffers(offers: Offers): Html {
  const { orgId, plans, subscription, currency } = offers;
  const isPaid = subscription.currency !== null;
  return html`${!isPaid && showCurrencies(orgId, currency)}
<ul class="items plans">${plans.map((plan) => showPlan(plan, offers))}</ul>
<p class="hint">${showTerms(subscription)} ${plans[0] && taxSentence(plans[0].taxBehavior)}</p>`;
}

function showTerms(subscription: Subscription): string {
  if (!subscription.arePaymentsEnabled) {
    return 'This platform does not take payments. Contact its operator to change your plan.';
  }
  return `${whatMoreCosts(subscription)} Less counts from the next period on. You see what is due before you pay.`;
}

function whatMoreCosts({ credit }: Subscription): string {
  const takenOff = 'More counts at once, and what is left of a paid period is taken off.';
  if (credit === 'time') return `${takenOff} Where that is more than the price, the new period is longer.`;
  if (credit !== 'none') return takenOff;
  return `More counts at once and is paid in full: what is left of the present period was paid in another way, and is not
taken off.`;
}

/** An organization with a paid plan keeps its currency. */
function showCurrencies(orgId: string, current: Currency): Html {
  const links = (['eur', 'usd'] as const).map((currency) => {
    const code = currency.toUpperCase();
    const href = withOrganization(billingPath, orgId, { currency });
    return currency === current ? html`<strong>${code}</strong> ` : html`<a href="${href}">${code}</a> `;
  });
  return html`<p>Prices in ${links}</p>`;
}

function showPlan(plan: Plan, offers: Offers): Html {
  const { subscription } = offers;
  const { name, description, prices } = plan;
  const isCurrent = plan.plan === subscription.plan;
  const shown = prices.filter(({ currency, amount }) => currency === offers.currency && amount > 0);
  return html`<li><h3>${name}${isCurrent && html` <span class="tag">Your plan</span>`}</h3>
<p>${description}</p>
<ul>${includedIn(plan).map((line) => html`<li>${line}</li>`)}</ul>
${shown.length === 0 && html`<p>Costs nothing.</p>`}
${shown.map(({ billingCycle, amount }) => showPrice(plan, billingCycle, amount, offers))}</li>`;
}

function showPrice({ plan, name }: Plan, billingCycle: BillingCycle, amount: number, offers: Offers): Html {
  const { subscription, currency, form } = offers;
  const price = priceInWords(amount, currency, billingCycle);
  const { scheduled, currentPeriodEnd } = subscription;
  if (scheduled?.plan === plan && scheduled.billingCycle === billingCycle) {
    return html`<p>${price}, from ${showTime(currentPeriodEnd)} on</p>`;
  }
  const act = actOf(name, plan, billingCycle, subscription);
  if (!form || !subscription.arePaymentsEnabled || act === null)
    return html`<p>${price}${act === null && ' (what you have)'}</p>`;
  return html`<form method="post" action="${billingPath}/checkout" class="acts">${flowField(form.flow)}
<input type="hidden" name="orgId" value="${form.orgId}">
<input type="hidden" name="plan" value="${plan}">
<input type="hidden" name="currency" value="${currency}">
<button name="billingCycle" value="${billingCycle}" class="quiet">${act}: ${price}</button></form>`;
}

/** The label of choosing a plan; null for the current plan. */
function actOf(
  name: string,
  plan: Plan['plan'],
  billingCycle: BillingCycle,
  subscription: Subscription,
): string | null {
  const change = subscription.changes.find((one) => one.plan === plan && one.billingCycle === billingCycle);
  const isSame = change?.direction === 'same';
  if (isSame && owing.includes(subscription.status)) return `Pay for ${name}`;
  if (isSame) return subscription.scheduled ? `Keep ${name}` : null;
  if (plan === subscription.plan) return `Pay ${adverbOf(billingCycle)} for ${name}`;
  return change?.direction === 'upgrade' ? `Upgrade to ${name}` : `Change to ${name}`;
}
