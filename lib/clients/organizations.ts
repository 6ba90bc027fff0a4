import { type CallContext, call } from '../contract/context.ts';
import { apiError } from '../contract/errors.ts';

/**
 * Throws CREDENTIAL_INVALID if the organization is deleted or being deleted, after removing the created documents: the
 * deletion may have begun before the insert and may have missed them.
 */
export async function requireActiveOrganization(
  ctx: CallContext,
  orgId: string,
  remove: () => PromiseLike<unknown>,
): Promise<void> {
  const { organization } = await call(ctx, 'identity.organizations.describe', { body: { orgId } });
  if (organization) return;
  await remove();
  throw apiError('CREDENTIAL_INVALID');
}
