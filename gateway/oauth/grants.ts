import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { audience } from '../../http/access-tokens.ts';
import { call } from '../../lib/calls.ts';
import { openidScopes, splitScope } from '../../lib/openid-scopes.ts';
import { type Client, registeredOf } from './clients.ts';
import { currentExchange } from './exchange.ts';
import { canBeImpersonated } from './redirect-uris.ts';

type Grant = InstanceType<Provider['Grant']>;
type Granted = { userId: string; clientId: string; scopes: string[] };

/**
 * Creates and stores a grant of these scopes. Each authorization has a separate grant, so that it can be revoked
 * separately.
 */
export async function newGrant(provider: Provider, { userId, clientId, scopes }: Granted): Promise<Grant> {
  const grant = new provider.Grant({ accountId: userId, clientId });
  grant.addOIDCScope(scopes.filter((scope) => openidScopes.includes(scope)));
  grant.addResourceScope(audience, scopes);
  await grant.save();
  return grant;
}

/**
 * The grant of an authorization: the grant of the consent just given; otherwise a new one, when the user has granted
 * all of its scopes before or the client is first-party; undefined when consent is required. Consent is always required
 * with `prompt=consent`, and for a client that another app could impersonate (RFC 8252 section 8.6).
 */
export async function loadGrant(ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { oidc } = ctx;
  const agreed = oidc.result?.consent?.grantId;
  if (agreed !== undefined) return (await oidc.provider.Grant.find(agreed)) as Grant | undefined;
  const { account, client, params } = oidc;
  const isPending = [...oidc.prompts].some((name) => name !== 'none' && oidc.promptPending(name));
  if (!account || !client || isPending) return undefined;
  const registered = registeredOf(client);
  if (canBeImpersonated(registered, String(params?.redirect_uri))) return undefined;
  const scopes = splitScope(String(params?.scope ?? ''));
  const granted = { userId: account.accountId, clientId: client.clientId, scopes };
  return (await isAllowed(granted, registered)) ? newGrant(oidc.provider, granted) : undefined;
}

async function isAllowed({ userId, clientId, scopes }: Granted, { isFirstParty, orgId }: Client): Promise<boolean> {
  const { ctx } = currentExchange();
  if (isFirstParty) {
    const body = { userId, clientId, orgId, scopes };
    const { isImplied } = await call(ctx, 'identity.oauth.consents.imply', { body });
    if (isImplied) return true;
  }
  const consent = await call(ctx, 'identity.oauth.consents.find', { body: { userId, clientId } });
  return scopes.every((scope) => consent.scopes.includes(scope));
}
