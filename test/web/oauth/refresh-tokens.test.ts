import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Browser,
  hashOf,
  newBrowser,
  newOAuthClient,
  type OAuthClient,
  post,
  refresh,
  statusOf,
  tokensOf,
} from '../../support/oauth.ts';
import { withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';

let client: OAuthClient;
let browser: Browser;
beforeAll(async () => {
  client = await newOAuthClient();
  ({ browser } = await newBrowser(client));
});

const refused = { status: 400, body: { error: 'invalid_grant' } };
const newRefreshToken = async () => (await tokensOf(browser, client)).refresh_token!;

/** Changes what is stored of a refresh token. */
function change(token: string, change: object): Promise<unknown> {
  return withDatabase(client.databaseUrl, (database) =>
    database
      .collection<{ _id: string }>('identity_oauth_artifacts')
      .updateOne({ _id: `RefreshToken:${hashOf(token)}` }, { $set: change }),
  );
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);

describe('a refresh token', () => {
  test('is given only with offline_access', async () => {
    const tokens = await tokensOf(browser, client, { scope: 'openid profile' });
    expect(tokens).not.toHaveProperty('refresh_token');
  });

  test('gives way to another at each use', async () => {
    const first = await newRefreshToken();
    const { body } = await refresh(client, first);
    expect(body.refresh_token).not.toBe(first);
    expect(await refresh(client, body.refresh_token!)).toMatchObject({ status: 200 });
  });

  test('gives the same successor to a client that asks again within half a minute', async () => {
    const first = await newRefreshToken();
    const [one, two] = [await refresh(client, first), await refresh(client, first)];
    expect(one.body.refresh_token).toBe(two.body.refresh_token);
    expect(await refresh(client, one.body.refresh_token!)).toMatchObject({ status: 200 });
  });

  test('has one successor, however many ask at once', async () => {
    const first = await newRefreshToken();
    const answers = await Promise.all(Array.from({ length: 200 }, () => refresh(client, first)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
  });

  test('sent again after its successor was used takes the whole chain with it, also within half a minute', async () => {
    const first = await newRefreshToken();
    const second = (await refresh(client, first)).body.refresh_token!;
    const third = (await refresh(client, second)).body;
    expect(await refresh(client, first)).toMatchObject(refused);
    expect(await refresh(client, second)).toMatchObject(refused);
    expect(await refresh(client, third.refresh_token!)).toMatchObject(refused);
    expect(await statusOf(client, third.access_token)).toBe(401);
  });

  test('sent again later takes the whole chain with it, access tokens included', async () => {
    const first = await newRefreshToken();
    const { body } = await refresh(client, first);
    expect(await statusOf(client, body.access_token)).toBe(200);
    await change(first, { consumedAt: ago(31) });
    expect(await refresh(client, first)).toMatchObject(refused);
    expect(await refresh(client, body.refresh_token!)).toMatchObject(refused);
    await until(async () => (await statusOf(client, body.access_token)) === 401);
  });

  test('sent again later is recorded once, for the organization to see', async () => {
    const own = await newOAuthClient();
    const visit = await newBrowser(own);
    const first = (await tokensOf(visit.browser, own)).refresh_token!;
    await refresh(own, first);
    await change(first, { consumedAt: ago(31) });
    await refresh(own, first);
    await refresh(own, first);
    const records = await withDatabase(own.databaseUrl, (database) =>
      database.collection('identity_audit_records').find({ orgId: own.orgId, action: 'grant.revoked' }).toArray(),
    );
    expect(records).toMatchObject([{ target: { id: own.clientId }, before: { userId: visit.user.userId } }]);
  });

  test('sent again later by hundreds at once is refused to all', async () => {
    const first = await newRefreshToken();
    await refresh(client, first);
    await change(first, { consumedAt: ago(31) });
    const answers = await Promise.all(Array.from({ length: 100 }, () => refresh(client, first)));
    expect(answers.every(({ status, body }) => status === 400 && body.error === 'invalid_grant')).toBe(true);
  });

  test('is worth nothing to another client, and still works for its own', async () => {
    const other = await newOAuthClient();
    const token = await newRefreshToken();
    expect(await refresh(other, token)).toMatchObject(refused);
    expect(await refresh(client, token)).toMatchObject({ status: 200 });
  });

  test('expires', async () => {
    const token = await newRefreshToken();
    await change(token, { expiresAt: ago(0) });
    expect(await refresh(client, token)).toMatchObject(refused);
  });

  test('may be traded for less, and not for more', async () => {
    const token = await newRefreshToken();
    const less = await refresh(client, token, { scope: 'context.story.read' });
    expect(less).toMatchObject({ status: 200, body: { scope: 'context.story.read' } });
    const more = await refresh(client, less.body.refresh_token!, { scope: 'mail.send' });
    expect(more).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
  });

  test('is no code, and a code is no refresh token', async () => {
    const token = await newRefreshToken();
    const form = { grant_type: 'authorization_code', redirect_uri: client.redirectUri };
    expect(await post(client, 'token', { ...form, code: token })).toMatchObject(refused);
    expect(await refresh(client, token)).toMatchObject({ status: 200 });
  });
});
