import { Provider } from 'oidc-provider';
import { sign } from '../../lib/signature.ts';
import { verifyClientSecret } from './client-authentication.ts';
import { type Clients, registeredOf } from './clients.ts';
import { currentExchange } from './exchange.ts';
import { authTimeOf, type PlatformSession } from './platform-session.ts';
import { isRegistered } from './redirect-uris.ts';

type Session = InstanceType<Provider['Session']>;
type RefreshToken = { jti: string; generateTokenId: () => string };
type ClientSchema = { redirectUris: () => void };
type AccessToken = { save: () => Promise<string> };
type IdToken = {
  ctx?: { oidc: { entities: { AccessToken?: object } } };
  set: (claim: string, value: string) => void;
  issue: (options: object) => Promise<string>;
};

/** Overrides the behaviour of a provider's models where its configuration has no option. */
export function adaptModels(provider: Provider, clients: Clients): void {
  compareHashedSecrets(provider, clients);
  useRegisteredUris(provider);
  followPlatformSession(provider);
  deriveSuccessors(provider);
  bindIdTokens(provider);
}

/** Compares hashed client secrets, of which two may be valid at the same time. */
function compareHashedSecrets(provider: Provider, clients: Clients): void {
  provider.Client.prototype.compareClientSecret = function compare(this: object, secret: string) {
    return verifyClientSecret(clients, currentExchange(), registeredOf(this), secret);
  };
}

/**
 * Disables the provider's check of redirect URIs, which are checked when a client is registered. It would reject the
 * whole client because of one URI with a private-use scheme or, for its native clients, one with https and a loopback
 * host.
 */
function useRegisteredUris({ Client }: Provider): void {
  const { Schema } = Client as unknown as { Schema: { prototype: ClientSchema } };
  Schema.prototype.redirectUris = () => {};
  Client.prototype.redirectUriAllowed = function isAllowed(this: object, uri) {
    return isRegistered(registeredOf(this).redirectUris, uri);
  };
  Client.prototype.postLogoutRedirectUriAllowed = function isAllowed(this: object, uri) {
    return isRegistered(registeredOf(this).postLogoutRedirectUris, uri);
  };
}

/**
 * Makes the provider's session follow the platform's: the same user and login time, or no user when none is logged in.
 * Its identifier changes with the user, which prevents session fixation.
 */
function followPlatformSession(provider: Provider): void {
  const { Session } = provider;
  const get = Session.get.bind(Session);
  Session.get = async (ctx) => {
    const session = await get(ctx);
    follow(session, await currentExchange().platformSession());
    return session;
  };
}

function follow(session: Session, platform: PlatformSession | null): void {
  const userId = platform?.userId;
  const loginTs = platform ? authTimeOf(platform) : undefined;
  if (session.accountId === userId && session.loginTs === loginTs) return;
  if (session.accountId !== userId) delete session.authorizations;
  if (userId === undefined || loginTs === undefined) {
    delete session.accountId;
    delete session.loginTs;
  } else {
    session.loginAccount({ accountId: userId, loginTs });
  }
  session.resetIdentifier();
}

/** The refresh token that replaces a used one. */
export const successorOf = (token: string): string => sign('oauth.refresh-token', token);

/**
 * Derives the identifier of a rotated refresh token from the used one. A client that lost the answer and retries gets
 * the same token, and a second one never exists.
 */
function deriveSuccessors(provider: Provider): void {
  const prototype = provider.RefreshToken.prototype as unknown as RefreshToken;
  const { generateTokenId } = prototype;
  prototype.generateTokenId = function generate(this: RefreshToken) {
    const rotated = Provider.ctx?.oidc.entities.RotatedRefreshToken as { jti: string } | undefined;
    return rotated ? successorOf(rotated.jti) : generateTokenId.call(this);
  };
}

/** Adds `at_hash`, the hash of the access token, to ID tokens. The provider omits it at the token endpoint. */
function bindIdTokens(provider: Provider): void {
  const values = new WeakMap<object, string>();
  const accessTokens = provider.AccessToken.prototype as unknown as AccessToken;
  const { save } = accessTokens;
  accessTokens.save = async function saveAndKeep(this: AccessToken) {
    const value = await save.call(this);
    values.set(this, value);
    return value;
  };
  const idTokens = provider.IdToken.prototype as unknown as IdToken;
  const { issue } = idTokens;
  idTokens.issue = function issueBound(this: IdToken, options: object) {
    const accessToken = this.ctx?.oidc.entities.AccessToken;
    const value = accessToken && values.get(accessToken);
    if (value !== undefined) this.set('at_hash', value);
    return issue.call(this, options);
  };
}
