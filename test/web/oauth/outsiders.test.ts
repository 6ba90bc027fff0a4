import { beforeAll, describe, expect, test } from '@jest/globals';
import * as strict from 'oauth4webapi';
import * as openid from 'openid-client';
import { authorize, type Browser, follow, newBrowser, newOAuthClient, type OAuthClient } from '../../support/oauth.ts';
import { withDatabase } from '../../support/tenants.ts';
import { sessionClientOf, type User } from '../../support/user-client.ts';

// The package has no types of its own.
type Strategy = { authenticate: (request: object, options: object) => void };
type Verify = (issuer: string, profile: object, done: (error: unknown, user?: unknown) => void) => void;
const { default: OpenIDConnectStrategy } = (await import('passport-openidconnect' as string)) as {
  default: new (options: object, verify: Verify) => Strategy;
};

/** Libraries of others that know only the address of the issuer and the standards. */
let client: OAuthClient;
let browser: Browser;
let user: User;
beforeAll(async () => {
  client = await newOAuthClient({ postLogoutRedirectUris: ['https://app.example/bye'] });
  ({ browser, user } = await newBrowser(client));
  const profile = { displayName: 'Ada Moreau', avatarUrl: 'https://pictures.example/ada.png', birthDate: '1990-12-10' };
  await sessionClientOf(client.url, user.sessionToken).call('identity.me.update', { body: profile });
});

/** What the ID token tells of the user of this file, by scope. */
const profileClaims = { name: 'Ada Moreau', picture: 'https://pictures.example/ada.png' };
const emailClaims = () => ({ email: user.email, email_verified: true });

describe('openid-client', () => {
  const discover = (of: OAuthClient, authentication?: openid.ClientAuth) =>
    openid.discovery(new URL(`${of.url}/oauth2`), of.clientId, of.clientSecret, authentication, {
      execute: [openid.allowInsecureRequests],
    });

  test.each([
    ['OpenID Connect', 'oidc' as const],
    ['RFC 8414', 'oauth2' as const],
  ])('finds the issuer by %s', async (_what, algorithm) => {
    const server = await openid.discovery(
      new URL(`${client.url}/oauth2`),
      client.clientId,
      client.clientSecret,
      undefined,
      {
        algorithm,
        execute: [openid.allowInsecureRequests],
      },
    );
    expect(server.serverMetadata().issuer).toBe(`${client.url}/oauth2`);
  });

  test('does the whole flow with PKCE, nonce and state, and everything that follows it', async () => {
    const server = await discover(client);
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const [expectedNonce, expectedState] = [openid.randomNonce(), openid.randomState()];
    const url = openid.buildAuthorizationUrl(server, {
      redirect_uri: client.redirectUri,
      scope: 'openid profile email offline_access context.story.read',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      nonce: expectedNonce,
      state: expectedState,
      max_age: '600',
    });
    const { end } = await follow(browser, url.href);
    const checks = { pkceCodeVerifier, expectedNonce, expectedState, maxAge: 600 };
    const tokens = await openid.authorizationCodeGrant(server, end!, checks);
    const known = { sub: user.userId, ...profileClaims, ...emailClaims() };
    expect(tokens.claims()).toMatchObject({ ...known, aud: client.clientId });
    expect(tokens.claims()).not.toHaveProperty('birthdate');
    expect(await openid.fetchUserInfo(server, tokens.access_token, user.userId)).toMatchObject({ email: user.email });
    expect(await openid.tokenIntrospection(server, tokens.access_token)).toMatchObject({ active: true });
    const fresh = await openid.refreshTokenGrant(server, tokens.refresh_token!);
    expect(fresh.claims()).toMatchObject(known);
    await openid.tokenRevocation(server, fresh.refresh_token!);
    await expect(openid.refreshTokenGrant(server, fresh.refresh_token!)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    expect(await openid.tokenIntrospection(server, fresh.access_token)).toEqual({ active: false });
    const logout = openid.buildEndSessionUrl(server, {
      post_logout_redirect_uri: 'https://app.example/bye',
      id_token_hint: tokens.id_token!,
    });
    expect((await follow(browser, logout.href)).answer.text).toContain('Log out?');
  });

  test.each([
    ['openid', () => ({})],
    ['openid profile', () => profileClaims],
    ['openid email', emailClaims],
  ])('is told in the ID token what %s opens, and nothing else of the user', async (scope, expected) => {
    const server = await discover(client);
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const url = openid.buildAuthorizationUrl(server, {
      redirect_uri: client.redirectUri,
      scope,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    const { end } = await follow(browser, url.href);
    const claims = (await openid.authorizationCodeGrant(server, end!, { pkceCodeVerifier })).claims()!;
    const { iss, aud, iat, exp, auth_time, at_hash, ...told } = claims;
    expect(told).toEqual({ sub: user.userId, ...expected() });
  });

  test.each([
    ['in the header', openid.ClientSecretBasic],
    ['in the form', openid.ClientSecretPost],
  ])('gets a token for an application with its secret %s', async (_what, authentication) => {
    const server = await discover(client, authentication(client.clientSecret));
    const tokens = await openid.clientCredentialsGrant(server, { scope: 'mail.send' });
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'mail.send' });
  });
});

describe('openid-client of a first-party client', () => {
  test('gets offline access without a question, unless it asks for one; the user finds it on their list', async () => {
    const own = await newOAuthClient();
    await withDatabase(own.databaseUrl, (database) =>
      database
        .collection<{ _id: string }>('identity_oauth_clients')
        .updateOne({ _id: own.clientId }, { $set: { isFirstParty: true } }),
    );
    const visit = await newBrowser(own);
    const issuer = new URL(`${own.url}/oauth2`);
    const execute = [openid.allowInsecureRequests];
    const server = await openid.discovery(issuer, own.clientId, own.clientSecret, undefined, { execute });
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const addressWith = async (more: Record<string, string>) =>
      openid.buildAuthorizationUrl(server, {
        redirect_uri: own.redirectUri,
        scope: 'openid email offline_access',
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        ...more,
      }).href;
    const silent = await follow(visit.browser, await addressWith({ prompt: 'none' }), 'look');
    const tokens = await openid.authorizationCodeGrant(server, silent.end!, { pkceCodeVerifier });
    expect(tokens.claims()).toMatchObject({ sub: visit.user.userId, email: visit.user.email });
    expect((await openid.refreshTokenGrant(server, tokens.refresh_token!)).access_token).toEqual(expect.any(String));
    const asked = await follow(visit.browser, await addressWith({ prompt: 'consent' }), 'look');
    expect(asked.answer.text).toContain('name="decision"');
    const denied = await follow(visit.browser, await addressWith({ prompt: 'consent' }), 'deny');
    expect(denied.end!.searchParams.get('error')).toBe('access_denied');
    const session = sessionClientOf(own.url, visit.user.sessionToken);
    const { data } = await session.call('identity.oauth.my-applications.list', { query: {} });
    const scopes = ['openid', 'email', 'offline_access'];
    expect(data).toMatchObject([{ clientId: own.clientId, scopes, firstParty: true }]);
    const path = { clientId: own.clientId };
    await session.call('identity.oauth.my-applications.withdraw', { path });
    await expect(openid.refreshTokenGrant(server, tokens.refresh_token!)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    expect((await follow(visit.browser, await addressWith({}), 'look')).end!.searchParams.get('code')).toBeTruthy();
  });
});

describe('passport-openidconnect', () => {
  test('knows who logged in from the ID token alone, as it does unless told otherwise', async () => {
    const issuer = `${client.url}/oauth2`;
    const strategy = new OpenIDConnectStrategy(
      {
        issuer,
        authorizationURL: `${issuer}/auth`,
        tokenURL: `${issuer}/token`,
        userInfoURL: `${issuer}/userinfo`,
        clientID: client.clientId,
        clientSecret: client.clientSecret,
        callbackURL: client.redirectUri,
        scope: ['profile', 'email'],
      },
      (_issuer, profile, done) => done(null, profile),
    );
    const session = {};
    const { end } = await follow(browser, (await authenticate(strategy, { session, query: {} })) as string);
    const query = Object.fromEntries(end!.searchParams);
    expect(await authenticate(strategy, { session, query })).toEqual({
      id: user.userId,
      displayName: profileClaims.name,
      emails: [{ value: user.email }],
    });
  });

  /** Where the strategy sends the browser, or whom it finds logged in; as Passport runs it for a request. */
  function authenticate(strategy: Strategy, request: object): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const run = Object.assign(Object.create(strategy), {
        redirect: resolve,
        success: resolve,
        fail: (info: object) => reject(new Error(JSON.stringify(info))),
        error: reject,
      });
      run.authenticate(request, {});
    });
  }
});

describe('oauth4webapi', () => {
  const insecure = { [strict.allowInsecureRequests]: true };

  test('accepts each answer of a flow of a public client', async () => {
    const open = await newOAuthClient({ isPublic: true });
    const visit = await newBrowser(open);
    const issuer = new URL(`${open.url}/oauth2`);
    const server = await strict.processDiscoveryResponse(issuer, await strict.discoveryRequest(issuer, insecure));
    const verifier = strict.generateRandomCodeVerifier();
    const { end } = await authorize(visit.browser, open, {
      code_challenge: await strict.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      nonce: 'nonce-of-a-test',
    });
    const own: strict.Client = { client_id: open.clientId };
    const parameters = strict.validateAuthResponse(server, own, end!, 'state-of-a-test');
    const authentication = strict.None();
    const answer = await strict.authorizationCodeGrantRequest(
      server,
      own,
      authentication,
      parameters,
      open.redirectUri,
      verifier,
      insecure,
    );
    const checks = { expectedNonce: 'nonce-of-a-test', requireIdToken: true };
    const tokens = await strict.processAuthorizationCodeResponse(server, own, answer, checks);
    expect(strict.getValidatedIdTokenClaims(tokens)).toMatchObject({ email: visit.user.email, email_verified: true });
    const told = await strict.userInfoRequest(server, own, tokens.access_token, insecure);
    expect(await strict.processUserInfoResponse(server, own, visit.user.userId, told)).toMatchObject({
      email: visit.user.email,
    });
    const again = await strict.refreshTokenGrantRequest(server, own, authentication, tokens.refresh_token!, insecure);
    const fresh = await strict.processRefreshTokenResponse(server, own, again);
    const revoked = await strict.revocationRequest(server, own, authentication, fresh.refresh_token!, insecure);
    expect(await strict.processRevocationResponse(revoked)).toBeUndefined();
  });

  test('validates an access token as RFC 9068 has it', async () => {
    const issuer = new URL(`${client.url}/oauth2`);
    const server = await strict.processDiscoveryResponse(issuer, await strict.discoveryRequest(issuer, insecure));
    const own: strict.Client = { client_id: client.clientId };
    const authentication = strict.ClientSecretPost(client.clientSecret);
    const answer = await strict.clientCredentialsGrantRequest(server, own, authentication, {}, insecure);
    const { access_token } = await strict.processClientCredentialsResponse(server, own, answer);
    const request = new Request('https://api.example/', { headers: { authorization: `Bearer ${access_token}` } });
    expect(await strict.validateJwtAccessToken(server, request, client.url, insecure)).toMatchObject({
      sub: client.clientId,
      org: client.orgId,
    });
  });
});
