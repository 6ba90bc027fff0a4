import fc from 'fast-check';
import { scopesOf } from '../../../lib/contract/authorize.ts';
import { allows } from '../../../lib/contract/permissions.ts';
import type { Client } from '../../support/client.ts';

/*
 * A plain model of access control, and random histories that are carried out on a platform from outside and on the
 * model. After each step the platform must answer every check as the model does, at whichever node it is asked.
 */

export type Step =
  | { kind: 'createRole'; role: number; keys: number[]; includes: number[] }
  | { kind: 'changeRole'; role: number; keys: number[]; includes: number[] }
  | { kind: 'deleteRole'; role: number }
  | { kind: 'assign'; user: number; role: number }
  | { kind: 'revoke'; user: number; role: number };

/** An organization of the test's own, with members who are nothing but members. */
export type Setting = {
  orgId: string;
  userIds: string[];
  /** A client of each node that can be asked. */
  clients: Client[];
};

const keys = ['shop.orders.read', 'shop.orders.write', 'shop.prices.write', 'shop.staff.invite'];
/** Beside the organization's own keys: one of the platform that members lack, one that they have, and an unknown one. */
const asked = [...keys, 'billing.read', 'console.apps.write', 'shop.never.registered'];
export const members = 4;
const mostRoles = 5;

const role = fc.nat({ max: mostRoles - 1 });
const values = {
  role,
  keys: fc.uniqueArray(fc.nat({ max: keys.length - 1 }), { maxLength: 3 }),
  includes: fc.uniqueArray(role, { maxLength: 2 }),
};
const user = fc.nat({ max: members - 1 });

export const history: fc.Arbitrary<{ steps: Step[]; places: number[] }> = fc
  .array(
    fc.tuple(
      fc.oneof(
        { weight: 3, arbitrary: fc.record({ kind: fc.constant('createRole' as const), ...values }) },
        { weight: 3, arbitrary: fc.record({ kind: fc.constant('changeRole' as const), ...values }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('deleteRole' as const), role }) },
        { weight: 5, arbitrary: fc.record({ kind: fc.constant('assign' as const), user, role }) },
        { weight: 2, arbitrary: fc.record({ kind: fc.constant('revoke' as const), user, role }) },
      ),
      fc.nat(),
    ),
    { minLength: 60, maxLength: 120, size: 'max' },
  )
  .map((pairs) => ({ steps: pairs.map(([step]) => step), places: pairs.map(([, place]) => place) }));

type ModelRole = { id: string; keys: number[]; includes: number[] };

/** Carries out a history, each step at one node; gives how many steps changed something. Throws where it differs. */
export async function follow(
  { orgId, userIds, clients }: Setting,
  { steps, places }: { steps: Step[]; places: number[] },
): Promise<number> {
  const roles = new Map<number, ModelRole>();
  /** By user and role: the assignment's id. */
  const assignments = new Map<string, { id: string; user: number; role: number }>();
  let revision = 0;
  let changes = 0;

  const idsOf = (includes: number[]) => includes.flatMap((place) => roles.get(place)?.id ?? []);
  const known = (includes: number[]) => includes.filter((place) => roles.has(place));
  const closure = (place: number, seen = new Set<number>()): Set<number> => {
    if (seen.has(place)) return seen;
    seen.add(place);
    for (const included of roles.get(place)?.includes ?? []) closure(included, seen);
    return seen;
  };
  const grants = (place: number, key: number) =>
    [...closure(place)].some((one) => roles.get(one)?.keys.includes(key) ?? false);
  const mayDo = (place: number, permission: string): boolean => {
    if (allows(scopesOf('member'), permission)) return true;
    const key = keys.indexOf(permission);
    return key >= 0 && [...assignments.values()].some((one) => one.user === place && grants(one.role, key));
  };

  async function ask(client: Client, method: string, path: string, body: unknown, expected: number) {
    const answer = await client.send<{ id: string; assignmentId: string }>(method, path, body);
    if (answer.status !== expected) {
      throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${answer.status}, not ${expected}: ${answer.text}`);
    }
    const header = answer.headers['access-revision'];
    if (expected < 300) {
      changes += 1;
      revision = Math.max(revision, Number(header));
    }
    return answer.body;
  }

  const act: { [K in Step['kind']]: (step: Extract<Step, { kind: K }>, client: Client) => Promise<void> } = {
    async createRole({ role: place, keys: named, includes }, client) {
      if (roles.has(place)) return;
      const body = { name: `Role ${place}`, permissions: named.map((key) => keys[key]), includes: idsOf(includes) };
      const { id } = await ask(client, 'POST', '/access/roles', body, 201);
      roles.set(place, { id, keys: named, includes: known(includes) });
    },
    async changeRole({ role: place, keys: named, includes }, client) {
      const model = roles.get(place);
      if (!model) return;
      const body = { permissions: named.map((key) => keys[key]), includes: idsOf(includes) };
      const isCircle = known(includes).some((one) => closure(one).has(place));
      await ask(client, 'PATCH', `/access/roles/${model.id}`, body, isCircle ? 400 : 200);
      if (!isCircle) Object.assign(model, { keys: named, includes: known(includes) });
    },
    async deleteRole({ role: place }, client) {
      const model = roles.get(place);
      if (!model) return;
      await ask(client, 'DELETE', `/access/roles/${model.id}`, undefined, 204);
      roles.delete(place);
      for (const other of roles.values()) other.includes = other.includes.filter((one) => one !== place);
      for (const [name, one] of assignments) if (one.role === place) assignments.delete(name);
    },
    async assign({ user: place, role: which }, client) {
      const model = roles.get(which);
      if (!model) return;
      const body = { userId: userIds[place], roleId: model.id, context: { orgId } };
      const { assignmentId: id } = await ask(client, 'POST', '/access/assignments', body, 201);
      const name = `${place} ${which}`;
      const former = assignments.get(name);
      if (former && former.id !== id) throw new Error(`The same assignment has two ids: ${former.id} and ${id}`);
      assignments.set(name, { id, user: place, role: which });
    },
    async revoke({ user: place, role: which }, client) {
      const name = `${place} ${which}`;
      const model = assignments.get(name);
      if (!model) return;
      await ask(client, 'DELETE', `/access/assignments/${model.id}`, undefined, 204);
      assignments.delete(name);
    },
  };

  async function compare(client: Client): Promise<void> {
    const questions = userIds.flatMap((userId, place) => asked.map((permission) => ({ userId, permission, place })));
    const checks = questions.map(({ userId, permission }) => ({ userId, permission, context: { orgId } }));
    const body = { checks, minRevision: revision };
    const answer = await client.send<{ results: { allowed: boolean }[] }>('POST', '/access/check/batch', body);
    if (answer.status !== 200) throw new Error(`The checks were answered ${answer.status}: ${answer.text}`);
    const said = answer.body.results.map(({ allowed }) => allowed);
    const wrong = questions.filter(({ place, permission }, index) => said[index] !== mayDo(place, permission));
    if (wrong.length > 0) throw new Error(`Wrong at revision ${revision}: ${JSON.stringify(wrong)}`);
  }

  const first = clients[0]!;
  const permissions = keys.map((key) => ({ key, description: key }));
  await ask(first, 'POST', '/access/permissions', { namespace: 'shop', permissions }, 201);
  for (const [index, step] of steps.entries()) {
    const place = places[index]!;
    await act[step.kind](step as never, clients[place % clients.length]!);
    // The node that made the change, and another: both must know it.
    await compare(clients[place % clients.length]!);
    await compare(clients[(place + 1) % clients.length]!);
  }
  for (const client of clients) await compare(client);
  return changes;
}
