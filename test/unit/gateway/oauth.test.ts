import { describe, expect, test } from '@jest/globals';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import type { Logger } from 'moleculer';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Client, Clients } from '../../../gateway/oauth/clients.ts';
import { type Exchange, runWithExchange } from '../../../gateway/oauth/request.ts';
import { newId } from '../../../lib/data/ids.ts';

// The settings are read when they are loaded.
process.env.SECRET_KEY = 'the secret key of the tests of OAuth';
const { issuer } = await import('../../../http/access-tokens.ts');
const { validLogout } = await import('../../../gateway/oauth/pages.ts');
const { promptPolicy } = await import('../../../gateway/oauth/prompts.ts');
const { assembleProvider } = await import('../../../gateway/oauth/provider.ts');

const bye = 'https://app.example/bye';
const client: Client = {
  clientId: newId('cli'),
  orgId: newId('org'),
  applicationId: newId('app'),
  applicationName: 'App',
  organizationName: 'Organization',
  organizationBrand: { logoUrl: null, color: null },
  grantTypes: ['authorization_code'],
  redirectUris: ['https://app.example/callback'],
  postLogoutRedirectUris: [bye],
  redirectOrigins: ['https://app.example'],
  scopes: ['openid'],
  tokenEndpointAuthMethod: 'none',
  secretHashes: [],
  isFirstParty: false,
  isTrusted: true,
  isSuspended: false,
};
const find = async (_of: unknown, clientId: string) => (clientId === client.clientId ? client : null);
const clients: Clients = { find, findInForce: find, forget: () => {}, forgetOf: () => {} };
const { privateKey } = await generateKeyPair('RS256', { extractable: true });
const key = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'key' };
const { provider } = assembleProvider([key], clients, {} as Logger);

const now = Math.floor(Date.now() / 1000);
const sign = (claims: JWTPayload) =>
  new SignJWT({ iss: issuer, aud: client.clientId, sub: 'usr_1', iat: now - 7200, exp: now - 3600, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'key' })
    .sign(privateKey);

describe('a request for a logout', () => {
  const valid = async (claims: JWTPayload) => {
    const query = new URLSearchParams({ id_token_hint: await sign(claims), post_logout_redirect_uri: bye });
    const exchange = { meter: { countAddress: async () => {} } } as unknown as Exchange;
    return Object.fromEntries(await runWithExchange(exchange, () => validLogout(provider, query)));
  };

  test('may carry an ID token that has expired', async () => {
    expect(await valid({})).toEqual({ client_id: client.clientId, post_logout_redirect_uri: bye });
  });

  test.each([
    ['another issuer', { iss: 'https://evil.example/oauth2' }],
    ['another client', { aud: newId('cli') }],
    ['no user', { sub: undefined }],
  ])('takes nothing from an ID token of %s', async (_what, claims) => {
    expect(await valid(claims as JWTPayload)).toEqual({});
  });
});

describe('a login', () => {
  test.each([
    ['has to be repeated when the account is gone', 'usr_1', undefined, true],
    ['counts while there is the account', 'usr_1', {}, false],
    ['is asked for by another check when nobody is logged in', undefined, undefined, false],
  ])('%s', async (_what, accountId, account, isAsked) => {
    const check = promptPolicy().get('login')!.checks.get('no_account')!;
    const ctx = { oidc: { session: { accountId }, account } } as unknown as KoaContextWithOIDC;
    expect(await check.check(ctx)).toBe(isAsked);
  });
});
