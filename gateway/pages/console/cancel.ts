import { call } from '../../../lib/calls.ts';
import { type Refusal, refusalOf } from '../attempt.ts';
import { showFields } from '../fields.ts';
import { pick } from '../form.ts';
import { showForm } from '../form-page.ts';
import { type Html, html } from '../html.ts';
import { redirect } from '../page.ts';
import { showTime } from '../time.ts';
import { openUserFlow } from '../user-page.ts';
import { type BillingVisit, billingPage, refuseChange, sendBillingPage } from './billing-page.ts';
import { billingPath, cancelPath, withOrganization } from './paths.ts';
import { isCancellable, type Subscription } from './subscription.ts';

/** The page that confirms a cancellation, with its consequences and a question for the reason. */
export const cancelRoutes = {
  [`GET ${cancelPath}`]: billingPage(cancelPath, (visit) => showCancellation(visit)),
  [`POST ${cancelPath}`]: billingPage(cancelPath, cancel),
};

async function cancel(visit: BillingVisit): Promise<void> {
  const { ctx, form, orgId, response } = visit;
  const { reason } = pick(form, 'orgId', 'reason');
  const refusal =
    refuseChange(visit, cancelPath) ??
    (await refusalOf(['reason'], () =>
      call(ctx, 'billing.subscription.cancel', { path: { orgId }, body: { reason } }),
    ));
  if (refusal) return showCancellation(visit, refusal, reason);
  redirect(response, withOrganization(billingPath, orgId, { done: 'cancelled' }));
}

async function showCancellation(visit: BillingVisit, refusal?: Refusal, reason = ''): Promise<void> {
  const { ctx, orgId, mayChange, response } = visit;
  const subscription = await call(ctx, 'billing.subscription.describe', { body: { orgId } });
  const back = withOrganization(billingPath, orgId);
  if (!refusal && !(mayChange && isCancellable(subscription))) return redirect(response, back);
  const field = {
    name: 'reason',
    label: 'Why do you cancel?',
    autocomplete: 'off',
    value: reason,
    hint: 'Those who sell the plans read it.',
    maxLength: 1000,
  };
  sendBillingPage(visit, {
    title: `Cancel ${subscription.title}`,
    refusal,
    body: html`<p>${describe(subscription)}</p>
${showForm({
  action: cancelPath,
  flow: openUserFlow(visit, cancelPath),
  fields: [html`<input type="hidden" name="orgId" value="${orgId}">`, showFields([field], refusal?.errors)],
  submit: `Cancel ${subscription.title}`,
  isDangerous: true,
})}
<p class="links"><a href="${back}">Keep ${subscription.title}</a></p>`,
  });
}

function describe({ title, endsAt }: Subscription): Html {
  if (endsAt === null)
    return html`It ends at once: you have Free from now on, and what is owed is not asked for any more.`;
  return html`You have ${title} until ${showTime(endsAt)}, and Free from then on. No further period is charged, and you can
take it back until then.`;
}
