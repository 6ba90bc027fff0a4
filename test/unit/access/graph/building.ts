import type { Change } from '../../../../services/access/graph/changes.ts';
import { OrgGraph } from '../../../../services/access/graph/org-graph.ts';

/** Changes in few words, for tests. */
export const founded = (subject = 'usr_olga'): Change => ({
  kind: 'founded',
  owner: { id: `asg_${subject}`, subject, roleId: 'role_owner', expiresAt: null },
});
export const registered = (...keys: string[]): Change => ({
  kind: 'permissionsRegistered',
  permissions: keys.map((key) => ({ key, description: `May ${key}` })),
});
export const described = (key: string, description: string): Change => ({
  kind: 'permissionsRegistered',
  permissions: [{ key, description }],
});
export const role = (id: string, permissions: string[], includes: string[] = [], name = id): Change => ({
  kind: 'roleStored',
  role: { id, name, description: '', permissions, includes },
});
export const roleRemoved = (roleId: string): Change => ({ kind: 'roleRemoved', roleId });
export const assigned = (id: string, subject: string, roleId: string, expiresAt: number | null = null): Change => ({
  kind: 'assignmentStored',
  assignment: { id, subject, roleId, expiresAt },
});
export const unassigned = (assignmentId: string): Change => ({ kind: 'assignmentRemoved', assignmentId });
export const subjectRemoved = (subject: string): Change => ({ kind: 'subjectRemoved', subject });
export const suspended = (subject: string): Change => ({ kind: 'memberSuspended', subject });
export const restored = (subject: string): Change => ({ kind: 'memberRestored', subject });
export const closed: Change = { kind: 'closed' };

/** Applies changes in order; each is a thousand milliseconds times its revision after 1970. */
export function applyAll(graph: OrgGraph, changes: readonly Change[]): OrgGraph {
  for (const change of changes) {
    const revision = graph.revision + 1;
    graph.apply({ revision, at: revision * 1000, change });
  }
  return graph;
}

/** A graph after the founding and other changes. */
export function graphOf(...changes: Change[]): OrgGraph {
  return applyAll(new OrgGraph('org_shop'), [founded(), ...changes]);
}

/** A graph as it is after being stored as JSON. */
export function reloaded(graph: OrgGraph, maxEntities?: number): OrgGraph {
  const stored = [...graph.toSnapshot(maxEntities)].map((part) => JSON.stringify(part));
  return OrgGraph.fromSnapshot(
    graph.orgId,
    graph.revision,
    stored.map((part) => JSON.parse(part)),
  );
}
