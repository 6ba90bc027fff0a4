import type { Logger } from 'moleculer';
import type { FailedRefund } from './provider.ts';

/** Reports a payment that only an operator can refund. */
export function flagForOperator(logger: Logger, payment: FailedRefund): void {
  logger.error('A payment for a deleted organization must be refunded manually', payment);
}
