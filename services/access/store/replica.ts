import type { SystemRole } from '../../../lib/roles.ts';
import type { Change, NumberedChange, SubjectId } from '../graph/changes.ts';
import { OrgGraph } from '../graph/org-graph.ts';
import type { Membership } from './access-store.ts';

/** What this process knows: the graph of every organization, and who is a member where. */
export type Replica = {
  org: (orgId: string) => OrgGraph | undefined;
  orgs: () => IterableIterator<OrgGraph>;
  /** 0 for an organization that is unknown, infinity for one that is closed: nothing can follow. */
  revisionOf: (orgId: string) => number;
  /** Applies the next change of an organization; throws when it is not the next. */
  apply: (orgId: string, change: NumberedChange) => void;
  /** Replaces an organization's graph by one that was built aside, unless this one is further. */
  adopt: (graph: OrgGraph) => boolean;
  /** Notes that an organization is closed. */
  close: (orgId: string) => void;
  membershipsOf: (userId: string, at: number) => Membership[];
};

export function createReplica(): Replica {
  const graphs = new Map<string, OrgGraph>();
  const closed = new Set<string>();
  const places = createPlaces();

  function close(orgId: string): void {
    const graph = graphs.get(orgId);
    if (graph) for (const { userId } of graph.members()) places.remove(userId, orgId);
    graphs.delete(orgId);
    closed.add(orgId);
  }

  return {
    org: (orgId) => graphs.get(orgId),
    orgs: () => graphs.values(),
    revisionOf: (orgId) => (closed.has(orgId) ? Number.POSITIVE_INFINITY : (graphs.get(orgId)?.revision ?? 0)),
    apply(orgId, numbered) {
      const graph = graphs.get(orgId) ?? new OrgGraph(orgId);
      const subject = subjectOf(graph, numbered.change);
      if (numbered.change.kind === 'closed') return close(orgId);
      graph.apply(numbered);
      graphs.set(orgId, graph);
      if (subject !== undefined) places.set(subject, orgId, graph.membership(subject) !== undefined);
    },
    adopt(graph) {
      const { orgId } = graph;
      const former = graphs.get(orgId);
      if (closed.has(orgId) || (former && former.revision >= graph.revision)) return false;
      if (former) for (const { userId } of former.members()) places.remove(userId, orgId);
      for (const { userId } of graph.members()) places.add(userId, orgId);
      graphs.set(orgId, graph);
      return true;
    },
    close,
    membershipsOf(userId, at) {
      return places.of(userId).flatMap((orgId) => membershipIn(graphs.get(orgId), userId, at));
    },
  };
}

/** Whose membership a change may begin or end. */
function subjectOf(graph: OrgGraph, change: Change): SubjectId | undefined {
  if (change.kind === 'founded') return change.owner.subject;
  if (change.kind === 'assignmentStored') return change.assignment.subject;
  if (change.kind === 'assignmentRemoved') return graph.assignment(change.assignmentId)?.subject;
  return change.kind === 'subjectRemoved' ? change.subject : undefined;
}

function membershipIn(graph: OrgGraph | undefined, userId: string, at: number): Membership[] {
  const role: SystemRole | undefined = graph?.membership(userId)?.role;
  return graph && role ? [{ orgId: graph.orgId, role, extras: graph.systemPermissionsOf(userId, at) }] : [];
}

type Places = {
  add: (userId: string, orgId: string) => void;
  remove: (userId: string, orgId: string) => void;
  set: (userId: string, orgId: string, isMember: boolean) => void;
  /** Sorted. */
  of: (userId: string) => string[];
};

/** Where users are members. Most are in one organization: a text takes a tenth of the memory of a set. */
function createPlaces(): Places {
  const known = new Map<string, string | Set<string>>();

  function add(userId: string, orgId: string): void {
    const place = known.get(userId);
    if (place === undefined) known.set(userId, orgId);
    else if (typeof place !== 'string') place.add(orgId);
    else if (place !== orgId) known.set(userId, new Set([place, orgId]));
  }

  function remove(userId: string, orgId: string): void {
    const place = known.get(userId);
    if (place === orgId) known.delete(userId);
    if (typeof place !== 'object') return;
    place.delete(orgId);
    if (place.size === 0) known.delete(userId);
  }

  return {
    add,
    remove,
    set: (userId, orgId, isMember) => (isMember ? add : remove)(userId, orgId),
    of(userId) {
      const place = known.get(userId);
      if (place === undefined) return [];
      return typeof place === 'string' ? [place] : [...place].sort();
    },
  };
}
