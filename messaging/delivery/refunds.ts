import type { ServiceBroker } from 'moleculer';
import type { Model } from 'mongoose';
import { type CallInput, call } from '../../lib/contract/context.ts';
import { pagesById, type Sweep, sweepItems } from '../../lib/data/sweep.ts';
import { type Failure, isOurFault } from './deliverer.ts';
import type { DeliveryFields } from './documents.ts';

type Meter = CallInput<'billing.quota.give-back'>['body']['meter'];

/**
 * A document that was charged. `refundDue`: it became a dead letter through the platform's fault and is not refunded
 * yet.
 */
export type ChargedFields = DeliveryFields & { refundDue?: boolean };

const batch = 100;
const refundConcurrency = 4;

/**
 * Refunds the quota unit of a message that failed through the platform's fault. The document is marked as due before
 * the refund, so a sweep completes it after a crash; billing counts each document once (idempotent by key).
 */
export type Refunds<D extends ChargedFields> = {
  /** The fields to store with a dead letter. */
  deadFields: (claim: D, failure: Failure) => { refundDue?: boolean };
  /** Refunds a dead letter if the platform caused the failure. */
  settle: (broker: Pick<ServiceBroker, 'call'>, document: D, failure: Failure) => Promise<void>;
  /** Refunds all documents that are marked as due. */
  sweep: (broker: Pick<ServiceBroker, 'call'>, sweep: Sweep) => Promise<void>;
};

/** `isCharged`: whether a document was charged; the platform's own messages are not. */
export function createRefunds<D extends ChargedFields>(
  model: Model<D>,
  meter: Meter,
  isCharged: (document: D) => boolean,
): Refunds<D> {
  const isDue = (document: D, failure: Failure) => isOurFault(failure) && isCharged(document);

  async function refund(broker: Pick<ServiceBroker, 'call'>, { orgId, _id, createdAt }: D): Promise<void> {
    const body = { orgId, meter, amount: 1, key: `died:${_id}`, chargedAt: createdAt.toISOString() };
    await call(broker, 'billing.quota.give-back', { body });
    await model.updateOne({ orgId, _id } as never, { $set: { refundDue: false } } as never);
  }

  return {
    deadFields: (claim, failure) => (isDue(claim, failure) ? { refundDue: true } : {}),
    async settle(broker, document, failure) {
      if (isDue(document, failure)) await refund(broker, document);
    },
    sweep: (broker, sweep) =>
      sweepItems(sweep, pagesById<D>(model, { refundDue: true }, batch), refundConcurrency, (document) =>
        refund(broker, document),
      ),
  };
}
