import type { Context } from 'moleculer';
import { call } from '../../../lib/calls.ts';
import { normalizeEmail } from '../../../lib/email-address.ts';
import type { SignedIdentity } from './identity.ts';

type Signed = Pick<SignedIdentity, 'id' | 'email'>;

/** The identifiers of a signed identity in business context. */
export function identifiersOf({ id, email }: Signed): string[] {
  return [`id:${id}`, ...(email ? [`email:${normalizeEmail(email)}`] : [])];
}

/**
 * Links the signed id and email of a visitor to the customer who has one of them. If business context is unavailable,
 * the visitor is served anyway and the next session links them.
 */
export async function linkCustomer(
  ctx: Pick<Context, 'call' | 'broker'>,
  orgId: string,
  identity: Signed,
): Promise<void> {
  const { id, email } = identity;
  const identifiers = [
    { type: 'id' as const, value: id },
    ...(email ? [{ type: 'email' as const, value: email }] : []),
  ];
  try {
    await call(ctx, 'context.customers.link', { body: { orgId, identifiers } });
  } catch (error) {
    ctx.broker.logger.warn('Visitor could not be linked to a customer; retried at the next session', { orgId, error });
  }
}
