import { type CallInput, type CallOutput, call } from '../../../lib/calls.ts';
import { requireThisMachine } from '../../local-only.ts';
import { type Refusal, refuse } from '../attempt.ts';
import { flowProblem, openFlow } from '../flow.ts';
import { pick } from '../form.ts';
import { redirect } from '../page.ts';
import { page, type Visit } from '../visit.ts';
import { type Checkout, sendCheckoutPage } from './checkout-page.ts';
import { sendEndedPage } from './ended-page.ts';

const path = '/billing/checkout';

type Act = CallInput<'billing.checkouts.act'>['body']['act'];
type Outcome = CallOutput<'billing.checkouts.act'>['outcome'];

/**
 * The checkout pages of the platform itself: a payment at the test provider, the details of a bank transfer, or the
 * confirmation of a plan change. The signed link is the credential; it is as hard to guess as a session token.
 */
export const checkoutRoutes = {
  [`GET ${path}/:sessionId`]: page((visit) => showCheckout(visit)),
  [`POST ${path}/:sessionId`]: page(act),
};

async function showCheckout(visit: Visit, refusal?: Refusal): Promise<void> {
  const { request, response } = visit;
  const link = linkOf(visit);
  const { sessionId } = link;
  const checkout = await findCheckout(visit);
  if (checkout.status !== 'open') return sendEndedPage(response, checkout);
  if (checkout.page === 'elsewhere' && checkout.url !== null) return redirect(response, checkout.url);
  const form = { action: addressOf(link), flow: openFlow(request, response, kindOf(sessionId), {}) };
  sendCheckoutPage(response, { sessionId, checkout, form, refusal });
}

async function act(visit: Visit): Promise<void> {
  const { request, response, ctx, form } = visit;
  const link = linkOf(visit);
  await findCheckout(visit);
  const chosen = pick(form, 'act').act;
  const problem = flowProblem(request, kindOf(link.sessionId), form);
  if (problem !== null) return showCheckout(visit, refuse({}, problem));
  if (!isAct(chosen)) return showCheckout(visit, refuse({}, 'Choose one of the buttons.'));
  const answer = await call(ctx, 'billing.checkouts.act', { body: { ...link, act: chosen } });
  if (answer.outcome === 'done') return redirect(response, answer.url);
  const words = sentences[answer.outcome];
  if (words) return showCheckout(visit, refuse({}, words, 402));
  // The page shows the new state.
  redirect(response, addressOf(link));
}

/** The checkout of a link. The page of the test provider, where payments are free, is served to this machine alone. */
async function findCheckout(visit: Visit): Promise<Checkout> {
  const checkout = await call(visit.ctx, 'billing.checkouts.show', { body: linkOf(visit) });
  if (checkout.page === 'test') requireThisMachine(visit.request);
  return checkout;
}

const acts: Record<Act, true> = {
  confirm: true,
  abandon: true,
  approve: true,
  'approve-once': true,
  decline: true,
  challenge: true,
  complete: true,
  fail: true,
};

function isAct(text: string): text is Act {
  return Object.hasOwn(acts, text);
}

const sentences: Partial<Record<Outcome, string>> = {
  declined: 'The payment was refused. Nothing was paid: try again, or pay in another way.',
  failed: 'The bank did not recognise you. Nothing was paid: try again.',
};

type Link = CallInput<'billing.checkouts.show'>['body'];

function linkOf({ request: { parameters }, query }: Visit): Link {
  return { sessionId: parameters.sessionId ?? '', signature: String(query.signature ?? '') };
}

/** The address of the link that was followed. */
function addressOf({ sessionId, signature }: Link): string {
  return `${path}/${sessionId}?${new URLSearchParams({ signature })}`;
}

/** The token of a form is valid for one checkout only. */
function kindOf(sessionId: string): string {
  return `checkout ${sessionId}`;
}
