import fc from 'fast-check';
import type { Change } from '../../../../services/access/graph/changes.ts';

/** Few of everything, so that changes meet. */
const ownKeys = ['shop.a', 'shop.b', 'shop.c', 'shop.d', '__proto__', 'constructor'];
const ownRoles = ['role_a', 'role_b', 'role_c', 'role_d', 'role_e', '__proto__'];
export const subjects = ['usr_a', 'usr_b', 'usr_c', 'app_a', 'app_b', '__proto__'];
export const keys = [...ownKeys, 'shop.never', 'mail.read', 'billing.write', 'console.users.read'];
export const roleIds = [...ownRoles, 'role_owner', 'role_admin', 'role_member', 'role_never'];
/** Instants before, between and at those at which assignments expire. */
export const instants = [0, 999, 1000, 1500, 2000, 3000];

const anyKeys = fc.array(fc.constantFrom(...keys), { maxLength: 5 });
const anyRole = fc.constantFrom(...roleIds);
export const anyRoles = fc.array(anyRole, { maxLength: 4 });

const assignment = fc.record({
  id: fc.constantFrom('asg_a', 'asg_b', 'asg_c', 'asg_d', 'asg_e', 'asg_f', 'asg_g', '__proto__'),
  subject: fc.constantFrom(...subjects),
  roleId: anyRole,
  expiresAt: fc.constantFrom(null, null, 1000, 2000),
});
const registered = fc.array(
  fc.record({ key: fc.constantFrom(...ownKeys, 'mail.read'), description: fc.constantFrom('One', 'Two') }),
  { minLength: 1, maxLength: 4 },
);
const role = fc.record({
  id: anyRole,
  name: fc.constantFrom('One', 'Two'),
  description: fc.constantFrom('', 'Some'),
  permissions: anyKeys,
  includes: anyRoles,
});

/** Any change but the end, also those that nobody would decide on. */
export const anyChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('founded' as const), owner: assignment }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('permissionsRegistered' as const), permissions: registered }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('roleStored' as const), role }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('roleRemoved' as const), roleId: anyRole }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('assignmentStored' as const), assignment }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('assignmentRemoved' as const),
      assignmentId: assignment.map((a) => a.id),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('subjectRemoved' as const, 'memberSuspended' as const, 'memberRestored' as const),
      subject: fc.constantFrom(...subjects),
    }),
  },
);

/** A change, or that the graph is stored in parts of some size and read again. */
export type Step = { change: Change } | { storedInPartsOf: number };

const reload = fc.record({ storedInPartsOf: fc.integer({ min: 1, max: 30 }) });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ change: anyChange }) },
  { weight: 1, arbitrary: reload },
);
const end: Step[] = [{ change: { kind: 'closed' } }, { storedInPartsOf: 4 }];

/** Permissions first, so that roles have some; a few histories end with the organization, and some changes after it. */
export const anyHistory: fc.Arbitrary<Step[]> = fc
  .tuple(
    fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }),
    fc.integer({ min: 0, max: 9 }),
    fc.array(step, { maxLength: 4 }),
  )
  .map(([steps, chance, after]) => [
    {
      change: {
        kind: 'permissionsRegistered',
        permissions: ownKeys.slice(0, 3).map((key) => ({ key, description: '' })),
      },
    },
    ...steps,
    ...(chance === 0 ? [...end, ...after] : []),
  ]);
