import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { fromNow, hour } from '../../../lib/data/clock.ts';
import { hashToken } from '../../../lib/security/token-hash.ts';
import type { SessionDocument } from '../../../models/identity/session.ts';
import type { Client } from '../../support/client.ts';
import type { ErrorBody } from '../../support/http.ts';
import { newBrowser, newOAuthClient, statusOf, tokensOf } from '../../support/oauth.ts';
import { mailedLink } from '../../support/pages.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { slugOf, type Tenant } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { joinAs, newUserClient, type User } from '../../support/user-client.ts';
import { inDatabase } from './me-stored.ts';

type Security = { allowedEmailDomains: string[]; maxSessionHours: number | null };

let tenant: Client & Tenant;
let owner: Client & User;
let path: string;
let slug: string;
beforeEach(async () => {
  tenant = await newTenantClient();
  owner = await newUserClient({ orgId: tenant.orgId });
  slug = slugOf(tenant.orgId);
  path = `/organizations/${slug}/security`;
});

const read = async () => (await tenant.send<Security>('GET', path)).body;
const change = (body: object, client: Client = owner) => client.send<Security & ErrorBody>('PATCH', path, body);
const changes = async () => {
  const log = `/organizations/${slug}/audit-log?action=organization.security-updated`;
  return (await tenant.send<{ data: object[] }>('GET', log)).body.data;
};

describe('the rules for members', () => {
  test('admit everybody at first, and are changed one by one', async () => {
    expect(await read()).toEqual({ allowedEmailDomains: [], maxSessionHours: null });
    const typed = ['Acme.example', 'bücher.example', 'acme.example'];
    const { status, body } = await change({ allowedEmailDomains: typed });
    const allowedEmailDomains = ['acme.example', 'xn--bcher-kva.example'];
    expect([status, body]).toEqual([200, { allowedEmailDomains, maxSessionHours: null }]);
    expect((await change({ maxSessionHours: 12 })).body).toEqual({ allowedEmailDomains, maxSessionHours: 12 });
    expect(await read()).toEqual({ allowedEmailDomains, maxSessionHours: 12 });
    expect(await changes()).toMatchObject([
      { actor: { id: owner.userId }, before: { maxSessionHours: null }, after: { maxSessionHours: 12 } },
      { before: { allowedEmailDomains: [] }, after: { allowedEmailDomains } },
    ]);
  });

  test('stay as they are, without a record, when nothing is changed', async () => {
    await change({ allowedEmailDomains: ['acme.example'], maxSessionHours: 12 });
    for (const body of [{}, { maxSessionHours: 12 }, { allowedEmailDomains: ['ACME.example'] }]) {
      expect((await change(body)).status).toBe(200);
    }
    expect(await changes()).toHaveLength(1);
    await change({ allowedEmailDomains: [], maxSessionHours: null });
    expect(await read()).toEqual({ allowedEmailDomains: [], maxSessionHours: null });
  });

  test.each([
    ['a domain with an @', { allowedEmailDomains: ['a@acme.example'] }, 'body.allowedEmailDomains.0'],
    ['a word', { allowedEmailDomains: ['acme'] }, 'body.allowedEmailDomains.0'],
    ['101 domains', { allowedEmailDomains: Array(101).fill('acme.example') }, 'body.allowedEmailDomains'],
    ['no hours', { maxSessionHours: 0 }, 'body.maxSessionHours'],
    ['parts of an hour', { maxSessionHours: 1.5 }, 'body.maxSessionHours'],
    ['more than 90 days', { maxSessionHours: 2161 }, 'body.maxSessionHours'],
    ['another field', { maxHours: 1 }, 'body.maxHours'],
  ])('are not %s', async (_what, body, at) => {
    const answer = await change(body);
    expect([answer.status, answer.body.details?.[0]?.path]).toEqual([400, at]);
    expect(await read()).toEqual({ allowedEmailDomains: [], maxSessionHours: null });
  });

  test('are changed by those with console.orgs.write, read by members, and hidden from others', async () => {
    const member = await newUserClient({ orgId: tenant.orgId, role: 'member' });
    const stranger = await newTenantClient();
    expect((await member.send('GET', path)).status).toBe(200);
    expect((await change({ maxSessionHours: 1 }, member)).status).toBe(403);
    expect((await stranger.send('GET', path)).status).toBe(404);
    expect((await change({ maxSessionHours: 1 }, stranger)).status).toBe(404);
    expect(await read()).toEqual({ allowedEmailDomains: [], maxSessionHours: null });
  });
});

describe('an organization that allows some domains', () => {
  const newEmail = (domain: string) => `${randomBytes(6).toString('hex')}@${domain}`;
  const invite = (email: string) =>
    owner.send<{ id: string } & ErrorBody>('POST', `/organizations/${slug}/invitations`, { email, role: 'member' });
  const tokenIn = (link: string) => new URL(link, owner.url).searchParams.get('token')!;
  const accept = (user: Client, token: string) =>
    user.send<ErrorBody>('POST', `/organizations/invitations/${token}/accept`);
  const invitations = async () =>
    (await tenant.call('identity.invitations.list', { path: { slug }, query: {} })).data.map(({ status }) => status);
  const refused = [403, 'EMAIL_DOMAIN_NOT_ALLOWED'];

  test('invites addresses of these and of no other', async () => {
    await change({ allowedEmailDomains: ['acme.example'] });
    for (const domain of ['example.com', 'sub.acme.example', 'acme.example.org']) {
      const { status, body } = await invite(newEmail(domain));
      expect([status, body.error]).toEqual(refused);
    }
    expect(await invitations()).toEqual([]);
    expect((await invite(newEmail('ACME.example'))).status).toBe(201);
  });

  test('refuses an open invitation to another when it is accepted or mailed again, and keeps it open', async () => {
    const user = await newUserClient();
    const { body } = await invite(user.email);
    const token = tokenIn(await mailedLink(user.email, '/self-service/invitations/accept'));
    await change({ allowedEmailDomains: ['acme.example'] });
    const accepted = await accept(user, token);
    expect([accepted.status, accepted.body.error]).toEqual(refused);
    const again = await owner.send('POST', `/organizations/${slug}/invitations/${body.id}/resend`);
    expect([again.status, again.body.error]).toEqual(refused);
    expect(await invitations()).toEqual(['pending']);
    expect((await tenant.call('identity.members.list', { path: { slug }, query: {} })).data).toHaveLength(1);
    await change({ allowedEmailDomains: [] });
    expect((await accept(user, token)).status).toBe(200);
  });

  test('keeps its members, whose accepted invitation has the same answer', async () => {
    const user = await newUserClient();
    await invite(user.email);
    const token = tokenIn(await mailedLink(user.email, '/self-service/invitations/accept'));
    expect((await accept(user, token)).status).toBe(200);
    await change({ allowedEmailDomains: ['acme.example'] });
    expect((await accept(user, token)).status).toBe(200);
    expect((await user.send('GET', `/organizations/${slug}`)).status).toBe(200);
  });
});

describe('an organization that asks for recent logins', () => {
  /** Moves the login of a user's session back by some hours. */
  async function age({ sessionToken }: User, hours: number): Promise<void> {
    await inDatabase((database) =>
      database
        .collection<SessionDocument>('identity_sessions')
        .updateOne({ tokenHash: hashToken(sessionToken) }, { $set: { authenticatedAt: fromNow(-hours * hour) } }),
    );
  }

  const untilAnswered = (client: Client, address: string, expected: string, headers = {}) =>
    until(async () => {
      const { status, body } = await client.send<ErrorBody | null>('GET', address, undefined, headers);
      return `${status} ${body?.error ?? ''}`.trim() === expected;
    });

  test('refuses an older one in it, and neither elsewhere nor for long', async () => {
    const other = await newTenantClient();
    await joinAs(owner, { orgId: other.orgId, role: 'member' });
    const organization = `/organizations/${slug}`;
    expect((await change({ maxSessionHours: 2 })).status).toBe(200);
    expect((await owner.send('GET', organization)).status).toBe(200);
    await age(owner, 3);
    await untilAnswered(owner, organization, '403 SESSION_TOO_OLD');
    await untilAnswered(owner, '/applications', '403 SESSION_TOO_OLD', { 'x-tenant-id': tenant.orgId });
    expect((await change({ maxSessionHours: null })).body.error).toBe('SESSION_TOO_OLD');
    expect((await owner.send('GET', '/applications', undefined, { 'x-tenant-id': other.orgId })).status).toBe(200);
    const me = await owner.call('identity.me.read', {});
    expect(me).toMatchObject({ organizations: [{ id: tenant.orgId }, { id: other.orgId }] });
    await age(owner, 1);
    await untilAnswered(owner, organization, '200');
  });

  test('says so to a member of no other, who still reads their account', async () => {
    const member = await newUserClient({ orgId: tenant.orgId, role: 'member' });
    await age(member, 5);
    await change({ maxSessionHours: 4 });
    await untilAnswered(member, '/applications', '403 SESSION_TOO_OLD', { 'x-tenant-id': null });
    expect((await member.send('GET', '/identity/me', undefined, { 'x-tenant-id': null })).status).toBe(200);
    await change({ maxSessionHours: null });
    await untilAnswered(member, '/applications', '200', { 'x-tenant-id': null });
  });

  test('leaves API keys and access tokens alone', async () => {
    const client = await newOAuthClient();
    const { browser, user } = await newBrowser(client);
    const tokens = await tokensOf(browser, client);
    await age(user, 5);
    const admin = await newUserClient({ orgId: client.orgId });
    const rules = `/organizations/${slugOf(client.orgId)}/security`;
    expect((await admin.send('PATCH', rules, { maxSessionHours: 1 })).status).toBe(200);
    const session = { authorization: null, cookie: `platform_session=${user.sessionToken}` };
    await untilAnswered(admin, `/organizations/${slugOf(client.orgId)}`, '403 SESSION_TOO_OLD', session);
    expect(await statusOf(client, tokens.access_token)).toBe(200);
    const key = { authorization: `Bearer ${client.apiKey}`, cookie: null };
    expect((await admin.send('GET', '/applications', undefined, key)).status).toBe(200);
  });
});
