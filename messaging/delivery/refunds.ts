import type { ServiceBroker } from 'moleculer';
import type { Model } from 'mongoose';
import { type CallInput, call } from '../../lib/calls.ts';
import { pagesById, type Sweep, sweepItems } from '../../lib/sweep.ts';
import type { DeliveryFields } from './documents.ts';
import { type Failure, isOurFault } from './failures.ts';

type Meter = CallInput<'billing.quota.give-back'>['body']['meter'];

/** A document that was charged. `refundDue`: it died through the platform's fault, and its unit is not given back yet. */
export type ChargedFields = DeliveryFields & { refundDue?: boolean };

const batch = 100;
const refundConcurrency = 4;

/**
 * Gives back the unit of a message that died through the platform's fault. The document says that it is due before the
 * unit is given back, so a sweep completes what a crash interrupts; billing counts a document once.
 */
export type Refunds<D extends ChargedFields> = {
  /** The fields to store with a dead letter. */
  deadFields: (claim: D, failure: Failure) => { refundDue?: boolean };
  /** Gives back what is due of a document that has died of this failure; nothing when that was not the platform's. */
  settle: (broker: Pick<ServiceBroker, 'call'>, document: D, failure: Failure) => Promise<void>;
  /** Gives back what is due of all. */
  sweep: (broker: Pick<ServiceBroker, 'call'>, sweep: Sweep) => Promise<void>;
};

/** `isCharged` says whether a document was charged at all: the platform's own are not. */
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
