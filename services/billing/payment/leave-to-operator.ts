import type { Logger } from 'moleculer';
import type { NotGivenBack } from './provider.ts';

/** Says what nobody but an operator can pay back. */
export function leaveToOperator(logger: Logger, payment: NotGivenBack): void {
  logger.error('A payment for an organization that is gone has to be paid back by hand', payment);
}
