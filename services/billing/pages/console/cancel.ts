import { call } from '../../../../lib/calls.ts';
import { type Refusal, refusalOf } from '../../../../web/attempt.ts';
import { renderFields } from '../../../../web/fields.ts';
import { renderForm } from '../../../../web/form-page.ts';
import { type Content, html } from '../../../../web/html.ts';
import { type PageAnswer, redirectTo } from '../../../../web/page.ts';
import { pickFields } from '../../../../web/pick.ts';
import { renderTime } from '../../../../web/time.ts';
import { openUserFlow } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';
import { type BillingVisit, billingPage, refuseChange, renderBillingPage } from './billing-page.ts';
import { billingPath, cancelPath, withOrganization } from './paths.ts';
import { isCancellable, type Subscription } from './subscription.ts';

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
    refuseChange(visit, cancelPath) ??
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
