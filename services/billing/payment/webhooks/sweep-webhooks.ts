import type { Context } from 'moleculer';
import type { Ctx } from '../../../../lib/caller.ts';
import { now } from '../../../../lib/clock.ts';
import { nativeCollection } from '../../../../lib/native-collection.ts';
import { removeAcrossTenants } from '../../../../lib/remove-up-to.ts';
import { type WebhookDocument, WebhookModel } from '../../../../models/billing/webhook.ts';
import { claimWebhook, tryWebhook } from './webhooks.ts';

const sweepConcurrency = 100;

/**
 * Retries failed webhooks, the oldest first, and deletes webhooks older than 30 days. Safe to run concurrently on
 * several nodes.
 */
export async function sweepWebhooks(ctx: Ctx, signal: AbortSignal): Promise<void> {
  await deleteOld(ctx, signal);
  for (;;) {
    const due = await WebhookModel.find({ isDone: false, nextAttemptAt: { $lte: now() } })
      .sort({ nextAttemptAt: 1 })
      .limit(sweepConcurrency)
      .lean<WebhookDocument[]>();
    for (const webhook of due) {
      if (signal.aborted) return;
      const claimed = await claimWebhook(webhook);
      if (claimed) await tryWebhook(ctx, claimed);
    }
    if (due.length < sweepConcurrency) return;
  }
}

/** A webhook that expires unprocessed is logged as an error: a customer may have paid for nothing. */
async function deleteOld({ broker: { logger } }: Context, signal: AbortSignal): Promise<void> {
  const old = { expiresAt: { $lte: now() } };
  for await (const lost of nativeCollection<WebhookDocument>(WebhookModel).find({ ...old, isDone: false })) {
    if (signal.aborted) return;
    const { _id, type, payload, lastError } = lost;
    logger.error('A webhook was given up after 30 days', { _id, type, payload, lastError });
  }
  await removeAcrossTenants(WebhookModel, old, signal);
}
