import { type CallInput, type CallOutput, call } from '../../../lib/contract/context.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { type Refusal, refuse } from '../../../web/attempt.ts';
import { publicPage, type Visit } from '../../../web/define-page.ts';
import { flowProblem, openFlow } from '../../../web/flow.ts';
import { type PageAnswer, redirectTo } from '../../../web/page.ts';
import { pickFields } from '../../../web/pick.ts';
import { type Checkout, renderCheckoutPage, renderEndedPage } from './checkout-page.ts';
import { texts } from './texts.ts';

type CheckoutAction = CallInput<'billing.checkouts.act'>['body']['act'];
type Outcome = CallOutput<'billing.checkouts.act'>['outcome'];

/**
 * The checkout pages of the platform itself: a payment at the test provider, the details of a bank transfer, or the
 * confirmation of a plan change. The signed link is the credential; it is as hard to guess as a session token.
 */
export const checkoutPages = {
  'pages.checkout.show': publicPage({
    rest: 'GET /billing/checkout/:sessionId',
    summary: 'Show a checkout and what it asks of the customer',
    handler: (visit) => renderCheckout(visit),
  }),
  'pages.checkout.act': publicPage({
    rest: 'POST /billing/checkout/:sessionId',
    summary: 'Do what a button of a checkout says',
    handler: act,
  }),
};

async function renderCheckout(visit: Visit, refusal?: Refusal): Promise<PageAnswer> {
  const link = linkOf(visit);
  const { sessionId } = link;
  const checkout = await findCheckout(visit);
  if (checkout.status !== 'open') return renderEndedPage(checkout);
  if (checkout.page === 'elsewhere' && checkout.url !== null) return redirectTo(checkout.url);
  const form = { action: addressOf(link), flow: openFlow(visit.browser, kindOf(sessionId), {}) };
  return renderCheckoutPage({ sessionId, checkout, form, refusal });
}

async function act(visit: Visit): Promise<PageAnswer> {
  const { ctx, form, browser } = visit;
  const link = linkOf(visit);
  await findCheckout(visit);
  const action = pickFields(form, 'act').act;
  const problem = flowProblem(browser, kindOf(link.sessionId), form);
  if (problem !== null) return renderCheckout(visit, refuse({}, problem));
  if (!isAct(action)) return renderCheckout(visit, refuse({}, texts().checkout.chooseButton));
  const answer = await call(ctx, 'billing.checkouts.act', { body: { ...link, act: action } });
  if (answer.outcome === 'done') return redirectTo(answer.url);
  const words = wordsOf(answer.outcome);
  if (words) return renderCheckout(visit, refuse({}, words, 402));
  // The page shows the new state.
  return redirectTo(addressOf(link));
}

/** The checkout of a link. The page of the test provider, where payments are free, is served to this machine alone. */
async function findCheckout(visit: Visit): Promise<Checkout> {
  const checkout = await call(visit.ctx, 'billing.checkouts.show', { body: linkOf(visit) });
  if (checkout.page === 'test' && !visit.browser.isThisMachine) throw apiError('NOT_FOUND');
  return checkout;
}

const acts: Record<CheckoutAction, true> = {
  confirm: true,
  abandon: true,
  approve: true,
  'approve-once': true,
  decline: true,
  challenge: true,
  complete: true,
  fail: true,
};

function isAct(text: string): text is CheckoutAction {
  return Object.hasOwn(acts, text);
}

/** Why nothing was paid; null for other outcomes. */
function wordsOf(outcome: Outcome): string | null {
  const { declined, failed } = texts().checkout.test;
  if (outcome === 'declined') return declined;
  return outcome === 'failed' ? failed : null;
}

type Link = CallInput<'billing.checkouts.show'>['body'];

function linkOf({ path, query }: Visit): Link {
  return { sessionId: path.sessionId ?? '', signature: String(query.signature ?? '') };
}

/** The address of the link that was followed. */
function addressOf({ sessionId, signature }: Link): string {
  return `/billing/checkout/${sessionId}?${new URLSearchParams({ signature })}`;
}

/** The token of a form is valid for one checkout only. */
function kindOf(sessionId: string): string {
  return `checkout ${sessionId}`;
}
