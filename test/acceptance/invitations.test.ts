import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { clientOf } from '../support/client.ts';
import { eventually } from '../support/until.ts';
import { covers } from './covers.ts';
import type { Platform } from './platform.ts';
import { expectRefused } from './refusals.ts';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const newEmail = () => `${randomBytes(8).toString('hex')}@example.com`;

async function slugOf({ own }: Pick<Platform, 'own'>): Promise<string> {
  return (await own.call('identity.organizations.list', { query: {} })).data[0]!.slug;
}

async function invite({ own }: Pick<Platform, 'own'>, email = newEmail()) {
  const path = { slug: await slugOf({ own }) };
  const invitation = await own.call('identity.invitations.create', { path, body: { email, role: 'member' } });
  return { path: { ...path, invitationId: invitation.id }, invitation };
}

covers('invitations.create', async ({ own, owner }) => {
  const path = { slug: await slugOf({ own }) };
  const email = newEmail();
  const { status, body } = await owner.attempt('identity.invitations.create', { path, body: { email, role: 'owner' } });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.stringMatching(/^inv_[0-9a-hjkmnp-tv-z]{26}$/),
    email,
    role: 'owner',
    status: 'pending',
    invitedBy: { type: 'user', id: (await owner.call('identity.me.read', {})).id },
    expiresAt: expect.stringMatching(timestamp),
    createdAt: expect.stringMatching(timestamp),
    updatedAt: expect.stringMatching(timestamp),
  });
  expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBeCloseTo(7 * 86_400_000, -4);
  await owner.call('identity.invitations.revoke', { path: { ...path, invitationId: body.id } });
});

covers('invitations.fields', async ({ own, owner }) => {
  const { path, invitation } = await invite({ own });
  await expectRefused(own, 'POST', `/organizations/${path.slug}/invitations`, [
    [{ role: 'member' }, 'email'],
    [{ email: 'nobody', role: 'member' }, 'email'],
    [{ email: `${'x'.repeat(10_000)}@example.com`, role: 'member' }, 'email'],
    [{ email: newEmail() }, 'role'],
    [{ email: newEmail(), role: 'guest' }, 'role'],
    [{ email: newEmail(), role: 'member', expiresAt: null }, 'expiresAt'],
  ]);
  const { slug } = path;
  const again = (email: string) =>
    own.attempt('identity.invitations.create', { path: { slug }, body: { email, role: 'member' } });
  const repeated = await again(invitation.email.toUpperCase());
  expect(repeated).toMatchObject({ status: 409, body: { error: 'INVITATION_PENDING' } });
  expect(await again(owner.email)).toMatchObject({ status: 409, body: { error: 'ALREADY_MEMBER' } });
  await own.call('identity.invitations.revoke', { path });
});

covers('invitations.list', async ({ own }) => {
  const { path, invitation } = await invite({ own });
  const { status, body, text } = await own.attempt('identity.invitations.list', { path, query: { limit: '1' } });
  expect(status).toBe(200);
  expect(body.data).toEqual([invitation]);
  expect(text).not.toMatch(/token|hash/i);
  await own.call('identity.invitations.revoke', { path });
});

covers('invitations.resend', async ({ own }) => {
  const { path, invitation } = await invite({ own });
  const { status, body } = await own.attempt('identity.invitations.resend', { path });
  expect(status).toBe(200);
  expect(body).toMatchObject({ id: invitation.id, email: invitation.email, status: 'pending' });
  expect(Date.parse(body.expiresAt)).toBeGreaterThanOrEqual(Date.parse(invitation.expiresAt));
  await own.call('identity.invitations.revoke', { path });
  const closed = await own.attempt('identity.invitations.resend', { path });
  expect(closed).toMatchObject({ status: 409, body: { error: 'INVITATION_NOT_OPEN' } });
});

covers('invitations.revoke', async ({ own }) => {
  const { path, invitation } = await invite({ own });
  expect(await own.attempt('identity.invitations.revoke', { path })).toMatchObject({ status: 204, text: '' });
  const again = await own.attempt('identity.invitations.revoke', { path });
  expect(again).toMatchObject({ status: 409, body: { error: 'INVITATION_NOT_OPEN' } });
  const { data } = await own.call('identity.invitations.list', { path, query: {} });
  expect(data.find(({ id }) => id === invitation.id)).toMatchObject({ status: 'revoked' });
  const unknown = { ...path, invitationId: 'inv_unknown' };
  expect((await own.attempt('identity.invitations.revoke', { path: unknown })).status).toBe(404);
  const { path: reopened } = await invite({ own }, invitation.email);
  await own.call('identity.invitations.revoke', { path: reopened });
});

covers('invitations.accept', async ({ own, otherOwner }) => {
  const token = randomBytes(16).toString('base64url');
  for (const unknown of [token, 'x', 'x'.repeat(150), '../..', '%00']) {
    const { status } = await otherOwner.attempt('identity.invitations.accept', { path: { token: unknown } });
    expect({ unknown, status }).toEqual({ unknown, status: 404 });
  }
  const asApplication = await own.attempt('identity.invitations.accept', { path: { token } });
  expect(asApplication).toMatchObject({ status: 403, body: { error: 'USER_REQUIRED' } });
  const asNobody = await own.attempt('identity.invitations.accept', { path: { token } }, { authorization: null });
  expect(asNobody.status).toBe(401);
});

covers('audit.list', async ({ own, owner }) => {
  const { path, invitation } = await invite({ own });
  const query = { targetId: invitation.id };
  const { status, body } = await owner.attempt('identity.audit.list', { path, query });
  expect(status).toBe(200);
  const { id, keyId } = (await own.call('identity.me.read', {})) as { id: string; keyId: string };
  expect(body.data).toEqual([
    {
      id: expect.any(String),
      action: 'invitation.created',
      actor: { type: 'application', id, credentialId: keyId },
      target: { type: 'invitation', id: invitation.id },
      address: expect.any(String),
      userAgent: expect.any(String),
      requestId: expect.any(String),
      before: null,
      after: { email: invitation.email, role: 'member' },
      createdAt: expect.stringMatching(timestamp),
    },
  ]);
  const keyMade = await own.call('identity.api-keys.create', {
    path: { id },
    body: { name: 'A key', scopes: ['svc:read'] },
  });
  const aboutKey = await owner.attempt('identity.audit.list', { path, query: { targetId: keyMade.id } });
  expect(aboutKey.body.data).toHaveLength(1);
  expect(aboutKey.text).not.toContain(keyMade.token);
  await own.call('identity.invitations.revoke', { path });
});

covers('audit.record', async ({ own, other }) => {
  const { path, invitation } = await invite({ own });
  const { data } = await own.call('identity.audit.list', { path, query: { targetId: invitation.id } });
  const one = { path: { ...path, recordId: data[0]!.id } };
  expect(await own.call('identity.audit.read', one)).toEqual(data[0]);
  const elsewhere = { path: { slug: await slugOf({ own: other }), recordId: data[0]!.id } };
  expect((await other.attempt('identity.audit.read', elsewhere)).status).toBe(404);
});

covers('audit.filter', async ({ own, owner }) => {
  const { path, invitation } = await invite({ own });
  await owner.call('identity.invitations.resend', { path });
  await owner.call('identity.invitations.revoke', { path });
  const list = async (query: Record<string, string>) =>
    (await own.call('identity.audit.list', { path, query: { targetId: invitation.id, ...query } })).data;
  const actions = async (query: Record<string, string>) => (await list(query)).map(({ action }) => action);
  const [created, resent, revoked] = ['invitation.created', 'invitation.resent', 'invitation.revoked'];
  expect(await actions({})).toEqual([revoked, resent, created]);
  expect(await actions({ action: resent! })).toEqual([resent]);
  const { id: ownerId } = await owner.call('identity.me.read', {});
  expect(await actions({ actorId: ownerId })).toEqual([revoked, resent]);
  const [, { createdAt: from }] = (await list({})) as [object, { createdAt: string }];
  expect(await actions({ to: from })).toEqual([created]);
  expect(await actions({ from })).toEqual([revoked, resent]);
  const first = await own.call('identity.audit.list', { path, query: { targetId: invitation.id, limit: '2' } });
  expect(await actions({ cursor: first.nextCursor! })).toEqual([created]);
  expect((await own.attempt('identity.audit.list', { path, query: { from: 'yesterday' } })).status).toBe(400);
});

/**
 * A request of the organization that is refused, once it is in the log; its query holds a secret. The log keeps 60
 * requests a minute, which the other rows may have used up, so it is sent until one is kept.
 */
function refusedRequest(own: Platform['own'], path: { slug: string }) {
  return eventually(async () => {
    const { requestId } = (await own.send('GET', '/events/none?secret=a-secret')).body;
    return await eventually(async () => {
      const { data } = await own.call('identity.requests.list', { path, query: { requestId } });
      expect(data).toHaveLength(1);
      return data[0]!;
    }, 5_000);
  }, 75_000);
}

covers('requests.list', async ({ own, owner }) => {
  const path = { slug: await slugOf({ own }) };
  const request = await refusedRequest(own, path);
  expect(request).toMatchObject({ method: 'GET', path: '/events/none', status: 400, error: 'INPUT_INVALID' });
  const ids = async (query: Record<string, string>) =>
    (await owner.call('identity.requests.list', { path, query: { requestId: request.requestId, ...query } })).data.map(
      ({ id }) => id,
    );
  expect(await ids({ status: '4xx', method: 'GET', callerId: request.caller.id })).toEqual([request.id]);
  expect([await ids({ status: '5xx' }), await ids({ error: 'NOT_FOUND' })]).toEqual([[], []]);
  const { status, text } = await owner.attempt('identity.requests.list', { path, query: { status: '200' } });
  expect([status, text.includes('a-secret')]).toEqual([400, false]);
  expect(JSON.stringify(request)).not.toContain('a-secret');
});

covers('requests.read', async ({ own, other }) => {
  const path = { slug: await slugOf({ own }) };
  const request = await refusedRequest(own, path);
  const one = { ...path, requestId: request.requestId };
  expect(await own.call('identity.requests.read', { path: one })).toEqual(request);
  const elsewhere = { ...one, slug: await slugOf({ own: other }) };
  expect((await other.attempt('identity.requests.read', { path: elsewhere })).status).toBe(404);
});

covers('audit.permission', async ({ own }) => {
  const { id } = await own.call('identity.me.read', {});
  const scopes = ['svc:write', 'console.orgs.read', 'console.users.read'];
  const { token } = await own.call('identity.api-keys.create', { path: { id }, body: { name: 'A key', scopes } });
  const path = { slug: await slugOf({ own }) };
  const refused = await clientOf({ ...own, apiKey: token }).attempt('identity.audit.list', { path, query: {} });
  expect(refused).toMatchObject({ status: 403, body: { error: 'PERMISSION_DENIED' } });
  expect(refused.body.message).toContain('console.audit.read');
});
