import type { Ctx } from '../../../../lib/caller.ts';
import { call } from '../../../../lib/calls.ts';
import { fromNow, minute, now } from '../../../../lib/clock.ts';
import { type TestOutcomeDocument, TestOutcomeModel } from '../../../../models/billing/test-payment.ts';
import { saveCard } from './payments.ts';
import { completedType } from './provider.ts';
import { signWebhook } from './signature.ts';

const retryAfter = minute;
const deliveryConcurrency = 100;

/** Sends the platform the webhook of a payment, as another provider would. The sweep retries a failure. */
export async function deliverWebhook(ctx: Ctx, checkoutId: string): Promise<void> {
  const outcome = await TestOutcomeModel.findOne({ _id: checkoutId })
    .setOptions({ acrossTenants: true })
    .lean<TestOutcomeDocument>();
  if (outcome && !outcome.isTold) await deliver(ctx, outcome);
}

/** Sends the webhooks that were not accepted yet. */
export async function deliverWebhooks(ctx: Ctx, signal: AbortSignal): Promise<void> {
  const waiting = await TestOutcomeModel.find({ isTold: false, nextAttemptAt: { $lte: now() } })
    .setOptions({ acrossTenants: true, sort: { nextAttemptAt: 1 }, limit: deliveryConcurrency })
    .lean<TestOutcomeDocument[]>();
  for (const outcome of waiting) {
    if (signal.aborted) return;
    await deliver(ctx, outcome);
  }
}

/** Never throws. */
async function deliver(ctx: Ctx, outcome: TestOutcomeDocument): Promise<void> {
  const { _id, orgId, createdAt, payment } = outcome;
  const id = _id.replace(/^chk_/, 'evt_');
  try {
    await saveCard(outcome);
    const body = JSON.stringify({ id, type: completedType, createdAt: createdAt.toISOString(), data: payment });
    await call(ctx, 'billing.webhooks.receive', {
      path: { provider: 'test' },
      headers: { 'platform-signature': signWebhook(body) },
      body,
    });
    await TestOutcomeModel.updateOne({ _id, orgId }, { $set: { isTold: true } });
  } catch (error) {
    ctx.broker.logger.warn('Delivering a webhook of the test provider failed; will retry', { _id, error });
    await TestOutcomeModel.updateOne({ _id, orgId }, { $set: { nextAttemptAt: fromNow(retryAfter) } }).catch(
      () => undefined,
    );
  }
}
