import type { Ctx } from '../../../lib/caller.ts';
import { call } from '../../../lib/calls.ts';
import { apiError } from '../../../lib/errors.ts';

/**
 * Throws CREDENTIAL_INVALID when the organization is deleted or being deleted, after removing what was made for it: the
 * deletion may have begun before that was made, and has not seen it.
 */
export async function requireActiveOrganization(
  ctx: Ctx,
  orgId: string,
  remove: () => PromiseLike<unknown>,
): Promise<void> {
  const { organization } = await call(ctx, 'identity.organizations.describe', { body: { orgId } });
  if (organization) return;
  await remove();
  throw apiError('CREDENTIAL_INVALID');
}
