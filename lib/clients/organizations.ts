import { LRUCache } from 'lru-cache';
import type { Context, ServiceSchema } from 'moleculer';
import { createTtlCache } from '../concurrency/ttl-cache.ts';
import { type CallContext, type CredentialsChange, call } from '../contract/context.ts';
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

const standings = createTtlCache<boolean>();

/** Whether an organization is suspended. Cached for half a second, like a credential. */
export function isSuspended(ctx: CallContext, orgId: string): Promise<boolean> {
  return standings.find(orgId, async () => {
    const { isSuspended } = await call(ctx, 'identity.organizations.standing', { body: { orgId } });
    return isSuspended;
  });
}

/** Whether an organization is suspended by the cache; undefined if it holds no answer. */
export function recallSuspended(orgId: string): boolean | undefined {
  return standings.peek(orgId);
}

/**
 * Throws ORGANIZATION_SUSPENDED while an organization is suspended: for requests without a credential of the platform,
 * such as requests of visitors and signed URLs. The gateway refuses the others.
 */
export async function requireInForce(ctx: CallContext, orgId: string): Promise<void> {
  if (await isSuspended(ctx, orgId)) throw apiError('ORGANIZATION_SUSPENDED');
}

const lastKnown = new LRUCache<string, boolean>({ max: 5000 });

/**
 * Whether an organization is suspended, for work without a credential that must not depend on identity: without an
 * answer the last known one counts, and without one it is not suspended.
 */
export async function isLastKnownSuspended(ctx: CallContext, orgId: string): Promise<boolean> {
  const answer = await isSuspended(ctx, orgId).catch(() => null);
  if (answer !== null) lastKnown.set(orgId, answer);
  return answer ?? lastKnown.get(orgId) ?? false;
}

/** The events of a service that calls {@link isSuspended}: its cache follows the gateways'. */
export const standingEvents: NonNullable<ServiceSchema['events']> = {
  'identity.credentials.changed': ({ params: { orgId } }: Context<CredentialsChange>) => {
    if (orgId !== undefined) standings.forget(orgId);
  },
};
