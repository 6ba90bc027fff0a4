import type { SnapshotReference } from '../../../models/access/head.ts';
import { SnapshotModel } from '../../../models/access/snapshot.ts';
import type { Change, NumberedChange, SubjectId } from '../graph/changes.ts';
import { OrgGraph } from '../graph/org-graph.ts';
import type { Membership } from './access-store.ts';
import { entryBatchSize, readChanges } from './log.ts';

/**
 * The part of an organization's data that this version of the platform cannot read: a kind of change, or a version of
 * snapshot, that a newer version writes. This node cannot know the organization's permissions, so it refuses to answer
 * and to write until another version runs, or until a snapshot that it can read covers the rest.
 */
export type Unreadable = {
  /** For the log of this node. */
  reason: string;
  /** Users whom unread changes or snapshots name: any of them may be a member. */
  userIds: Set<string>;
  /** The revision up to which the log was searched for users. */
  searchedTo: number;
  /** The snapshot that could not be read; null for none. */
  snapshotId: string | null;
};

/** A change or a snapshot cannot be read, as opposed to a database that does not answer. */
export class UnreadableError extends Error {}

/** Parses data. Any error means that this version cannot read it. */
export function reading<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new UnreadableError(`${what} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** Describes why an organization cannot be read, with all users that its snapshot and the log after that name. */
export async function describeUnreadable(
  orgId: string,
  reference: SnapshotReference | null,
  reason: string,
): Promise<Unreadable> {
  const searchedTo = reference?.revision ?? 0;
  const unreadable: Unreadable = { reason, userIds: new Set(), searchedTo, snapshotId: reference?.id ?? null };
  if (reference) await searchSnapshot(orgId, reference.id, unreadable);
  await searchLog(orgId, unreadable);
  return unreadable;
}

/** Adds the users that the log names since it was last searched. */
export async function searchLog(orgId: string, unreadable: Unreadable): Promise<void> {
  for (;;) {
    const changes = await readChanges(orgId, unreadable.searchedTo);
    for (const { revision, change } of changes) {
      addUsers(unreadable, JSON.stringify(change));
      unreadable.searchedTo = Math.max(unreadable.searchedTo, revision);
    }
    if (changes.length < entryBatchSize) return;
  }
}

async function searchSnapshot(orgId: string, snapshotId: string, unreadable: Unreadable): Promise<void> {
  const parts = SnapshotModel.find({ orgId, snapshotId }, { _id: 0, data: 1 }).lean<{ data: string }[]>().cursor();
  for await (const { data } of parts as AsyncIterable<{ data: string }>) addUsers(unreadable, data);
}

/** In every format, a user's id appears as it is. */
function addUsers({ userIds }: Unreadable, text: string): void {
  for (const [userId] of text.matchAll(/usr_[0-9a-z]{26}/g)) userIds.add(userId);
}

/** The state of this process: the graph of every organization, and the memberships of users. */
export type Replica = {
  org: (orgId: string) => OrgGraph | undefined;
  orgs: () => IterableIterator<OrgGraph>;
  /** 0 for an unknown organization, infinity for a closed one: no change can follow. */
  revisionOf: (orgId: string) => number;
  /**
   * Applies the next change of an organization; throws when it is not the next. Where this version cannot read the
   * change, the organization is unreadable from then on.
   */
  apply: (orgId: string, change: NumberedChange) => void;
  /** Replaces an organization's graph by one that was built separately, unless the present one is newer. */
  adopt: (graph: OrgGraph) => boolean;
  /** Marks an organization as closed. */
  close: (orgId: string) => void;
  /** Marks an organization as unreadable for this version. Its last graph is kept for inspection. */
  halt: (orgId: string, unreadable: Unreadable) => void;
  unreadable: (orgId: string) => Unreadable | undefined;
  unreadableOrgIds: () => Iterable<string>;
  /** False for a user who may be a member of an unreadable organization. */
  knowsMembershipsOf: (userId: string) => boolean;
  membershipsOf: (userId: string, at: number, withSuspended?: boolean) => Membership[];
};

type State = {
  graphs: Map<string, OrgGraph>;
  closed: Set<string>;
  halted: Map<string, Unreadable>;
  /** Where users are, or may be, members. */
  places: Places;
  onHalt: (orgId: string, reason: string) => void;
};

/** `onHalt` is called when an organization becomes unreadable. */
export function createReplica(onHalt: State['onHalt']): Replica {
  const state: State = { graphs: new Map(), closed: new Set(), halted: new Map(), places: createPlaces(), onHalt };
  const { graphs, closed, halted, places } = state;
  return {
    org: (orgId) => graphs.get(orgId)?.withDeclared(),
    orgs: () => graphs.values(),
    revisionOf: (orgId) => (closed.has(orgId) ? Number.POSITIVE_INFINITY : (graphs.get(orgId)?.revision ?? 0)),
    apply: (orgId, numbered) => apply(state, orgId, numbered),
    adopt: (graph) => adopt(state, graph),
    close: (orgId) => close(state, orgId),
    halt: (orgId, unreadable) => halt(state, orgId, unreadable),
    unreadable: (orgId) => halted.get(orgId),
    unreadableOrgIds: () => halted.keys(),
    knowsMembershipsOf: (userId) => halted.size === 0 || !places.of(userId).some((orgId) => halted.has(orgId)),
    membershipsOf: (userId, at, withSuspended = false) =>
      places
        .of(userId)
        .flatMap((orgId) => membershipIn(graphs.get(orgId)?.withDeclared(), userId, { at, withSuspended })),
  };
}

function apply(state: State, orgId: string, numbered: NumberedChange): void {
  const graph = state.graphs.get(orgId) ?? new OrgGraph(orgId);
  const { revision } = graph;
  if (numbered.change.kind === 'closed') {
    close(state, orgId);
    return;
  }
  if (numbered.revision !== revision + 1) {
    throw new Error(`Revision ${numbered.revision} of ${orgId} does not follow ${revision}.`);
  }
  try {
    reading(`Revision ${numbered.revision}`, () => applyNext(state, graph, numbered));
  } catch (error) {
    const reason = (error as UnreadableError).message;
    halt(state, orgId, { reason, userIds: new Set(), searchedTo: revision, snapshotId: null });
  }
}

function applyNext({ graphs, places }: State, graph: OrgGraph, numbered: NumberedChange): void {
  const { orgId } = graph;
  const subject = subjectOf(graph, numbered.change);
  graph.apply(numbered);
  graphs.set(orgId, graph);
  if (subject !== undefined) places.set(subject, orgId, graph.membership(subject) !== undefined);
}

function adopt(state: State, graph: OrgGraph): boolean {
  const { graphs, closed, halted, places } = state;
  const { orgId } = graph;
  const previous = halted.has(orgId) ? undefined : graphs.get(orgId);
  if (closed.has(orgId) || (previous && previous.revision >= graph.revision)) return false;
  clear(state, orgId);
  for (const { userId } of graph.members()) places.add(userId, orgId);
  graphs.set(orgId, graph);
  return true;
}

function close(state: State, orgId: string): void {
  clear(state, orgId);
  state.graphs.delete(orgId);
  state.closed.add(orgId);
}

function halt({ closed, halted, places, onHalt }: State, orgId: string, unreadable: Unreadable): void {
  if (closed.has(orgId)) return;
  const isKnown = halted.has(orgId);
  halted.set(orgId, unreadable);
  for (const userId of unreadable.userIds) places.add(userId, orgId);
  if (!isKnown) onHalt(orgId, unreadable.reason);
}

/** Drops who is, or may be, a member. */
function clear({ graphs, halted, places }: State, orgId: string): void {
  const graph = graphs.get(orgId);
  if (graph) for (const { userId } of graph.members()) places.remove(userId, orgId);
  for (const userId of halted.get(orgId)?.userIds ?? []) places.remove(userId, orgId);
  halted.delete(orgId);
}

/** The user whose membership a change may begin or end. */
function subjectOf(graph: OrgGraph, change: Change): SubjectId | undefined {
  if (change.kind === 'founded') return change.owner.subject;
  if (change.kind === 'assignmentStored') return change.assignment.subject;
  if (change.kind === 'assignmentRemoved') return graph.assignment(change.assignmentId)?.subject;
  return change.kind === 'subjectRemoved' ? change.subject : undefined;
}

function membershipIn(
  graph: OrgGraph | undefined,
  userId: string,
  { at, withSuspended }: { at: number; withSuspended: boolean },
): Membership[] {
  const membership = graph?.membership(userId);
  if (!graph || !membership || (membership.suspendedAt !== null && !withSuspended)) return [];
  return [{ orgId: graph.orgId, role: membership.role, extras: graph.systemPermissionsOf(userId, at) }];
}

type Places = {
  add: (userId: string, orgId: string) => void;
  remove: (userId: string, orgId: string) => void;
  set: (userId: string, orgId: string, isMember: boolean) => void;
  /** Sorted. */
  of: (userId: string) => string[];
};

/** The organizations of users. Most have one: a string takes a tenth of the memory of a set. */
function createPlaces(): Places {
  const byUser = new Map<string, string | Set<string>>();

  function add(userId: string, orgId: string): void {
    const orgIds = byUser.get(userId);
    if (orgIds === undefined) byUser.set(userId, orgId);
    else if (typeof orgIds !== 'string') orgIds.add(orgId);
    else if (orgIds !== orgId) byUser.set(userId, new Set([orgIds, orgId]));
  }

  function remove(userId: string, orgId: string): void {
    const orgIds = byUser.get(userId);
    if (orgIds === orgId) byUser.delete(userId);
    if (typeof orgIds !== 'object') return;
    orgIds.delete(orgId);
    if (orgIds.size === 0) byUser.delete(userId);
  }

  return {
    add,
    remove,
    set: (userId, orgId, isMember) => (isMember ? add : remove)(userId, orgId),
    of(userId) {
      const orgIds = byUser.get(userId);
      if (orgIds === undefined) return [];
      return typeof orgIds === 'string' ? [orgIds] : [...orgIds].sort();
    },
  };
}
