import type { Context } from 'moleculer';
import { Counter } from 'prom-client';
import { z } from 'zod';
import { createKeyedMutex } from '../../../lib/concurrency/keyed-mutex.ts';
import type { Ctx } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { exampleId } from '../../../lib/contract/examples.ts';
import { pathText } from '../../../lib/contract/input.ts';
import { day, fromNow, hour, minute, now } from '../../../lib/data/clock.ts';
import { insertIfAbsent, nativeCollection, removeAcrossTenants } from '../../../lib/data/collection.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { type WebhookDocument, WebhookModel } from '../../../models/billing/webhook.ts';
import { fetchAndApply, type Outcome } from './apply-payment-event.ts';
import type { PaymentProvider, VerifiedWebhook } from './provider.ts';
import { providerNamed } from './providers.ts';

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

const signature = z.string().max(4096).optional();

/**
 * POST /v1/billing/webhooks/:provider: receives a signed webhook of a payment provider. It is stored before the answer,
 * and counts once however often it is delivered. A failure is retried here, for 30 days.
 */
export const receiveWebhook = defineAction({
  rest: 'POST /v1/billing/webhooks/:provider',
  summary: 'Receive a webhook of a payment provider',
  description:
    'Receives the signed webhooks of a payment provider; only the provider calls it. A webhook is stored before ' +
    'the answer and counts once, however often it is delivered; one that cannot be processed yet is retried here ' +
    'for 30 days. A webhook without a valid signature is refused with `WEBHOOK_INVALID`.',
  permission: 'public',
  input: {
    path: z.strictObject({
      provider: pathText(/^[a-z]+$/).describe('The payment provider: `stripe`, or `test` for the simulated one.'),
    }),
    headers: z.strictObject({
      'stripe-signature': signature.describe('The signature of Stripe.'),
      'platform-signature': signature.describe('The signature of the simulated provider.'),
    }),
    body: z.string(),
  },
  takes: 'text',
  limits: { bodyBytes: 256 * 1024, fromServers: true },
  output: z.strictObject({ received: z.literal(true) }).meta({ id: 'WebhookReceipt' }),
  errors: ['NOT_FOUND', 'WEBHOOK_INVALID'],
  example: {
    path: { provider: 'stripe' },
    headers: { 'stripe-signature': `t=1772443800,v1=${'0123456789abcdef'.repeat(4)}` },
    body: JSON.stringify({
      id: 'evt_example',
      object: 'event',
      type: 'checkout.session.completed',
      created: 1772443800,
      data: {
        object: {
          id: 'cs_example',
          object: 'checkout.session',
          client_reference_id: exampleId('chk'),
          metadata: { orgId: exampleId('org'), checkoutId: exampleId('chk') },
          subscription: 'sub_example',
        },
      },
    }),
    output: { received: true },
  },
  async handler({ path, headers, body, ctx }) {
    const provider = await senderNamed(path.provider);
    const notice = await provider.verifyWebhook({ body, headers: present(headers) });
    const webhook = await storeWebhook(provider.name, notice);
    if (webhook) await tryWebhook(ctx, webhook);
    return { received: true as const };
  },
});

/** Only these providers send webhooks, and only where the platform has settings for them. */
async function senderNamed(name: string): Promise<PaymentProvider> {
  if (name === 'test' || (name === 'stripe' && settings.STRIPE_SECRET_KEY)) return await providerNamed(name);
  throw apiError('NOT_FOUND');
}

function present(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter((one): one is [string, string] => one[1] !== undefined));
}
