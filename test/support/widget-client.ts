import { createHmac, randomUUID } from 'node:crypto';
import type { SystemRole } from '../../lib/contract/authorize.ts';
import type { CallOutput } from '../../lib/contract/context.ts';
import type { Client } from './client.ts';
import { type EventClient, listen } from './event-client.ts';
import { type Answer, type ErrorBody, send } from './http.ts';
import { newTenantClient } from './tenant-client.ts';
import type { Tenant, TenantOptions } from './tenants.ts';
import { newUserClient, type User } from './user-client.ts';

/** The page that embeds the widget in tests. */
export const shopOrigin = 'https://shop.example.com';

type Session = CallOutput<'connect.widget.create-session'>;
type Message = CallOutput<'connect.widget.create-message'>;
type Messages = CallOutput<'connect.widget.list-messages'>;
type Headers = Record<string, string>;

/** A visitor with a session, as the widget acts for them. */
export type Visitor = Session & {
  send<T = ErrorBody>(method: string, path: string, body?: unknown, headers?: Headers): Promise<Answer<T>>;
  /** Sends a message; throws unless it is accepted. */
  say(text: string, echoId?: string): Promise<Message>;
  read(query?: string): Promise<Messages>;
  listen(): Promise<EventClient>;
};

/** An organization with a site that pages of {@link shopOrigin} may embed. */
export async function newShop(options: TenantOptions = {}): Promise<Client & Tenant & { siteId: string }> {
  const tenant = await newTenantClient({ plan: 'scale', ...options });
  const { siteId } = await openSite(tenant);
  return { ...tenant, siteId };
}

export async function openSite(tenant: Client): Promise<CallOutput<'connect.settings.write'>> {
  return await tenant.call('connect.settings.write', { body: { allowedOrigins: [shopOrigin] } });
}

/** POST /v1/widget/sessions, from a page of the shop. */
export function askForSession<T = Session & ErrorBody>(
  url: string,
  body: object,
  headers: Headers = {},
): Promise<Answer<T>> {
  const sent = { 'content-type': 'application/json', origin: shopOrigin, ...headers };
  return send<T>(url, { method: 'POST', path: '/v1/widget/sessions', headers: sent, body: JSON.stringify(body) });
}

/** A visitor of an organization's site; `former` continues that visitor's session. */
export async function newVisitor(
  { url, orgId }: { url: string; orgId: string },
  about: object = {},
  former?: Visitor,
): Promise<Visitor> {
  const headers: Headers = former ? { authorization: `Bearer ${former.visitorToken}` } : {};
  const { status, body, text } = await askForSession<Session>(url, { tenantId: orgId, ...about }, headers);
  if (status !== 200) throw new Error(`No session was begun: ${status} ${text}`);
  return visitorOf(url, body);
}

export function visitorOf(url: string, session: Session): Visitor {
  const authorization = `Bearer ${session.visitorToken}`;
  const own: Visitor['send'] = (method, path, body, headers = {}) =>
    send(url, {
      method,
      path,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return {
    ...session,
    send: own,
    async say(text, echoId = randomUUID()) {
      const answer = await own<Message>('POST', '/v1/widget/messages', { text, echoId });
      if (answer.status !== 200) throw new Error(`The message was answered ${answer.status}: ${answer.text}`);
      return answer.body;
    },
    read: async (query = '?after=0') => (await own<Messages>('GET', `/v1/widget/messages${query}`)).body,
    listen: () => listen(url, '/v1/widget/stream', { authorization }),
  };
}

export type SignedUser = { id: string; email?: string; name?: string; issuedAt: string };

/** The hash with which a website's server signs a user. */
export function signUser(secret: string, { id, email = '', issuedAt }: SignedUser): string {
  return createHmac('sha256', secret).update(`${id}\n${email}\n${issuedAt}`).digest('hex');
}

/** A user of a website with the signature of its server, for a session. */
export function signedBy(secret: string, user: Partial<SignedUser> = {}): { user: SignedUser; userHash: string } {
  const whole = { id: `C-${randomUUID()}`, issuedAt: new Date().toISOString(), ...user };
  return { user: whole, userHash: signUser(secret, whole) };
}

/** A member of the organization, with a client that names it. */
export async function newMember(tenant: Client, role: SystemRole = 'member'): Promise<Client & User> {
  const user = await newUserClient({ orgId: tenant.orgId, role });
  const headers = { 'x-tenant-id': tenant.orgId };
  return {
    ...user,
    orgId: tenant.orgId,
    attempt: (name, parts, sent) => user.attempt(name, parts, { ...headers, ...sent }),
    send: (method, path, body, sent) => user.send(method, path, body, { ...headers, ...sent }),
    call: (name, input, sent) => user.call(name, input, { ...headers, ...sent }),
  };
}

/** A member of the organization who is an agent. */
export async function newAgent(
  tenant: Client,
  { displayName = 'Grace' }: { displayName?: string | null } = {},
): Promise<Client & User> {
  const member = await newMember(tenant);
  await tenant.call('connect.agents.add', { body: { userId: member.userId, displayName } });
  return member;
}
