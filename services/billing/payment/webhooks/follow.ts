import type { Context } from 'moleculer';
import type { RequestMeta } from '../../../../lib/caller.ts';
import type { WebhookDocument } from '../../../../models/billing/webhook.ts';
import { askAndApply, type Outcome } from '../apply-payment-event.ts';
import { providerNamed } from '../providers.ts';

type Ctx = Context<unknown, RequestMeta>;

/** The outcome of a webhook: applied or without effect, or why not. */
export type Followed = 'done' | Extract<Outcome, 'unmatched' | 'unknown' | 'others'>;

/** The webhooks in flight in this process, by subject. */
const following = new Map<string, Promise<unknown>>();

/**
 * Applies a webhook by what its provider says now. Idempotent. Webhooks of one subject run one after the other in a
 * process: in parallel, each would make the others ask the provider again.
 */
export async function follow(ctx: Ctx, webhook: WebhookDocument): Promise<Followed> {
  const subject = `${webhook.provider} ${webhook.subject ?? webhook._id}`;
  const before = following.get(subject) ?? Promise.resolve();
  const followed = before.then(() => interpretAndApply(ctx, webhook));
  const ended = followed.catch(() => undefined);
  following.set(subject, ended);
  try {
    return await followed;
  } finally {
    if (following.get(subject) === ended) following.delete(subject);
  }
}

async function interpretAndApply(ctx: Ctx, webhook: WebhookDocument): Promise<Followed> {
  const { _id, provider: name, subject, type, sentAt, payload } = webhook;
  const provider = await providerNamed(name);
  const notice = { eventId: _id.slice(name.length + 1), type, sentAt, payload };
  const outcome = await askAndApply(ctx, { provider: name, subject }, () => provider.interpret(notice));
  return typeof outcome !== 'string' || outcome === 'nothing' ? 'done' : outcome;
}
