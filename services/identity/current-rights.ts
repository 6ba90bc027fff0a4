import { permissionDenied } from '../../lib/contract/authorize.ts';
import {
  type CallContext,
  type Caller,
  type CredentialsChange,
  call,
  type PublishContext,
  type UserCaller,
} from '../../lib/contract/context.ts';
import { apiError } from '../../lib/contract/errors.ts';
import { allows, covers, type SystemPermission } from '../../lib/contract/permissions.ts';
import { now } from '../../lib/data/clock.ts';
import { ApiKeyModel } from '../../models/identity/api-key.ts';
import { consentId, OAuthConsentModel } from '../../models/identity/oauth-consent.ts';
import { SessionModel } from '../../models/identity/session.ts';
import { findLiveClient } from './oauth/clients.ts';
import { requireInForce } from './suspension.ts';
import { isActiveUser } from './users.ts';

/**
 * Broadcasts that gateways drop their cache of a credential, or of all credentials of a user, a client or an
 * organization. Best effort: a gateway that misses the notification notices the change within a second.
 */
export async function publishCredentialChange(ctx: PublishContext, change: CredentialsChange): Promise<void> {
  try {
    await ctx.broadcast('identity.credentials.changed', change);
  } catch (error) {
    ctx.broker.logger.warn('Credential change could not be published', { error });
  }
}

/**
 * The caller's current scopes in their organization. A gateway caches a caller for half a second. A resource that is
 * created with a caller's rights and outlives the request must not rely on that cache: otherwise a user whose role was
 * just revoked on another node could still create a key.
 *
 * @throws CREDENTIAL_INVALID the credential has ended; PERMISSION_DENIED the caller no longer has the permission;
 *   ORGANIZATION_SUSPENDED.
 */
export async function requireCurrentRights(
  ctx: CallContext,
  caller: Caller & { orgId: string },
  permission: SystemPermission,
): Promise<string[]> {
  const [limits] = await Promise.all([limitsOf(caller), requireInForce(caller.orgId)]);
  if (!limits) throw apiError('CREDENTIAL_INVALID');
  const granted = (await call(ctx, 'access.callers.scopes', { body: { orgId: caller.orgId } })).scopes;
  const scopes = limits === 'none' ? granted : granted.filter((scope) => covers(limits, scope));
  if (allows(scopes, permission)) return scopes;
  throw permissionDenied(caller, permission);
}

/** Throws SCOPE_NOT_HELD unless every requested scope is among those that the caller holds. */
export function requireGrantableScopes(held: readonly string[], requested: readonly string[]): void {
  const missing = requested.find((scope) => !covers(held, scope));
  if (missing === undefined) return;
  throw apiError('SCOPE_NOT_HELD', { message: `You cannot grant ${missing}: the credential does not hold it.` });
}

/** The current scopes of the credential itself; null when it has ended. */
async function limitsOf(caller: Caller & { orgId: string }): Promise<string[] | 'none' | null> {
  if (caller.type === 'user' && !(await isActiveUser(caller.id))) return null;
  if (caller.clientId !== undefined) return await scopesOfClient(caller.clientId, caller);
  if (caller.type === 'application') return await scopesOfKey(caller.orgId, caller.keyId ?? '');
  return (await isSessionLive(caller)) ? 'none' : null;
}

async function scopesOfKey(orgId: string, keyId: string): Promise<string[] | null> {
  const key = await ApiKeyModel.findOne({ orgId, _id: keyId }, { scopes: 1, revokedAt: 1, expiresAt: 1 }).lean();
  if (!key || key.revokedAt || (key.expiresAt && key.expiresAt <= now())) return null;
  return key.scopes;
}

async function scopesOfClient(clientId: string, caller: Caller): Promise<string[] | null> {
  const [client, consent] = await Promise.all([
    findLiveClient(clientId),
    caller.type === 'application' || OAuthConsentModel.exists({ _id: consentId(caller.id, clientId) }),
  ]);
  return client && consent ? client.scopes : null;
}

async function isSessionLive({ id: userId, sessionId }: UserCaller): Promise<boolean> {
  const live = { _id: sessionId ?? '', userId, expiresAt: { $gt: now() } };
  return (await SessionModel.exists(live)) !== null;
}
