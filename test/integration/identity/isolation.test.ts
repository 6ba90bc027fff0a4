import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import type { InvoiceDocument } from '../../../models/billing/invoice.ts';
import { composeDraft } from '../../../services/billing/invoices/issue-invoice.ts';
import { newUser } from '../../../services/identity/accounts/new-user.ts';
import type { Client, Headers } from '../../support/client.ts';
import { eventOf, newCustomerId } from '../../support/events.ts';
import { type ErrorBody, send } from '../../support/http.ts';
import { connect, newTemplate, untilStatus } from '../../support/notifications.ts';
import { createOAuthClient } from '../../support/oauth-database-client.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { storageOf } from '../../support/storage-client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { untilSettled } from '../../support/until-settled.ts';
import { newUserClient, type User } from '../../support/user-client.ts';
import { newVisitor, openSite } from '../../support/widget-client.ts';

/** Everything an organization can have, and the ids by which it is addressed. */
type Party = {
  tenant: Client & Tenant;
  owner: Client & User;
  slugs: { organization: string; application: string };
  ids: Record<string, string>;
};

type Operation = {
  method: string;
  path: string;
  operationId: string;
  security: Record<string, unknown>[];
  /** Of a listener that is not the gateway's. */
  servers?: { url: string }[];
};

let victim: Party;
let stranger: Party;
let operations: Operation[];

beforeAll(async () => {
  [victim, stranger] = await Promise.all([newParty(), newParty()]);
  // Paths of the protocol take the credentials of clients, and those of widgets the tokens of visitors, which
  // test/integration/connect/widget.test.ts keeps apart; a logo is for everybody, by test/integration/identity/brand.test.ts.
  const others = /^(?:(?:oauth|connect\.widget)\.|identity\.logo\.read$)/;
  operations = (await readOperations()).filter(({ operationId }) => !others.test(operationId));
});

async function newParty(): Promise<Party> {
  const databaseUrl = await databaseUrlOf(await sharedPlatform());
  const tenant = await newTenantClient();
  const owner = await newUserClient({ orgId: tenant.orgId });
  const { clientId } = await createOAuthClient(databaseUrl, tenant, { redirectUris: ['https://app.example.com/cb'] });
  const customerId = newCustomerId();
  const event = eventOf(tenant.orgId, { actor: { type: 'customer', id: customerId } });
  await tenant.call('context.events.create', { body: event });
  const contact = await owner.call('identity.contacts.create', {
    body: { type: 'chatapp', value: `@${owner.userId}` },
  });
  const address = await owner.call('identity.addresses.create', {
    body: { type: 'home', addressLine: 'A street', city: 'A city', state: 'A state', postalCode: '1', country: 'DE' },
  });
  const slugs = { organization: tenant.orgId.replace('_', '-'), application: tenant.applicationId.replace('_', '-') };
  const invitation = await owner.call('identity.invitations.create', {
    path: { slug: slugs.organization },
    body: { email: `${newId('usr').replace('_', '-')}@example.com`, role: 'member' },
  });
  const ids = {
    ...(await newAccess(tenant, owner)),
    ...(await newObject(tenant)),
    ...(await newMail(tenant)),
    ...(await newNotification(tenant)),
    ...(await newConversation(tenant)),
    invoiceId: await newInvoice(databaseUrl, tenant.orgId),
    provider: 'test',
    // Of a scheduled job.
    name: 'identity.sessions',
    customerId,
    eventId: event.eventId,
    contactId: contact.contactId,
    addressId: address.addressId,
    invitationId: invitation.id,
    recordId: await newestRecord(tenant, slugs.organization),
    requestId: await newFailedRequest(tenant, slugs.organization),
    clientId,
    keyId: tenant.keyId,
    applicationId: tenant.applicationId,
    userId: owner.userId,
    sessionId: owner.sessionId,
    token: 'A'.repeat(43),
  };
  await untilSettled(databaseUrl, tenant.orgId);
  return { tenant, owner, slugs, ids };
}

/** A permission of the organization, a role that gives it, and that somebody has the role. */
async function newAccess({ call }: Client, { userId }: User): Promise<Record<string, string>> {
  const namespace = newId('obj').replace('_', '-');
  const key = `${namespace}.orders.read`;
  await call('access.permissions.register', { body: { namespace, permissions: [{ key }] } });
  const role = await call('access.roles.create', { body: { name: 'A role', permissions: [key] } });
  const { assignmentId } = await call('access.assignments.create', { body: { userId, roleId: role.id } });
  return { key, roleId: role.id, assignmentId };
}

/** A private bucket, and an object in it. */
async function newObject(tenant: Client): Promise<Record<string, string>> {
  const name = newId('bkt').replace('_', '-');
  await tenant.call('storage.buckets.create', { body: { name } });
  const objectKey = `${newId('obj')}/a.txt`;
  await (await storageOf(tenant)).put(name, objectKey, 'a text');
  return { bucketName: name, bucket: name, objectKey };
}

/** A template, a message of it that was sent, and a suppressed address. */
async function newMail({ call }: Client): Promise<Record<string, string>> {
  const template = await call('mail.templates.create', { body: { name: 'A template', subject: 'a', text: 'b' } });
  const body = { to: `${newId('req')}@example.com`, templateId: template.id };
  const { messageId } = await call('mail.messages.send', { body });
  const suppression = await call('mail.suppressions.create', { body: { address: `${newId('req')}@example.com` } });
  await eventually(async () => {
    expect(await call('mail.messages.read', { path: { messageId } })).toMatchObject({ status: 'sent' });
  });
  return { templateId: template.id, messageId, suppressionId: suppression.id };
}

/** A connected channel, a template, and a notification of it that was sent. */
async function newNotification(tenant: Client): Promise<Record<string, string>> {
  const channelId = await connect(tenant);
  const notificationTemplateId = await newTemplate(tenant);
  const body = {
    channel: 'chatapp' as const,
    recipientId: newId('req'),
    templateId: notificationTemplateId,
    variables: { name: 'Ada' },
  };
  const { notificationId } = await tenant.call('notification.notifications.send', { body });
  await untilStatus(tenant, notificationId, 'sent');
  return { channelId, notificationTemplateId, notificationId };
}

/** A conversation that a visitor of the organization's site has begun. */
async function newConversation(tenant: Client): Promise<Record<string, string>> {
  const { siteId } = await openSite(tenant);
  const visitor = await newVisitor(tenant);
  const { conversationId } = await visitor.say('hello');
  const { replyId } = await tenant.call('connect.replies.create', { body: { name: 'Hours', text: 'From 9 to 18' } });
  return { siteId, visitorId: visitor.visitorId, conversationId, attachmentId: newId('obj'), replyId };
}

/** A request that was refused. */
async function newFailedRequest(tenant: Client, slug: string): Promise<string> {
  const { requestId } = (await tenant.send('GET', '/events/none')).body;
  const path = { slug, requestId };
  await eventually(async () => expect((await tenant.attempt('identity.requests.read', { path })).status).toBe(200));
  return requestId;
}

/** The newest record of an organization's audit log. */
async function newestRecord(tenant: Client, slug: string): Promise<string> {
  const { data } = await tenant.call('identity.audit.list', { path: { slug }, query: { limit: '1' } });
  return data[0]!.id;
}

/** An invoice as it is stored once it was paid. */
async function newInvoice(databaseUrl: string, orgId: string): Promise<string> {
  const lines = [{ description: 'Pro, monthly', quantity: 1, unitAmount: 4900, period: null }];
  const party = { name: `Of ${orgId}`, address: [], taxId: null };
  const issuer = { seller: party, prefix: '', taxRate: null };
  const draft = composeDraft({ orgId, key: 'of a test', currency: 'eur', buyer: party, lines }, issuer);
  const at = draft.createdAt;
  const numbered = { series: orgId, sequence: 1, number: `${orgId}-000001` };
  const paid = { ...numbered, status: 'paid' as const, issuedAt: at, paidAt: at };
  await withDatabase(databaseUrl, (database) =>
    database.collection<InvoiceDocument>('billing_invoices').insertOne({ ...draft, ...paid }),
  );
  return draft._id;
}

async function readOperations(): Promise<Operation[]> {
  const { url } = await sharedPlatform();
  const { body } = await send<{ paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>> }>(url, {
    path: '/openapi.json',
  });
  return Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
  );
}

/** What `id` stands for in the paths of a folder. */
const idsOf = [
  ['/applications/', 'applicationId'],
  ['/v1/conversations/', 'conversationId'],
  ['/access/roles/', 'roleId'],
  ['/identity/me/sessions/', 'sessionId'],
] as const;

/** The path with the ids of a party in it; a parameter that is not known here fails the test, so that none is missed. */
function pathOf({ path }: Operation, { tenant, slugs, ids }: Party): string {
  return path.replace(/\{(\w+)\}/g, (_place, name: string) => {
    if (name === 'slug') return path.startsWith('/organizations') ? slugs.organization : slugs.application;
    if (name === 'id') return ids[idsOf.find(([folder]) => path.startsWith(folder))![1]]!;
    if (name === 'templateId' && path.startsWith('/v1/notifications')) return ids.notificationTemplateId!;
    const isObject = name === 'key' && /^\/(?:v1\/objects|cdn)\//.test(path);
    const id = name === 'orgId' ? tenant.orgId : ids[isObject ? 'objectKey' : name];
    if (id === undefined) throw new Error(`${path}: this test knows no ${name}; add one to what a party has.`);
    return id;
  });
}

/** A body that the operation takes, so that what is refused is refused for whom it asks about. */
const bodies: Record<string, (party: Party) => unknown> = {
  'access.check': questionAbout,
  'access.check-batch': (party) => ({ checks: [questionAbout(party)] }),
  'access.explain': questionAbout,
  'access.permissions.register': () => ({ namespace: 'shop', permissions: [{ key: 'shop.orders.read' }] }),
  'access.roles.create': ({ ids }) => ({ name: 'A role', permissions: [ids.key] }),
  'access.roles.update': () => ({ name: 'Another name' }),
  'access.assignments.create': ({ tenant: { orgId }, ids: { userId, roleId } }) => ({
    userId,
    roleId,
    context: { orgId },
  }),
  'billing.checkouts.open': () => ({
    plan: 'pro',
    billingCycle: 'monthly',
    successUrl: '/account',
    cancelUrl: '/account',
  }),
  'billing.subscription.cancel': () => ({ reason: 'No need' }),
  'connect.agents.add': ({ ids }) => ({ userId: ids.userId }),
  'connect.attachments.create': () => ({ fileName: 'a.txt', mimeType: 'text/plain', size: 1 }),
  'connect.blocks.create': ({ ids }) => ({ visitorId: ids.visitorId }),
  'connect.conversations.looking': () => ({ looking: true }),
  'connect.conversations.read-up-to': () => ({ seq: 1 }),
  'connect.conversations.update': () => ({ status: 'closed' }),
  'connect.messages.create': () => ({ text: 'hi' }),
  'connect.notes.create': () => ({ text: 'hi' }),
  'connect.replies.create': () => ({ name: 'A reply', text: 'hi' }),
  'connect.replies.update': () => ({ text: 'hello' }),
  'connect.settings.write': () => ({ greeting: 'Hello' }),
  'connect.sites.create': () => ({ name: 'Shop' }),
  'connect.sites.update': () => ({ greeting: 'Hello' }),
  'context.events.create': ({ tenant }) => eventOf(tenant.orgId),
  'context.events.create-batch': ({ tenant }) => ({ events: [eventOf(tenant.orgId)] }),
  'context.story.merge': ({ ids }) => ({ customerId: `${ids.customerId}-other` }),
  'mail.messages.send': ({ ids }) => ({ to: 'ada@example.com', templateId: ids.templateId }),
  'mail.templates.create': () => ({ name: 'A template', subject: 'a', text: 'b' }),
  'mail.templates.update': () => ({ subject: 'another' }),
  'mail.templates.preview': () => ({}),
  'mail.templates.publish': () => ({}),
  'mail.templates.test': () => ({ to: 'ada@example.com' }),
  'mail.settings.write': () => ({ fromName: 'Another name' }),
  'notification.channels.create': () => ({ channel: 'phone', provider: 'mailbox' }),
  'notification.channels.update': () => ({ priority: 1 }),
  'notification.channels.test': () => ({ recipientId: 'ada' }),
  'notification.templates.create': () => ({ name: 'A template', text: 'a' }),
  'notification.templates.update': () => ({ text: 'another' }),
  'notification.templates.preview': () => ({}),
  'notification.templates.publish': () => ({}),
  'notification.templates.test': () => ({ channel: 'chatapp', recipientId: 'ada' }),
  'notification.notifications.send': ({ ids }) => ({
    channel: 'chatapp',
    recipientId: 'ada',
    templateId: ids.notificationTemplateId,
    variables: { name: 'Ada' },
  }),
  'mail.suppressions.create': () => ({ address: 'ada@example.com' }),
  'storage.buckets.create': () => ({ name: newId('bkt').replace('_', '-') }),
  'storage.buckets.update': () => ({ public: true }),
  'storage.objects.put': () => ({ a: 'text' }),
  'storage.objects.update': () => ({ public: false }),
  'storage.objects.copy': movement,
  'storage.objects.move': movement,
  'storage.objects.delete-many': ({ ids }) => ({ bucket: ids.bucket, keys: [ids.objectKey] }),
  'storage.presign.upload': ({ ids }) => ({ bucket: ids.bucket, key: 'a.txt', mimeType: 'text/plain' }),
  'storage.presign.download': ({ ids }) => ({ bucket: ids.bucket, key: ids.objectKey }),
  'identity.api-keys.create': () => ({ name: 'A key', scopes: ['svc:read'] }),
  'identity.applications.create': () => ({ name: 'An application', slug: newId('app').replace('_', '-') }),
  'identity.applications.update': () => ({ name: 'Another name' }),
  'identity.oauth-clients.create': () => ({
    grantTypes: ['client_credentials'],
    redirectUris: [],
    scopes: ['context.story.read'],
  }),
  'identity.organizations.create': () => ({ name: 'An organization', slug: newId('org').replace('_', '-') }),
  'identity.organizations.update': () => ({ name: 'Another name' }),
  'identity.invitations.create': () => ({ email: 'somebody@example.com', role: 'member' }),
  'identity.members.update': () => ({ role: 'member' }),
  'identity.security.update': () => ({ maxSessionHours: 1 }),
  'identity.me.update': () => ({ firstName: 'Ada' }),
  'identity.contacts.create': () => ({ type: 'photoapp', value: '@somebody' }),
  'identity.contacts.update': () => ({ value: '@somebody-else' }),
  'identity.addresses.create': () => ({
    type: 'home',
    addressLine: 'A street',
    city: 'A city',
    state: 'A state',
    postalCode: '1',
    country: 'DE',
  }),
  'identity.addresses.update': () => ({ city: 'Another city' }),
  'identity.accounts.change-password': () => ({ currentPassword: 'not the password', newPassword: 'another long one' }),
  'identity.accounts.change-login-email': ({ ids }) => ({
    contactId: ids.contactId,
    currentPassword: 'not the password',
  }),
};
/** Whose body names the organization, or what belongs to one. */
const namedByBody = new Set([
  'access.check',
  'access.check-batch',
  'access.explain',
  'access.assignments.create',
  'storage.presign.upload',
  'storage.presign.download',
  'storage.objects.copy',
  'storage.objects.move',
  'storage.objects.delete-many',
]);
const queries: Record<string, (party: Party) => string> = {
  'identity.organizations.remove': ({ slugs }) => `?confirm=${slugs.organization}`,
  'identity.users.list': ({ tenant }) => `?orgId=${tenant.orgId}`,
  'identity.users.list-sessions': ({ tenant }) => `?orgId=${tenant.orgId}`,
  'connect.blocks.delete': ({ ids }) => `?visitorId=${ids.visitorId}`,
  'context.story.resolve': ({ ids }) => `?q=${ids.customerId}`,
};

function questionAbout({ tenant: { orgId }, ids: { userId, key } }: Party): object {
  return { userId, permission: key, context: { orgId } };
}

function movement({ ids }: Party): object {
  const [bucket, key] = [ids.bucket, ids.objectKey];
  return { from: { bucket, key }, to: { bucket, key: 'b.txt' } };
}

const callers = ['key', 'owner'] as const;
/** Sessions are credentials at the gateway alone. */
const callersOf = ({ servers }: Operation): readonly (typeof callers)[number][] => (servers ? ['key'] : callers);
const clientOf = ({ tenant, owner }: Party, caller: (typeof callers)[number]): Client =>
  caller === 'key' ? tenant : owner;

/** A stream of events, whose channel names the organization of the credential. */
const endless = 'connect.stream';

/** What would end the caller's own account or key if the platform did what is asked; asked on behalf of nobody else. */
const aboutOneself = new Set(['identity.me.remove', 'identity.sessions.revoke-others']);

function ask(operation: Operation, caller: Client, about: Party, headers: Headers = {}) {
  const { method, operationId, servers } = operation;
  const path = `${pathOf(operation, about)}${queries[operationId]?.(about) ?? ''}`;
  const body = ['POST', 'PUT', 'PATCH'].includes(method) ? bodies[operationId]?.(about) : undefined;
  // What services ask for; a caller who names another organization is one of the tests.
  const tenant = { 'x-tenant-id': stranger.tenant.orgId };
  return caller.send<ErrorBody>(method, `${servers?.[0]?.url ?? ''}${path}`, body, { ...tenant, ...headers });
}

/** Every text by which a party could be recognised. */
function tracesOf({ tenant, owner, slugs, ids }: Party): string[] {
  const { token, provider, ...own } = ids;
  const known = [tenant.orgId, tenant.applicationId, tenant.keyId, tenant.apiKey, owner.email, owner.sessionToken];
  return [...known, ...Object.values(own), ...Object.values(slugs)];
}

function expectNoTrace(text: string, asked: string): void {
  const traces = tracesOf(victim).filter((trace) => !asked.includes(trace) && text.includes(trace));
  expect(traces).toEqual([]);
}

/** The paths of an organization's failed requests. */
async function askedBy({ tenant, slugs }: Party): Promise<string> {
  const { data } = await tenant.call('identity.requests.list', {
    path: { slug: slugs.organization },
    query: { limit: '100' },
  });
  return data.map(({ path }) => path).join(' ');
}

/** What is stored about an organization, but for what being asked leaves behind, and what scheduled jobs write. */
async function storedOf({ tenant, owner, ids }: Party): Promise<unknown> {
  return withDatabase(await databaseUrlOf(await sharedPlatform()), async (database) => {
    const collections = (await database.listCollections().toArray()).map(({ name }) => name).sort();
    const stored: unknown[] = [];
    for (const name of collections.filter(
      (each) => !/audit|idempotency|scheduled|attempts|key_uses|failed_requests|retentions|recounts/.test(each),
    )) {
      const about = {
        $or: [{ orgId: tenant.orgId }, { _id: { $in: [tenant.orgId, owner.userId, ids.sessionId] as never } }],
      };
      const documents = await database.collection(name).find(about).sort({ _id: 1 }).toArray();
      // Another test may make the collection meanwhile.
      if (documents.length > 0)
        stored.push([name, documents.map(({ lastUsedAt, isChanged, ...document }) => document)]);
    }
    return JSON.parse(JSON.stringify(stored));
  });
}

describe('an organization and its people', () => {
  test('are out of reach of every endpoint for another organization’s credentials', async () => {
    const before = await storedOf(victim);
    const wrong: string[] = [];
    for (const operation of operations) {
      if (!isAddressed(operation) && !(operation.operationId in queries)) continue;
      for (const caller of callersOf(operation)) {
        const answer = await ask(operation, clientOf(stranger, caller), victim);
        if (![403, 404].includes(answer.status) && !isPublicStep(operation, answer.status)) {
          wrong.push(`${operation.method} ${operation.path} by ${caller}: ${answer.status} ${answer.text}`);
        }
        expectNoTrace(answer.text, pathOf(operation, victim) + (queries[operation.operationId]?.(victim) ?? ''));
      }
    }
    expect(wrong).toEqual([]);
    expect(await storedOf(victim)).toEqual(before);
  });

  test('cannot be told from none: the answers are the same as for ids that nobody has', async () => {
    const nobody = withOtherIds(victim);
    const different: string[] = [];
    for (const operation of operations.filter(isAddressed)) {
      for (const caller of callersOf(operation)) {
        const client = clientOf(stranger, caller);
        const headers = { 'x-request-id': 'the-same' };
        const [theirs, nobodys] = [
          await ask(operation, client, victim, headers),
          await ask(operation, client, nobody, headers),
        ];
        if (theirs.status === nobodys.status && theirs.text === nobodys.text) continue;
        different.push(`${operation.method} ${operation.path} by ${caller}: ${theirs.text} / ${nobodys.text}`);
      }
    }
    expect(different).toEqual([]);
  });

  test('leave no trace in what another organization is answered about itself', async () => {
    for (const operation of operations.filter(({ operationId }) => !aboutOneself.has(operationId))) {
      if (operation.method !== 'GET' || operation.operationId === endless) continue;
      for (const caller of callersOf(operation)) {
        const answer = await ask(operation, clientOf(stranger, caller), stranger);
        // The stranger's failed requests have the paths that the stranger asked for.
        const asked = operation.operationId === 'identity.requests.list' ? await askedBy(stranger) : '';
        expectNoTrace(answer.text, asked);
      }
    }
  });

  test('cannot be named in x-tenant-id', async () => {
    for (const operation of operations.filter(({ security }) => security.length > 0)) {
      if (aboutOneself.has(operation.operationId)) continue;
      for (const caller of callersOf(operation)) {
        const headers = { 'x-tenant-id': victim.tenant.orgId };
        const answer = await ask(operation, clientOf(stranger, caller), stranger, headers);
        const name = `${operation.method} ${operation.path} by ${caller}`;
        // Some check the shape before the credential, as the specification orders it.
        expect([name, [400, 403].includes(answer.status)]).toEqual([name, true]);
      }
    }
  });

  test('share a customer’s id, an application’s name and a person’s name without meeting', async () => {
    const customerId = newCustomerId();
    for (const [party, name] of [
      [victim, 'Ada of the one'],
      [stranger, 'Ada of the other'],
    ] as const) {
      const payload = { customer: { name, email: 'ada@example.com' } };
      const event = eventOf(party.tenant.orgId, { actor: { type: 'customer', id: customerId }, payload });
      await party.tenant.call('context.events.create', { body: event });
    }
    const story = await stranger.tenant.call('context.story.read', { path: { customerId }, query: {} });
    expect(JSON.stringify(story)).toContain('Ada of the other');
    expect(JSON.stringify(story)).not.toContain('Ada of the one');
  });
});

/** A payment provider tells what it signs, of whomever; nothing in the path is an organization's. */
const aboutNobody = 'billing.webhooks.receive';

/** Whether the path or the body says what the operation is about. */
function isAddressed({ path, operationId }: Operation): boolean {
  return operationId !== aboutNobody && (/\{/.test(path) || namedByBody.has(operationId));
}

/** Whoever is logged in may accept an invitation they were sent; a token that nobody was sent is 404 for everybody. */
function isPublicStep({ operationId }: Operation, status: number): boolean {
  return operationId === 'identity.invitations.accept' && status === 404;
}

/** A party of ids that are well-formed and belong to nobody. */
function withOtherIds(party: Party): Party {
  const user = newUser({ email: 'nobody@example.com', passwordHash: '' });
  const ids = Object.fromEntries(
    Object.entries(party.ids).map(([name, id]) => [
      name,
      id.includes('_') ? `${id.split('_')[0]}_${'0'.repeat(26)}` : id,
    ]),
  );
  return {
    tenant: { ...party.tenant, orgId: newId('org'), applicationId: newId('app') },
    owner: { ...party.owner, userId: user._id },
    slugs: { organization: 'nobody-has-this', application: 'nobody-has-this' },
    ids: { ...ids, customerId: newCustomerId(), key: 'nobody.has.this' },
  };
}
