import { randomBytes } from 'node:crypto';
import { PlatformError } from 'platform-sdk';
import { pacedFetch } from '../shop-backend/platform/pace.ts';
import { findIn, type Organization, type Step, valuesOf } from './organization.ts';
import { newVisitor, type Visitor } from './visitor.ts';

type Colleague = { email: string; firstName: string; lastName: string; roles: readonly string[] };

/** The invited people who accept, and the roles of the roastery that they have besides the one of the invitation. */
const colleagues: readonly Colleague[] = [
  { email: 'amara.diallo@example.com', firstName: 'Amara', lastName: 'Diallo', roles: [] },
  { email: 'bruno.keller@example.com', firstName: 'Bruno', lastName: 'Keller', roles: ['Roaster'] },
  { email: 'chiara.ricci@example.com', firstName: 'Chiara', lastName: 'Ricci', roles: ['Customer support'] },
  { email: 'daniel.osei@example.com', firstName: 'Daniel', lastName: 'Osei', roles: ['Roaster'] },
  { email: 'elif.yilmaz@example.com', firstName: 'Elif', lastName: 'Yılmaz', roles: ['Customer support', 'Roaster'] },
];
/** Answers the visitors of the website. */
const agentEmail = 'chiara.ricci@example.com';

export type Joined = {
  step: Step;
  /** The password of the members who joined in this run; null if none did. */
  password: string | null;
  /** The user id of the member who answers visitors; null if they have not joined, or the plan has no seat left. */
  agentId: string | null;
};

/**
 * Makes the colleagues members, with their roles. Each accepts their invitation by the link in their mail.
 *
 * @param mailbox - the address of the mailbox for development with its token; null leaves the invitations open.
 */
export async function joinTeam(organization: Organization, mailbox: string | null): Promise<Joined> {
  const members = await membersOf(organization);
  const missing = colleagues.filter(({ email }) => !members.has(email));
  const password = randomBytes(12).toString('base64url');
  const added = mailbox === null ? 0 : await acceptInvitations(organization, { mailbox, people: missing, password });
  const present = added === 0 ? members : await membersOf(organization);
  for (const { email, roles } of colleagues) {
    const userId = present.get(email);
    if (userId !== undefined) await assignRoles(organization, userId, roles);
  }
  const userId = present.get(agentEmail);
  return {
    step: { what: 'members', total: colleagues.length, added, where: `${organization.console}/users` },
    password: added === 0 ? null : password,
    agentId: userId === undefined ? null : await makeAgent(organization, userId),
  };
}

/** The user ids of the members by their login addresses. */
async function membersOf({ client, slug }: Organization): Promise<Map<string, string>> {
  const members = new Map<string, string>();
  for await (const { email, userId } of client.list('/organizations/{slug}/members', { path: { slug } })) {
    if (email !== null) members.set(email, userId);
  }
  return members;
}

type Acceptance = { mailbox: string; people: readonly Colleague[]; password: string };

/** Accepts the invitations that are open, and returns their number. */
async function acceptInvitations(
  { client, slug, connection: { url } }: Organization,
  { mailbox, people, password }: Acceptance,
): Promise<number> {
  if (people.length === 0) return 0;
  const invitations = client.list('/organizations/{slug}/invitations', { path: { slug } });
  const open = new Set<string>();
  for await (const { email, status } of invitations) if (status === 'pending') open.add(email);
  const fetch = pacedFetch();
  const reader = newVisitor(url, fetch);
  const { pathname, search } = new URL(mailbox);
  const { status } = await reader.open(pathname + search);
  if (status !== 200) throw new Error('The mailbox cannot be opened: name its address as the start prints it.');
  let accepted = 0;
  for (const person of people) {
    if (!open.has(person.email)) continue;
    const link = await findLink(reader, pathname, person.email);
    if (link !== null && (await accept(newVisitor(url, fetch), link, { ...person, password }))) accepted += 1;
  }
  return accepted;
}

/** The path of the link in the newest mail to an address; null if the mailbox has none, or it has no such link. */
async function findLink(reader: Visitor, mailbox: string, email: string): Promise<string | null> {
  const list = await reader.open(`${mailbox}?${new URLSearchParams({ to: email })}`);
  const mail = new RegExp(`href="(${mailbox}/msg_\\w+)"`).exec(list.html)?.[1];
  if (mail === undefined) return null;
  const { html } = await reader.open(mail);
  return /\/self-service\/invitations\/accept\?token=[\w-]+/.exec(html)?.[0] ?? null;
}

type Registration = { email: string; firstName: string; lastName: string; password: string };

/** Accepts an invitation with a new account; false if the address has an account, with which its owner has to log in. */
async function accept(
  visitor: Visitor,
  link: string,
  { firstName, lastName, password }: Registration,
): Promise<boolean> {
  const { html } = await visitor.open(link);
  const action = /<form[^>]* action="([^"]*\/accept\/register\?[^"]*)"/.exec(html)?.[1];
  const flow = /name="flow" value="([^"]*)"/.exec(html)?.[1];
  if (action === undefined || flow === undefined) return false;
  const { status } = await visitor.submit(action, { flow, firstName, lastName, password });
  if (status !== 303) throw new Error(`${firstName} ${lastName} could not accept the invitation: ${status}.`);
  return true;
}

async function assignRoles({ client, connection }: Organization, userId: string, names: readonly string[]) {
  if (names.length === 0) return;
  const context = { orgId: connection.tenantId };
  const assignments = client.list('/identity/users/{userId}/assignments', { path: { userId } });
  const assigned = await valuesOf(assignments, ({ roleId }) => roleId);
  for (const name of names) {
    const role = await findIn(client.list('/access/roles', {}), (present) => present.name === name);
    if (!role || assigned.has(role.id)) continue;
    await client.post('/access/assignments', { body: { userId, roleId: role.id, context } });
  }
}

/** Makes a member an agent. They take a seat of the plan, which may have none left. */
async function makeAgent({ client }: Organization, userId: string): Promise<string | null> {
  const agents = await valuesOf(client.list('/v1/connect/agents', {}), (agent) => agent.userId);
  if (agents.has(userId)) return userId;
  const displayName = colleagues.find(({ email }) => email === agentEmail)?.firstName ?? null;
  try {
    await client.post('/v1/connect/agents', { body: { userId, displayName } });
    return userId;
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'PLAN_LIMIT_EXCEEDED') return null;
    throw error;
  }
}
