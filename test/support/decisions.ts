import { setTimeout as wait } from 'node:timers/promises';
import { assigned, makeRole, register } from '../integration/access/assigning.ts';
import { type Client, clientOf } from './client.ts';
import type { Answer, ErrorBody } from './http.ts';
import { createTenant, type Tenant } from './tenants.ts';
import { createUser, sessionClientOf } from './user-client.ts';

/** A permission that a member of an organization holds by a role, and clients that may ask about it. */
export type Permitted = {
  tenant: Tenant;
  userId: string;
  permission: string;
  roleId: string;
  /** With an API key, and with the session of an owner, whose own permissions come from the graph too. */
  clients: Client[];
};

/** Makes an organization of a test's own with a member who holds a permission. */
export async function createPermitted(databaseUrl: string, url: string, publicUrl = url): Promise<Permitted> {
  const tenant = await createTenant(databaseUrl);
  const owner = await createUser(databaseUrl, { orgId: tenant.orgId, role: 'owner' });
  const { userId } = await createUser(databaseUrl, { orgId: tenant.orgId, role: 'member' });
  const clients = [clientOf({ url, ...tenant }), sessionClientOf(url, owner.sessionToken, publicUrl)];
  const client = clients[0] as Client;
  const permission = 'shop.orders.read';
  await register(client, permission);
  const roleId = await makeRole(client, [permission]);
  await assigned(client, { userId, roleId });
  return { tenant, userId, permission, roleId, clients };
}

type Ask = (client: Client) => Promise<Answer<ErrorBody>>;
type IsRight = (body: unknown) => boolean;
type Listed = { data: object[] };

/** The requests whose answer depends on the graph of an organization, each with what makes a 200 right. */
export function questionsAbout({ userId, permission, roleId }: Permitted): [Ask, IsRight][] {
  const asked = { userId, permission };
  const isAllowed: IsRight = (body) => (body as { allowed: boolean }).allowed;
  const names =
    (value: string): IsRight =>
    (body) =>
      (body as Listed).data.some((one) => Object.values(one).includes(value));
  return [
    [(client) => client.send('POST', '/access/check', asked), isAllowed],
    [
      (client) => client.send('POST', '/access/check/batch', { checks: [asked] }),
      (body) => (body as { results: { allowed: boolean }[] }).results.every(isAllowed),
    ],
    [(client) => client.send('POST', '/access/explain', asked), isAllowed],
    [(client) => client.send('GET', `/access/users/${userId}/permissions?limit=100`), names(permission)],
    [(client) => client.send('GET', `/access/permissions/${permission}/users`), names(userId)],
    [
      (client) => client.send('GET', `/access/roles/${roleId}`),
      (body) => (body as { permissions: string[] }).permissions.includes(permission),
    ],
    [(client) => client.send('GET', '/access/roles'), names(roleId)],
    [(client) => client.send('GET', '/access/permissions?limit=100'), names(permission)],
    [(client) => client.send('GET', `/identity/users/${userId}/assignments`), names(roleId)],
  ];
}

/** What was answered while questions were asked all the time. */
export type Decisions = {
  /** How many answers there were of each status. */
  statuses: Record<number, number>;
  /** Answers that are neither right nor a 503 with Retry-After. */
  wrong: Set<string>;
  stop: () => Promise<void>;
};

/** Milliseconds between two requests of a client, so that the questions do not take the processor from the platform. */
const pause = 40;

/** Has each client ask each question, again and again, until it is told to stop. */
export function askAllTheTime(permitted: Permitted, clients = permitted.clients): Decisions {
  let isGoing = true;
  const decisions = { statuses: {} as Record<number, number>, wrong: new Set<string>() };
  const ask = async (client: Client, [question, isRight]: [Ask, IsRight]) => {
    while (isGoing) {
      const { status, headers, body, text } = await question(client);
      decisions.statuses[status] = (decisions.statuses[status] ?? 0) + 1;
      const isRefused = status === 503 && headers['retry-after'] !== undefined;
      if (!isRefused && !(status === 200 && isRight(body))) decisions.wrong.add(`${status} ${text}`);
      await wait(pause);
    }
  };
  const loops = clients.flatMap((client) => questionsAbout(permitted).map((question) => ask(client, question)));
  return {
    ...decisions,
    async stop() {
      isGoing = false;
      await Promise.all(loops);
    },
  };
}
