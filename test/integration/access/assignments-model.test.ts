import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type SystemRole, scopesOf } from '../../../lib/contract/authorize.ts';
import { errorCode } from '../../../lib/contract/errors.ts';
import { allows, systemPermissions } from '../../../lib/contract/permissions.ts';
import { setClock } from '../../../lib/data/clock.ts';
import { newId } from '../../../lib/data/ids.ts';
import access from '../../../services/access/access.service.ts';
import { actionsOf } from '../../support/actions-of.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { type MemoryPlatform, startMemoryPlatform } from './memory-platform.ts';

/*
 * Whatever is assigned and taken away, in whatever order, checks answer what a plain model of it does: who has which
 * roles until when, and what those name themselves or through others.
 */

const start = Date.parse('2030-01-01T00:00:00.000Z');
const second = 1000;
const own = ['shop.a', 'shop.b', 'shop.c'];
const asked = [...own, 'storage.upload', 'billing.write', 'shop.unknown'];
/** The roles of the organization: what each names, and which others it includes. */
const roles: { permissions: string[]; includes: number[] }[] = [
  { permissions: ['shop.a'], includes: [] },
  { permissions: ['shop.b', 'billing.write'], includes: [0] },
  { permissions: [], includes: [1] },
  { permissions: ['shop.c'], includes: [] },
];
const systemRoles: SystemRole[] = ['owner', 'admin', 'member'];

type Step =
  | { kind: 'assign'; subject: number; role: number; seconds: number | null }
  | { kind: 'remove'; subject: number; role: number }
  | { kind: 'become'; subject: number; role: SystemRole }
  | { kind: 'pass'; seconds: number };

const subject = fc.nat({ max: 3 });
const role = fc.nat({ max: roles.length - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('assign' as const),
      subject,
      role,
      seconds: fc.option(fc.integer({ min: 1, max: 5 })),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), subject, role }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('become' as const), subject, role: fc.constantFrom(...systemRoles) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 3 }) }) },
);

/** What a subject is, and until when they have which role; null for ever. */
type Modelled = { is: SystemRole; has: Map<number, number | null> };

let instant = start;
let restoreClock: () => void;
beforeAll(() => {
  restoreClock = setClock(() => new Date(instant));
});
afterAll(() => restoreClock());

const permissionsOf = (place: number): string[] => {
  const { permissions, includes } = roles[place]!;
  return [...permissions, ...includes.flatMap(permissionsOf)];
};

function expected({ is, has }: Modelled, permission: string): boolean {
  if (Object.hasOwn(systemPermissions, permission) && allows(scopesOf(is), permission)) return true;
  const inForce = [...has].filter(([, expiresAt]) => expiresAt === null || expiresAt > instant);
  return inForce.some(([place]) => permissionsOf(place).includes(permission));
}

class Run {
  readonly #platform: MemoryPlatform;
  readonly #roleIds = roles.map(() => newId('role'));
  readonly #userIds: string[];
  readonly #model: Modelled[];

  constructor(platform: MemoryPlatform) {
    this.#platform = platform;
    platform.apply({
      kind: 'permissionsRegistered',
      permissions: own.map((key) => ({ key, description: '' })),
    });
    for (const [place, { permissions, includes }] of roles.entries()) {
      const named = { permissions, includes: includes.map((one) => this.#roleIds[one]!) };
      platform.apply({ kind: 'roleStored', role: { id: this.#roleIds[place]!, name: 'r', description: '', ...named } });
    }
    this.#userIds = [platform.ownerId, newId('usr'), newId('usr'), newId('usr')];
    this.#model = this.#userIds.map((_one, place) => ({ is: place === 0 ? 'owner' : 'member', has: new Map() }));
    for (const userId of this.#userIds.slice(1)) {
      const assignment = { id: newId('asg'), subject: userId, roleId: 'role_member', expiresAt: null };
      platform.apply({ kind: 'assignmentStored', assignment });
    }
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'pass') {
      instant += step.seconds * second;
      return;
    }
    const modelled = this.#model[step.subject]!;
    const userId = this.#userIds[step.subject]!;
    if (step.kind === 'assign') {
      const end = step.seconds === null ? null : instant + step.seconds * second;
      const expiresAt = end === null ? null : new Date(end).toISOString();
      const body = { userId, roleId: this.#roleIds[step.role]!, expiresAt };
      expect((await this.#platform.ask('access.assignments.create', { body })).expiresAt).toBe(expiresAt);
      modelled.has.set(step.role, end);
    } else if (step.kind === 'remove') {
      const found = (await this.#assignmentsOf(userId)).find(({ roleId }) => roleId === this.#roleIds[step.role]);
      expect(found !== undefined).toBe(modelled.has.delete(step.role));
      if (found) await this.#platform.ask('access.assignments.delete', { path: { assignmentId: found.assignmentId } });
    } else {
      const owners = this.#model.filter(({ is }) => is === 'owner').length;
      const isRefused = modelled.is === 'owner' && step.role !== 'owner' && owners === 1;
      const body = { userId, roleId: `role_${step.role}` };
      const code = await this.#platform.ask('access.assignments.create', { body }).then(() => null, errorCode);
      expect(code).toBe(isRefused ? 'LAST_OWNER' : null);
      if (!isRefused) modelled.is = step.role;
    }
  }

  async compare(): Promise<void> {
    const questions = this.#userIds.flatMap((userId) => asked.map((permission) => ({ userId, permission })));
    const answers = this.#model.flatMap((one) => asked.map((permission) => expected(one, permission)));
    const { results } = await this.#platform.ask('access.check-batch', { body: { checks: questions } });
    expect(results.map(({ allowed }) => allowed)).toEqual(answers);
    const explained = await Promise.all(questions.map((body) => this.#platform.ask('access.explain', { body })));
    expect(explained.map(({ allowed }) => allowed)).toEqual(answers);
    expect(explained.map(({ because }) => because.length > 0)).toEqual(answers);
    for (const [place, key] of asked.entries()) {
      if (key === 'shop.unknown') continue;
      const { data } = await this.#platform.ask('access.permissions.list-users', {
        path: { key },
        query: { limit: '100' },
      });
      const holders = this.#userIds.filter((_one, user) => answers[user * asked.length + place]);
      expect(data.map(({ userId }) => userId)).toEqual(holders.toSorted());
    }
  }

  async #assignmentsOf(userId: string) {
    const list = { path: { userId }, query: { limit: '100' } };
    return (await this.#platform.ask('access.assignments.list-of-user', list)).data;
  }
}

test('checks, explanations and lists say what a plain model of the assignments says', async () => {
  const steps = fc.array(step, { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      instant = start;
      const platform = await startMemoryPlatform({
        ...actionsOf(access, 'assignments.'),
        ...actionsOf(access, 'check', 'decide', 'explain', 'users.list-permissions', 'permissions.list-users'),
      });
      try {
        const run = new Run(platform);
        for (const one of taken) {
          await run.take(one);
          await run.compare();
        }
      } finally {
        await platform.stop();
      }
    }),
    { numRuns: propertyCases(8, 300), endOnFailure: true },
  );
});
