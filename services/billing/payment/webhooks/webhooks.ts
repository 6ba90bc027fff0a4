import { Counter } from 'prom-client';
import type { Ctx } from '../../../../lib/caller.ts';
import { day, fromNow, hour, minute, now } from '../../../../lib/clock.ts';
import { insertIfAbsent } from '../../../../lib/insert-unless-there.ts';
import { type WebhookDocument, WebhookModel } from '../../../../models/billing/webhook.ts';
import type { VerifiedWebhook } from '../provider.ts';
import { follow, type ProcessingResult } from './follow.ts';

const tried = new Counter({
  name: 'billing_webhooks_total',
  help: 'Attempts to process webhooks of payment providers on this node, by provider and outcome.',
  labelNames: ['provider', 'outcome'],
});

/** The retention of event ids for deduplication, and the retry period while no organization is found. */
export const keptFor = 30 * day;
const firstPause = minute;
const maxPause = 6 * hour;

/** Stores a webhook, which the caller then processes; null for a duplicate. */
export async function storeWebhook(provider: string, notice: VerifiedWebhook): Promise<WebhookDocument | null> {
  const { eventId, type, sentAt, payload, subject = null } = notice;
  const webhook: WebhookDocument = {
    _id: `${provider}:${eventId}`,
    provider,
    type,
    subject,
    sentAt,
    payload,
    isDone: false,
    attempts: 1,
    nextAttemptAt: fromNow(pauseAfter(1)),
    lastError: null,
    receivedAt: now(),
    expiresAt: fromNow(keptFor),
  };
  return (await insertIfAbsent<WebhookDocument>(WebhookModel, webhook)) ? webhook : null;
}

/** Claims a stored webhook that is due; null when another process claimed it first. */
export async function claimWebhook({ _id, attempts }: WebhookDocument): Promise<WebhookDocument | null> {
  return await WebhookModel.findOneAndUpdate(
    { _id, isDone: false, attempts },
    { $set: { nextAttemptAt: fromNow(pauseAfter(attempts + 1)) }, $inc: { attempts: 1 } },
    { returnDocument: 'after' },
  ).lean<WebhookDocument>();
}

/** Processes a claimed webhook. Never throws: a failure, or a missing organization, is retried later. */
export async function tryWebhook(ctx: Ctx, webhook: WebhookDocument): Promise<void> {
  const { _id, provider, type } = webhook;
  try {
    await note(ctx, webhook, await follow(ctx, webhook));
  } catch (error) {
    tried.inc({ provider, outcome: 'failed' });
    ctx.broker.logger.warn('Webhook processing failed; will retry', { _id, provider, type, error });
    const lastError = error instanceof Error ? error.message : String(error);
    await WebhookModel.updateOne({ _id }, { $set: { lastError } }).catch(() => undefined);
  }
}

/** Why a webhook is retried without a failure: its subject may be too new, or unreadable with the keys here. */
const reasons: Partial<Record<ProcessingResult, string>> = {
  unmatched: 'No organization has its checkout or subscription.',
  unknown: 'The provider does not know its subject; the configured key may belong to another account or mode.',
};

/** Stores the outcome of a webhook. A reason for a retry is logged once. */
async function note({ broker: { logger } }: Ctx, webhook: WebhookDocument, followed: ProcessingResult): Promise<void> {
  const { _id, provider, type, lastError } = webhook;
  const reason = reasons[followed] ?? null;
  tried.inc({ provider, outcome: reason === null ? 'done' : 'nobody' });
  if (followed === 'others') logger.info('Webhook for another system in the provider account', { _id, type });
  if (reason !== null && reason !== lastError) {
    logger.warn('Webhook for an unknown customer; retrying for 30 days', { _id, type, reason });
  }
  const changes = reason === null ? { isDone: true, lastError: null } : { lastError: reason };
  await WebhookModel.updateOne({ _id }, { $set: changes });
}

/** Exponential backoff, up to six hours. */
function pauseAfter(attempts: number): number {
  return Math.min(firstPause * 2 ** (attempts - 1), maxPause);
}
