import { isLastKnownSuspended } from '../../lib/clients/organizations.ts';
import type { CallContext } from '../../lib/contract/context.ts';
import { DeliveryError } from './deliverer.ts';

/**
 * Defers a delivery while its organization is suspended: it is tried again for a day, and is a dead letter after that,
 * which the operator can queue again.
 */
export async function deferWhileSuspended(ctx: CallContext, orgId: string): Promise<void> {
  if (await isLastKnownSuspended(ctx, orgId)) throw new DeliveryError('deferred', 'The organization is suspended.');
}
