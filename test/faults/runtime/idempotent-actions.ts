import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type mongoose from 'mongoose';
import { newId } from '../../../lib/data/ids.ts';
import { type Client, clientOf } from '../../support/client.ts';
import { eventOf } from '../../support/events.ts';
import { storageUrlOf } from '../../support/storage-client.ts';
import { createTenant, type Tenant, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { createUser, sessionClientOf, type User } from '../../support/user-client.ts';
import { askForSession, newVisitor, shopOrigin, signedBy } from '../../support/widget-client.ts';

/*
 * Each action that honours an Idempotency-Key, as a request of an organization of its own; the write that is its work;
 * and what it may make once.
 */

export type Party = {
  url: string;
  databaseUrl: string;
  tenant: Client & Tenant;
  owner: Client & User;
  /** The slugs of the tenant's organization and application. */
  slug: string;
  applicationSlug: string;
  find: (collection: string, filter?: object) => Promise<Record<string, unknown>[]>;
};

type Body = Record<string, unknown>;
export type Request = { client: 'tenant' | 'owner'; path: string; body?: Body };

export type IdempotentAction = {
  /** Its name, and what is special about the request. */
  name: string;
  /** The write, and a text that this request's write holds and no other does. */
  write: string;
  mark: (party: Party, request: Request) => string;
  request: (party: Party) => Promise<Request> | Request;
  /** What was made by the request; one thing, however often it is repeated. */
  made: (party: Party, request: Request) => Promise<unknown[]>;
  /** The act that is recorded of it, once; null for none. */
  act: string | null;
  /** Expects that the answer is of use. */
  check?: (party: Party, answer: Body, request: Request) => Promise<void>;
};

export async function newParty(url: string, databaseUrl: string): Promise<Party> {
  const made = await createTenant(databaseUrl);
  const { orgId, applicationId } = made;
  const user = await createUser(databaseUrl, { orgId });
  return {
    url,
    databaseUrl,
    tenant: { ...made, ...clientOf({ url, ...made }) },
    owner: { ...sessionClientOf(url, user.sessionToken), ...user },
    slug: orgId.replace('_', '-'),
    applicationSlug: applicationId.replace('_', '-'),
    find: (collection, filter = { orgId }) =>
      withDatabase(databaseUrl, (database) =>
        database
          .collection(collection)
          .find(filter as mongoose.mongo.Filter<mongoose.mongo.BSON.Document>)
          .toArray(),
      ),
  };
}

const newSlug = () => newId('app').replace('_', '-');
const newEmail = () => `${randomUUID()}@example.com`;
const orgOf = ({ tenant }: Party) => tenant.orgId;
const userOf = ({ owner }: Party) => owner.userId;

async function userList(party: Party, field: 'contacts' | 'addresses'): Promise<Body[]> {
  const [user] = await party.find('identity_users', { _id: userOf(party) });
  return user![field] as Body[];
}

/** Of one kind, in the order of the log. */
async function changesOf(party: Party, kind: string): Promise<Body[]> {
  const changes = await party.find('access_changes');
  return changes.flatMap(({ change }) => ((change as Body).kind === kind ? [change as Body] : []));
}

const oauthClient = { grantTypes: ['client_credentials'], scopes: ['svc:read'] };

async function expectSecretToWork({ url }: Party, { clientId, clientSecret }: Body): Promise<void> {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const client = clientOf({ url, orgId: '', apiKey: '' });
  const body = 'grant_type=client_credentials&scope=svc:read';
  const headers = {
    authorization: `Basic ${basic}`,
    'content-type': 'application/x-www-form-urlencoded',
    'x-tenant-id': null,
  };
  expect((await client.send('POST', '/oauth2/token', body, headers)).status).toBe(200);
}

async function mailsTo(party: Party, to: string): Promise<Body[]> {
  return await party.find('mail_messages', { to });
}

/** Waits until a message is in the development mailbox, which keeps its content, and marks it as failed. */
async function failSent({ databaseUrl }: Party, collection: string, _id: string): Promise<void> {
  await eventually(() =>
    withDatabase(databaseUrl, async (database) => {
      const sent = { _id, status: 'sent' };
      const { matchedCount } = await database
        .collection<{ _id: string; status: string }>(collection)
        .updateOne(sent, { $set: { status: 'failed' } });
      if (matchedCount === 0) throw new Error(`${_id} is not sent yet.`);
    }),
  );
}

const repetitionsOf = (party: Party) => ({ orgId: orgOf(party), resentFrom: { $exists: true } });

const invitationPath = ({ slug }: Party) => `/organizations/${slug}/invitations`;

/** An answer to, or a note of, a conversation that a visitor has begun. */
async function answerOf({ url, tenant }: Party, kind: 'messages' | 'notes'): Promise<Request> {
  await tenant.send('PUT', '/v1/connect/settings', { allowedOrigins: [shopOrigin] });
  const visitor = await newVisitor({ url, orgId: tenant.orgId });
  const { conversationId } = await visitor.say('hello', 'first');
  return { client: 'tenant', path: `/v1/conversations/${conversationId}/${kind}`, body: { text: 'hi' } };
}

export const idempotentActions: IdempotentAction[] = [
  {
    name: 'identity.applications.create',
    write: 'insert identity_applications',
    mark: orgOf,
    request: () => ({ client: 'tenant', path: '/applications', body: { name: 'Shop', slug: newSlug() } }),
    made: (party, { body }) => party.find('identity_applications', { slug: body!.slug }),
    act: 'application.created',
  },
  {
    name: 'storage.buckets.create',
    write: 'insert storage_buckets',
    mark: orgOf,
    request: async ({ url }) => ({
      client: 'tenant',
      path: `${await storageUrlOf(url)}/v1/buckets`,
      body: { name: newSlug(), public: true },
    }),
    made: (party, { body }) => party.find('storage_buckets', { name: body!.name }),
    act: 'bucket.created',
  },
  {
    name: 'connect.sites.create',
    write: 'insert connect_sites',
    mark: orgOf,
    request: () => ({ client: 'tenant', path: '/v1/connect/sites', body: { name: 'Shop' } }),
    made: (party) => party.find('connect_sites'),
    act: 'site.created',
  },
  {
    name: 'connect.sites.create-secret',
    write: 'update connect_sites',
    mark: orgOf,
    async request({ tenant }) {
      const { body } = await tenant.send<Body>('GET', '/v1/connect/settings');
      return { client: 'tenant', path: `/v1/connect/sites/${body.siteId}/secret` };
    },
    made: (party) => party.find('connect_sites', { orgId: orgOf(party), secretOperation: { $ne: null } }),
    act: 'site.secret-created',
    async check({ url, tenant }, { secret, siteId }) {
      await tenant.send('PUT', '/v1/connect/settings', { allowedOrigins: [shopOrigin] });
      const body = { tenantId: tenant.orgId, siteId, ...signedBy(String(secret)) };
      expect((await askForSession(url, body)).status).toBe(200);
    },
  },
  {
    name: 'connect.agents.add',
    write: 'insert connect_agents',
    mark: orgOf,
    request: (party) => ({ client: 'tenant', path: '/v1/connect/agents', body: { userId: userOf(party) } }),
    made: (party) => party.find('connect_agents'),
    act: 'agent.added',
  },
  {
    name: 'connect.blocks.create',
    write: 'insert connect_blocks',
    mark: orgOf,
    request: () => ({ client: 'tenant', path: '/v1/connect/blocks', body: { customerId: 'C-1' } }),
    made: (party) => party.find('connect_blocks'),
    act: 'block.created',
  },
  {
    name: 'connect.replies.create',
    write: 'insert connect_replies',
    mark: orgOf,
    request: () => ({ client: 'tenant', path: '/v1/connect/replies', body: { name: 'Hours', text: 'From 9 to 18' } }),
    made: (party) => party.find('connect_replies'),
    act: 'saved-reply.created',
  },
  {
    name: 'connect.messages.create',
    write: 'update connect_conversations',
    mark: orgOf,
    request: (party) => answerOf(party, 'messages'),
    made: (party) => party.find('connect_conversations', { orgId: orgOf(party), lastSeq: 2 }),
    act: null,
  },
  {
    name: 'connect.notes.create',
    write: 'update connect_conversations',
    mark: orgOf,
    request: (party) => answerOf(party, 'notes'),
    made: (party) => party.find('connect_conversations', { orgId: orgOf(party), lastSeq: 2 }),
    act: null,
  },
  {
    name: 'identity.api-keys.create',
    write: 'insert identity_api_keys',
    mark: orgOf,
    request: ({ tenant }) => ({
      client: 'tenant',
      path: `/applications/${tenant.applicationId}/api-keys`,
      body: { name: 'once', scopes: ['svc:read'] },
    }),
    made: (party) => party.find('identity_api_keys', { orgId: orgOf(party), name: 'once' }),
    act: 'api-key.created',
    async check({ url, tenant: { orgId } }, { token }) {
      const client = clientOf({ url, orgId, apiKey: String(token) });
      expect((await client.send('GET', '/identity/me')).status).toBe(200);
    },
  },
  {
    name: 'identity.oauth-clients.create',
    write: 'insert identity_oauth_clients',
    mark: orgOf,
    request: ({ applicationSlug }) => ({
      client: 'tenant',
      path: `/applications/${applicationSlug}/oauth-client`,
      body: oauthClient,
    }),
    made: async (party) => (await party.find('identity_oauth_clients')).flatMap(({ secrets }) => secrets as unknown[]),
    act: 'oauth-client.created',
    check: expectSecretToWork,
  },
  {
    name: 'identity.oauth-clients.create, of a new secret',
    write: 'update identity_oauth_clients',
    mark: orgOf,
    async request({ tenant, applicationSlug }) {
      const path = `/applications/${applicationSlug}/oauth-client`;
      expect((await tenant.send('POST', path, oauthClient)).status).toBe(201);
      return { client: 'tenant', path, body: oauthClient };
    },
    made: async (party) => {
      const [client] = await party.find('identity_oauth_clients');
      return (client!.secrets as unknown[]).slice(1);
    },
    act: 'oauth-client.updated',
    check: expectSecretToWork,
  },
  {
    name: 'identity.organizations.create',
    write: 'insert identity_organizations',
    mark: (_party, { body }) => String(body!.slug),
    request: () => ({ client: 'owner', path: '/organizations', body: { name: 'Shop', slug: newSlug() } }),
    made: (party, { body }) => party.find('identity_organizations', { slug: body!.slug }),
    act: null,
    async check({ owner }, { slug, id }) {
      const read = await owner.send<{ role: string }>('GET', `/organizations/${slug}`, undefined, {
        'x-tenant-id': String(id),
      });
      expect(read).toMatchObject({ status: 200, body: { role: 'owner' } });
    },
  },
  {
    name: 'identity.contacts.create',
    write: 'update identity_users',
    mark: userOf,
    request: () => ({ client: 'owner', path: '/identity/me/contacts', body: { type: 'email', value: newEmail() } }),
    made: async (party, { body }) => (await userList(party, 'contacts')).filter(({ value }) => value === body!.value),
    act: 'contact.created',
  },
  {
    name: 'identity.addresses.create',
    write: 'update identity_users',
    mark: userOf,
    request: () => ({
      client: 'owner',
      path: '/identity/me/addresses',
      body: { type: 'home', addressLine: 'Street 1', city: 'Ulm', country: 'DE' },
    }),
    made: (party) => userList(party, 'addresses'),
    act: 'address.created',
  },
  {
    name: 'identity.accounts.send-verification',
    write: 'insert identity_mailed_tokens',
    mark: ({ owner }) => owner.email,
    async request(party) {
      const [contact] = await userList(party, 'contacts');
      return { client: 'owner', path: `/identity/me/contacts/${contact!.contactId}/verification` };
    },
    made: async (party) => {
      const links = await party.find('identity_mailed_tokens', { email: party.owner.email });
      // The mail is sent after the answer.
      const mails = await mailsTo(party, party.owner.email);
      return mails.length > 1 ? mails : links;
    },
    act: null,
  },
  {
    name: 'identity.users.send-recovery',
    write: 'insert identity_mailed_tokens',
    mark: ({ owner }) => owner.email,
    request: ({ owner }) => ({ client: 'tenant', path: `/identity/users/${owner.userId}/recovery` }),
    made: async (party) => {
      const links = await party.find('identity_mailed_tokens', { email: party.owner.email });
      // The mail is sent after the answer.
      const mails = await mailsTo(party, party.owner.email);
      return mails.length > 1 ? mails : links;
    },
    act: 'recovery.requested',
  },
  {
    name: 'identity.invitations.create',
    write: 'insert identity_invitations',
    mark: orgOf,
    request: (party) => ({
      client: 'tenant',
      path: invitationPath(party),
      body: { email: newEmail(), role: 'member' },
    }),
    made: (party) => party.find('identity_invitations'),
    act: 'invitation.created',
    async check(party, _answer, { body }) {
      const [[invitation], mails] = [await party.find('identity_invitations'), await mailsTo(party, `${body!.email}`)];
      expect(mails.map(({ key }) => key)).toEqual([`system:invitation:${invitation!.tokenHash}`]);
    },
  },
  {
    name: 'identity.invitations.resend',
    write: 'update identity_invitations',
    mark: orgOf,
    async request(party) {
      const email = newEmail();
      const made = await party.tenant.send<Body>('POST', invitationPath(party), { email, role: 'member' });
      return { client: 'tenant', path: `${invitationPath(party)}/${made.body.id}/resend` };
    },
    made: async (party) => {
      const [invitation] = await party.find('identity_invitations');
      const mails = await mailsTo(party, `${invitation!.email}`);
      const newest = mails.filter(({ key }) => key === `system:invitation:${invitation!.tokenHash}`);
      return mails.length > 2 ? mails : newest;
    },
    act: 'invitation.resent',
  },
  {
    name: 'access.roles.create',
    write: 'insert access_changes',
    mark: orgOf,
    request: () => ({
      client: 'tenant',
      path: '/access/roles',
      body: { name: 'Clerk', permissions: ['context.story.read'] },
    }),
    made: (party) => changesOf(party, 'roleStored'),
    act: 'role.created',
    async check({ tenant }, { id }) {
      expect((await tenant.send('GET', `/access/roles/${id}`)).status).toBe(200);
    },
  },
  {
    name: 'access.permissions.register',
    write: 'insert access_changes',
    mark: orgOf,
    request: () => ({
      client: 'tenant',
      path: '/access/permissions',
      body: { namespace: 'shop', permissions: [{ key: 'shop.orders.read', description: 'Read orders' }] },
    }),
    made: (party) => changesOf(party, 'permissionsRegistered'),
    act: 'permission.registered',
  },
  {
    name: 'access.assignments.create',
    write: 'insert access_changes',
    mark: orgOf,
    async request({ tenant }) {
      const role = { name: 'Clerk', permissions: ['context.story.read'] };
      const made = await tenant.send<{ id: string }>('POST', '/access/roles', role);
      const body = { applicationId: tenant.applicationId, roleId: made.body.id };
      return { client: 'tenant', path: '/access/assignments', body };
    },
    made: (party) => changesOf(party, 'assignmentStored'),
    act: 'assignment.created',
  },
  {
    name: 'billing.checkouts.open',
    write: 'insert billing_checkouts',
    mark: orgOf,
    request: ({ tenant: { orgId } }) => ({
      client: 'tenant',
      path: `/v1/orgs/${orgId}/checkout`,
      body: { plan: 'pro', billingCycle: 'monthly', successUrl: '/account', cancelUrl: '/account' },
    }),
    made: (party) => party.find('billing_checkouts'),
    act: 'checkout.opened',
    async check(party, { sessionId }) {
      expect(await party.find('billing_checkouts')).toMatchObject([{ _id: sessionId, isReady: true, status: 'open' }]);
    },
  },
  {
    name: 'context.events.create',
    write: 'insert context_events',
    mark: orgOf,
    request: ({ tenant: { orgId } }) => ({ client: 'tenant', path: '/events', body: eventOf(orgId) }),
    made: (party) => party.find('context_events'),
    act: null,
  },
  {
    name: 'context.events.create-batch',
    write: 'insert context_events',
    mark: orgOf,
    request: ({ tenant: { orgId } }) => ({
      client: 'tenant',
      path: '/events/batch',
      body: { events: [eventOf(orgId)] },
    }),
    made: (party) => party.find('context_events'),
    act: null,
    check(_party, { results }) {
      expect(results).toMatchObject([{ status: 'accepted' }]);
      return Promise.resolve();
    },
  },
  {
    name: 'mail.templates.create',
    write: 'insert mail_templates',
    mark: orgOf,
    request: () => ({ client: 'tenant', path: '/v1/mail/templates', body: { name: 'Once', subject: 'a', text: 'b' } }),
    made: (party) => party.find('mail_templates'),
    act: 'mail-template.created',
  },
  {
    name: 'mail.messages.send',
    write: 'insert mail_messages',
    mark: orgOf,
    request: async (party) => ({
      client: 'tenant',
      path: '/v1/mail/send',
      body: { to: 'ada@example.com', templateId: await newTemplate(party) },
    }),
    made: (party) => party.find('mail_messages'),
    act: null,
  },
  {
    name: 'mail.messages.resend',
    write: 'insert mail_messages',
    mark: orgOf,
    async request(party) {
      const body = { to: newEmail(), templateId: await newTemplate(party) };
      const { messageId } = await party.tenant.call('mail.messages.send', { body });
      await failSent(party, 'mail_messages', messageId);
      return { client: 'tenant', path: `/v1/mail/messages/${messageId}/resend` };
    },
    made: (party) => party.find('mail_messages', repetitionsOf(party)),
    act: 'mail.resent',
  },
  {
    name: 'mail.templates.test',
    write: 'insert mail_messages',
    mark: orgOf,
    request: async (party) => ({
      client: 'tenant',
      path: `/v1/mail/templates/${await newTemplate(party)}/test`,
      body: { to: 'ada@example.com' },
    }),
    made: (party) => party.find('mail_messages'),
    act: null,
  },
  {
    name: 'notification.channels.create',
    write: 'insert notification_connections',
    mark: orgOf,
    request: () => ({ client: 'tenant', path: '/v1/notifications/channels', body: mailboxChannel }),
    made: (party) => party.find('notification_connections'),
    act: 'notification-channel.connected',
  },
  {
    name: 'notification.channels.test',
    write: 'insert notification_messages',
    mark: orgOf,
    request: async ({ tenant }) => {
      const { id } = await tenant.call('notification.channels.create', { body: mailboxChannel });
      return { client: 'tenant', path: `/v1/notifications/channels/${id}/test`, body: { recipientId: 'ada' } };
    },
    made: (party) => party.find('notification_messages'),
    act: null,
  },
  {
    name: 'notification.templates.create',
    write: 'insert notification_templates',
    mark: orgOf,
    request: () => ({ client: 'tenant', path: '/v1/notifications/templates', body: { name: 'Once', text: 'a' } }),
    made: (party) => party.find('notification_templates'),
    act: 'notification-template.created',
  },
  {
    name: 'notification.notifications.send',
    write: 'insert notification_messages',
    mark: orgOf,
    request: async (party) => ({
      client: 'tenant',
      path: '/v1/notifications/send',
      body: { channel: 'chatapp', recipientId: 'ada', templateId: await newNotificationTemplate(party) },
    }),
    made: (party) => party.find('notification_messages'),
    act: null,
  },
  {
    name: 'notification.notifications.resend',
    write: 'insert notification_messages',
    mark: orgOf,
    async request(party) {
      const templateId = await newNotificationTemplate(party);
      const body = { channel: 'chatapp' as const, recipientId: 'ada', templateId };
      const { notificationId } = await party.tenant.call('notification.notifications.send', { body });
      await failSent(party, 'notification_messages', notificationId);
      return { client: 'tenant', path: `/v1/notifications/${notificationId}/resend` };
    },
    made: (party) => party.find('notification_messages', repetitionsOf(party)),
    act: 'notification.resent',
  },
  {
    name: 'notification.templates.test',
    write: 'insert notification_messages',
    mark: orgOf,
    request: async (party) => ({
      client: 'tenant',
      path: `/v1/notifications/templates/${await newNotificationTemplate(party)}/test`,
      body: { channel: 'chatapp', recipientId: 'ada' },
    }),
    made: (party) => party.find('notification_messages'),
    act: null,
  },
  {
    name: 'mail.suppressions.create',
    write: 'insert mail_suppressions',
    mark: orgOf,
    request: () => ({ client: 'tenant', path: '/v1/mail/suppressions', body: { address: 'ada@example.com' } }),
    made: (party) => party.find('mail_suppressions'),
    act: 'mail-suppression.created',
  },
  {
    name: 'identity.operator.jobs.run',
    write: 'update scheduled_jobs',
    mark: () => runNow,
    async request(party) {
      await withDatabase(party.databaseUrl, (database) =>
        database
          .collection<{ _id: string }>('identity_users')
          .updateOne({ _id: userOf(party) }, { $set: { isOperator: true } }),
      );
      return { client: 'owner', path: `/operator/jobs/${runNow}/run` };
    },
    made: (party) =>
      party.find('identity_audit_records', {
        orgId: 'platform',
        action: 'job.requested',
        'actor.id': userOf(party),
      }),
    act: null,
  },
];

/** A job of each day, which nothing but a request runs meanwhile. */
const runNow = 'identity.signing-keys';

const mailboxChannel = { channel: 'chatapp', provider: 'mailbox' } as const;

/** A template, and a channel to send it on. */
async function newNotificationTemplate({ tenant }: Party): Promise<string> {
  await tenant.call('notification.channels.create', { body: mailboxChannel });
  return (await tenant.call('notification.templates.create', { body: { name: 'A template', text: 'a' } })).id;
}

async function newTemplate({ tenant }: Party): Promise<string> {
  const { id } = await tenant.call('mail.templates.create', { body: { name: 'A template', subject: 'a', text: 'b' } });
  return id;
}

/** How often an act of this kind was recorded for the organization. */
export async function countActs(party: Party, action: string): Promise<number> {
  return (await party.find('identity_audit_records', { orgId: orgOf(party), action })).length;
}
