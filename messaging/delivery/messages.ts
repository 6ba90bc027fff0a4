import type { Model } from 'mongoose';
import { z } from 'zod';
import { recordAuditEvent } from '../../lib/clients/audit.ts';
import type { Ctx } from '../../lib/contract/context.ts';
import type { Operation } from '../../lib/contract/idempotency.ts';
import { encodeCursor, instantInput, timestamp } from '../../lib/contract/input.ts';
import type { DeliveryFields } from './documents.ts';

/** The filters by time of a list of messages. Mail has `to` for the recipient, so they are not `from` and `to`. */
export const acceptedWithin = {
  since: instantInput.optional().describe('Only what was accepted from this time on.'),
  before: instantInput.optional().describe('Only what was accepted before this time.'),
};

/** The cursor of a list of messages for what is older than a message. Ids begin with the time of acceptance. */
export function cursorBehind(messageId: string): string {
  return encodeCursor([messageId]);
}

/** The fields of one message about its attempts and its repetition. */
export const repetitionFields = {
  nextAttemptAt: timestamp.nullable().describe('When the next attempt is due; null unless one failed before.'),
  isResendable: z.boolean().describe('Whether it can be sent again: it failed, and its content is still stored.'),
  resentFrom: z.string().nullable().describe('The failed message that this one repeats; null if none.'),
  resentAs: z.string().nullable().describe('The message by which it was sent again last; null if none.'),
};

/** The values of {@link repetitionFields} but `isResendable`, which the service decides. */
export function repetitionOf({ status, nextAttemptAt, resentFrom, resentAs }: DeliveryFields) {
  return {
    nextAttemptAt: status === 'waiting' ? nextAttemptAt.toISOString() : null,
    resentFrom: resentFrom ?? null,
    resentAs: resentAs ?? null,
  };
}

/** A failed message that was sent again. `resentAs`: the id of the new one, which is stored. */
type Resent = { orgId: string; id: string; resentAs: string; operation: Operation };

/** Completes the sending of a failed message again: links it with the new one, and records the act. Idempotent. */
export async function completeResend<D extends DeliveryFields>(
  ctx: Ctx,
  { service, model }: { service: 'mail' | 'notification'; model: Model<D> },
  { orgId, id, resentAs, operation }: Resent,
): Promise<void> {
  const documents = model as unknown as Model<DeliveryFields>;
  await documents.updateOne({ orgId, _id: id }, { $set: { resentAs } });
  await recordAuditEvent(ctx, {
    id: operation.newId('aud'),
    action: `${service}.resent`,
    orgId,
    target: { type: service, id },
    after: { resentAs },
  });
}
