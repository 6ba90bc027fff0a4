import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Browser,
  codeOf,
  exchange,
  hashOf,
  newBrowser,
  newOAuthClient,
  type OAuthClient,
  post,
  random,
  refresh,
  statusOf,
  tokensOf,
} from '../../support/oauth.ts';
import { withDatabase } from '../../support/tenants.ts';

let client: OAuthClient;
let browser: Browser;
beforeAll(async () => {
  client = await newOAuthClient();
  ({ browser } = await newBrowser(client));
});

const refused = { status: 400, body: { error: 'invalid_grant' } };
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

describe('a code', () => {
  test('works once: a second use is refused and takes everything that came of the first', async () => {
    const code = await codeOf(browser, client);
    const { body } = await exchange(client, code);
    expect(await statusOf(client, body.access_token)).toBe(200);
    expect(await exchange(client, code)).toMatchObject(refused);
    expect(await exchange(client, code)).toMatchObject(refused);
    expect(await refresh(client, body.refresh_token!)).toMatchObject(refused);
  });

  test('has one winner, of hundreds that send it at once', async () => {
    const code = await codeOf(browser, client);
    const answers = await Promise.all(Array.from({ length: 200 }, () => exchange(client, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const others = answers.filter(({ status }) => status !== 200);
    expect(others.every(({ status, body }) => status === 400 && body.error === 'invalid_grant')).toBe(true);
  });

  test('is worth nothing to another client, and still works for its own', async () => {
    const other = await newOAuthClient();
    const code = await codeOf(browser, client);
    expect(await exchange(other, code, { redirect_uri: client.redirectUri })).toMatchObject(refused);
    expect(await exchange(client, code)).toMatchObject({ status: 200 });
  });

  test('expires', async () => {
    const code = await codeOf(browser, client);
    await withDatabase(client.databaseUrl, (database) =>
      database
        .collection<{ _id: string }>('identity_oauth_artifacts')
        .updateOne({ _id: `AuthorizationCode:${hashOf(code)}` }, { $set: { expiresAt: new Date(Date.now() - 1) } }),
    );
    expect(await exchange(client, code)).toMatchObject(refused);
  });

  test('is bound to the redirect_uri it was sent to', async () => {
    const other = await newOAuthClient({ redirectUris: ['https://one.example/cb', 'https://two.example/cb'] });
    const visit = await newBrowser(other);
    const code = await codeOf(visit.browser, other);
    expect(await exchange(other, code, { redirect_uri: 'https://two.example/cb' })).toMatchObject(refused);
    const form = { grant_type: 'authorization_code', code };
    expect(await post(other, 'token', form)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(await exchange(other, code)).toMatchObject({ status: 200 });
  });

  test('is stored neither in words nor with what it stands for', async () => {
    const code = await codeOf(browser, client);
    const { refresh_token } = await tokensOf(browser, client);
    const text = await withDatabase(client.databaseUrl, async (database) =>
      JSON.stringify(
        await database.collection('identity_oauth_artifacts').find({ clientId: client.clientId }).toArray(),
      ),
    );
    expect(text).toContain(hashOf(code));
    expect(text).not.toContain(code);
    expect(text).not.toContain(refresh_token);
    expect(text).not.toContain('context.story.read');
  });
});

describe('PKCE', () => {
  test('lets a public client exchange its code with the verifier alone', async () => {
    const open = await newOAuthClient({ isPublic: true });
    const visit = await newBrowser(open);
    const verifier = random() + random();
    const asked = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' };
    const form = { grant_type: 'authorization_code', redirect_uri: open.redirectUri, client_id: open.clientId };
    const code = await codeOf(visit.browser, open, asked);
    expect(await post(open, 'token', { ...form, code }, {})).toMatchObject(refused);
    expect(await post(open, 'token', { ...form, code, code_verifier: random() + random() }, {})).toMatchObject(refused);
    expect(await post(open, 'token', { ...form, code, code_verifier: verifier }, {})).toMatchObject({ status: 200 });
  });

  test('is required of a public client', async () => {
    const open = await newOAuthClient({ isPublic: true });
    const visit = await newBrowser(open);
    await expect(codeOf(visit.browser, open)).rejects.toThrow('error=invalid_request');
  });

  test('binds a confidential client that began with it', async () => {
    const verifier = random() + random();
    const asked = { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' };
    const code = await codeOf(browser, client, asked);
    expect(await exchange(client, code)).toMatchObject(refused);
    expect(await exchange(client, code, { code_verifier: verifier })).toMatchObject({ status: 200 });
  });

  test('cannot be put in afterwards', async () => {
    const code = await codeOf(browser, client);
    expect(await exchange(client, code, { code_verifier: random() + random() })).toMatchObject(refused);
  });

  test('takes no challenge in clear', async () => {
    const asked = { code_challenge: random() + random(), code_challenge_method: 'plain' };
    await expect(codeOf(browser, client, asked)).rejects.toThrow('error=invalid_request');
    await expect(codeOf(browser, client, { code_challenge: random() + random() })).rejects.toThrow('invalid_request');
  });
});
