import type { Context } from 'moleculer';
import { call } from '../../../lib/calls.ts';
import { normalizeEmail } from '../../../lib/email-address.ts';
import type { SignedIdentity } from './identity.ts';

type Signed = Pick<SignedIdentity, 'id' | 'email'>;

/** The keys by which business context knows a signed identity. */
export function identifiersOf({ id, email }: Signed): string[] {
  return [`id:${id}`, ...(email ? [`email:${normalizeEmail(email)}`] : [])];
}

/**
 * Joins the signed id and email of a visitor to the customer who has one of them. While business context cannot be
 * reached the visitor is served all the same, and the next session joins them.
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
    ctx.broker.logger.warn('A visitor could not be linked to a customer', { orgId, error });
  }
}
