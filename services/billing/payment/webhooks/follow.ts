import type { Ctx } from '../../../../lib/caller.ts';
import { createKeyedMutex } from '../../../../lib/one-at-a-time.ts';
import type { WebhookDocument } from '../../../../models/billing/webhook.ts';
import { fetchAndApply, type Outcome } from '../apply-payment-event.ts';
import { providerNamed } from '../providers.ts';

/** The outcome of a webhook: applied or without effect, or why not. */
export type ProcessingResult = 'done' | Extract<Outcome, 'unmatched' | 'unknown' | 'others'>;

const inTurn = createKeyedMutex();

/**
 * Applies a webhook by what its provider says now. Idempotent. Webhooks of one subject run one after the other in a
 * process: in parallel, each would make the others ask the provider again.
 */
export function follow(ctx: Ctx, webhook: WebhookDocument): Promise<ProcessingResult> {
  const subject = `${webhook.provider} ${webhook.subject ?? webhook._id}`;
  return inTurn(subject, () => interpretAndApply(ctx, webhook));
}

async function interpretAndApply(ctx: Ctx, webhook: WebhookDocument): Promise<ProcessingResult> {
  const { _id, provider: name, subject, type, sentAt, payload } = webhook;
  const provider = await providerNamed(name);
  const notice = { eventId: _id.slice(name.length + 1), type, sentAt, payload };
  const outcome = await fetchAndApply(ctx, { provider: name, subject }, () => provider.interpret(notice));
  return typeof outcome !== 'string' || outcome === 'nothing' ? 'done' : outcome;
}
