import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Change } from '../../../../services/access/graph/changes.ts';
import { OrgGraph } from '../../../../services/access/graph/org-graph.ts';
import { propertyCases } from '../../../support/property-cases.ts';
import { applyAll, reloaded } from './building.ts';
import { anyChange, anyHistory, anyRoles, instants, keys, roleIds, type Step, subjects } from './histories.ts';
import { NaiveGraph } from './naive-graph.ts';

const withoutDescription = ({ description: _, ...role }: { description: string }) => role;

/** Everything that a graph answers, with the descriptions of its own roles only. */
function answersOf(graph: OrgGraph) {
  return {
    isClosed: graph.isClosed,
    permissions: graph.permissions(),
    roles: graph.roles().map((role) => (role.isSystem ? withoutDescription(role) : role)),
    effective: roleIds.map((id) => graph.permissionsOfRole(id)),
    assignments: subjects.map((subject) => graph.assignments(subject)),
    memberships: subjects.map((subject) => graph.membership(subject)?.assignment),
    suspensions: subjects.map((subject) => graph.membership(subject)?.suspendedAt ?? null),
    members: [...graph.members()].map(({ userId }) => userId),
    newestFirst: [...graph.members(null, true)].map(({ userId }) => userId),
    owners: graph.owners(),
    sizes: graph.sizes(),
    expired: instants.map((at) => graph.expired(at, 100).sort()),
    held: instants.map((at) => subjects.map((subject) => graph.permissionsOf(subject, at))),
    extras: instants.map((at) => subjects.map((subject) => graph.systemPermissionsOf(subject, at).sort())),
    expiries: instants.map((at) => subjects.map((subject) => graph.nextExpiryOf(subject, at))),
    users: instants.map((at) => keys.map((key) => graph.subjectsWith(key, at, 'user'))),
    applications: instants.map((at) => keys.map((key) => graph.subjectsWith(key, at, 'application'))),
  };
}

function expectedOf(model: NaiveGraph): ReturnType<typeof answersOf> {
  const held = instants.map((at) => subjects.map((subject) => model.permissionsOf(subject, at)));
  const system = new Set(model.permissions().flatMap(({ key, isSystem }) => (isSystem ? key : [])));
  const holders = (isWanted: (subject: string) => boolean) =>
    held.map((lists) =>
      keys.map((key) => subjects.filter((subject, i) => isWanted(subject) && lists[i]!.includes(key)).sort()),
    );
  const extrasOf = (subject: string, at: number) => {
    if (subject in model.suspended) return [];
    const others = model.assignments(subject).filter((assignment) => assignment !== model.membership(subject));
    const counting = others.filter(({ expiresAt }) => expiresAt === null || at < expiresAt);
    const given = new Set(counting.flatMap(({ roleId }) => model.permissionsOfRole(roleId)));
    const had = model.permissionsOfRole(model.membership(subject)?.roleId ?? '');
    return [...given].filter((key) => system.has(key) && !had.includes(key)).sort();
  };
  const expiryOf = (subject: string, at: number) => {
    const later = model
      .assignments(subject)
      .flatMap(({ expiresAt }) => expiresAt ?? [])
      .filter((time) => time > at);
    return later.length === 0 ? null : Math.min(...later);
  };
  return {
    isClosed: model.isClosed,
    permissions: model.permissions(),
    roles: model.roles().map((role) => (role.isSystem ? withoutDescription(role) : role)) as never,
    effective: roleIds.map((id) => model.permissionsOfRole(id)),
    assignments: subjects.map((subject) => model.assignments(subject)),
    memberships: subjects.map((subject) => model.membership(subject)),
    suspensions: subjects.map((subject) => model.suspended[subject] ?? null),
    members: subjects.filter((subject) => model.membership(subject)).sort(),
    newestFirst: subjects
      .filter((subject) => model.membership(subject))
      .sort()
      .reverse(),
    owners: model.held.filter(({ roleId, subject }) => roleId === 'role_owner' && !(subject in model.suspended)).length,
    sizes: {
      roles: model.ownRoles.length,
      permissions: model.ownPermissions.length,
      assignments: model.held.length,
      members: subjects.filter((subject) => model.membership(subject)).length,
      subjects: new Set(model.held.map(({ subject }) => subject)).size,
    },
    expired: instants.map((at) => model.held.flatMap((one) => (isOver(one, at) ? one.id : [])).sort()),
    held,
    extras: instants.map((at) => subjects.map((subject) => extrasOf(subject, at) as never)),
    expiries: instants.map((at) => subjects.map((subject) => expiryOf(subject, at))),
    users: holders((subject) => !subject.startsWith('app_')),
    applications: holders((subject) => subject.startsWith('app_')),
  };
}

const isOver = ({ expiresAt }: { expiresAt: number | null }, at: number): boolean =>
  expiresAt !== null && expiresAt <= at;

/** That each check, and each explanation, tells the same as the list of what is held. */
function expectChecksToAgree(graph: OrgGraph, model: NaiveGraph): void {
  const odd: unknown[] = [];
  for (const at of instants) {
    for (const subject of [...subjects, 'usr_never']) {
      const held = model.permissionsOf(subject, at);
      for (const key of keys) {
        const allowed = held.includes(key);
        const explanation = graph.explain(subject, key, at);
        if (graph.check(subject, key, at) !== allowed) odd.push({ at, subject, key, check: !allowed });
        if (explanation.allowed !== allowed) odd.push({ at, subject, key, explanation });
        if (!isExplained(model, explanation, { subject, key, at })) odd.push({ at, subject, key, explanation });
      }
    }
  }
  expect(odd).toEqual([]);
}

/** Whether the reasons are all there are, each with a shortest way, or what is missing is what the model misses. */
function isExplained(
  model: NaiveGraph,
  { allowed, because, missing }: ReturnType<OrgGraph['explain']>,
  { subject, key, at }: { subject: string; key: string; at: number },
): boolean {
  const granting = model.assignments(subject).filter(({ expiresAt, roleId }) => {
    if (subject in model.suspended) return false;
    return (expiresAt === null || at < expiresAt) && model.permissionsOfRole(roleId).includes(key);
  });
  const areAll = because.map((reason) => reason.assignmentId).join() === granting.map(({ id }) => id).join();
  const areShortest = because.every(({ assignmentId, roleId, permission, through }) => {
    const ways = model.waysFrom(roleId).filter((way) => model.role(way.at(-1)!)!.permissions.includes(key));
    const isWay = ways.some((way) => way.join() === [roleId, ...through].join());
    const isOfIt = granting.some((assignment) => assignment.id === assignmentId && assignment.roleId === roleId);
    return isWay && isOfIt && permission === key && ways.every((way) => way.length > through.length);
  });
  if (allowed) return areAll && areShortest && missing === null;
  const { message, ...rest } = missing!;
  return areAll && message !== '' && JSON.stringify(rest) === JSON.stringify(model.missing(subject, key));
}

const partsOf = (graph: OrgGraph): string => JSON.stringify([...graph.toSnapshot(7)]);

function take(graph: OrgGraph, step: Step): OrgGraph {
  return 'change' in step ? applyAll(graph, [step.change]) : reloaded(graph, step.storedInPartsOf);
}

const changesOf = (steps: readonly Step[]): Change[] => steps.flatMap((step) => ('change' in step ? step.change : []));

test('a graph answers as lists searched from the beginning do, after any change and any time in a database', () => {
  const law = fc.property(anyHistory, (steps) => {
    const model = new NaiveGraph();
    let graph = new OrgGraph('org_any');
    for (const step of steps) {
      graph = take(graph, step);
      const { revision } = graph;
      if ('change' in step) model.apply({ revision, at: revision * 1000, change: step.change });
      const [answers, expected] = [answersOf(graph), expectedOf(model)];
      // The test's own comparison is slow, and made for the failure alone.
      if (!isDeepStrictEqual(answers, expected)) expect(answers).toEqual(expected);
    }
    expectChecksToAgree(graph, model);
  });
  fc.assert(law, { numRuns: propertyCases(10, 700) });
}, 120_000);

test('checks and explanations agree with the lists after each change', () => {
  const law = fc.property(fc.array(anyChange, { minLength: 20, maxLength: 30, size: 'max' }), (changes) => {
    const model = new NaiveGraph();
    const graph = new OrgGraph('org_any');
    for (const change of changes) {
      applyAll(graph, [change]);
      model.apply({ revision: graph.revision, at: graph.revision * 1000, change });
      expectChecksToAgree(graph, model);
    }
  });
  fc.assert(law, { numRuns: propertyCases(3, 120) });
}, 120_000);

test('the same changes make the same snapshot to the byte, whether a graph was stored in between or not', () => {
  const law = fc.property(anyHistory, (steps) => {
    const stored = steps.reduce(take, new OrgGraph('org_any'));
    const once = applyAll(new OrgGraph('org_any'), changesOf(steps));
    const again = applyAll(new OrgGraph('org_any'), changesOf(steps));
    expect(partsOf(again)).toBe(partsOf(once));
    expect(partsOf(stored)).toBe(partsOf(once));
    expect(stored.revision).toBe(once.revision);
  });
  fc.assert(law, { numRuns: propertyCases(40, 3_000) });
});

test('a circle of includes is found exactly when there is one, and is a shortest', () => {
  const law = fc.property(anyHistory, fc.constantFrom(...roleIds), anyRoles, (steps, id, includes) => {
    const model = new NaiveGraph();
    const graph = applyAll(new OrgGraph('org_any'), changesOf(steps));
    for (const [index, change] of changesOf(steps).entries()) {
      model.apply({ revision: index + 1, at: (index + 1) * 1000, change });
    }
    const cycle = graph.findCycle(id, includes);
    expect(cycle && cycle.length - 1).toBe(model.shortestCycle(id, includes));
    if (cycle) {
      expect([cycle[0], cycle.at(-1)]).toEqual([id, id]);
      expect(includes).toContain(cycle[1]);
      for (const [index, from] of cycle.slice(1, -1).entries()) {
        expect(graph.role(from)?.includes).toContain(cycle[index + 2]);
      }
    }
  });
  fc.assert(law, { numRuns: propertyCases(50, 5_000) });
});

test('a role keeps all its includes exactly when they make no circle', () => {
  const law = fc.property(anyHistory, fc.constantFrom(...roleIds.slice(0, 6)), anyRoles, (steps, id, includes) => {
    const graph = applyAll(new OrgGraph('org_any'), changesOf(steps));
    fc.pre(!graph.isClosed);
    const known = [...new Set(includes)].filter((included) => included === id || graph.role(included));
    const cycle = graph.findCycle(id, known);
    const role = { id, name: 'Any', description: '', permissions: [], includes };
    applyAll(graph, [{ kind: 'roleStored', role }]);
    expect(graph.role(id)!.includes.length === known.length).toBe(cycle === null);
    expect(graph.findCycle(id, graph.role(id)!.includes)).toBeNull();
  });
  fc.assert(law, { numRuns: propertyCases(50, 5_000) });
});
