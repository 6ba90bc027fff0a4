import type { Logger } from 'moleculer';
import type { NotGivenBack } from './provider.ts';

/** Reports a payment that only an operator can refund. */
export function leaveToOperator(logger: Logger, payment: NotGivenBack): void {
  logger.error('A payment for an organization that is gone has to be paid back by hand', payment);
}
