import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import { createKeyedMutex } from '../../../lib/concurrency/keyed-mutex.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import type { Operation } from '../../../lib/contract/idempotency.ts';
import { second } from '../../../lib/data/clock.ts';
import { isDatabaseConnected } from '../../../mixins/mongo.ts';
import type { Change, NumberedChange } from '../graph/changes.ts';
import type { OrgGraph } from '../graph/org-graph.ts';
import type { Changed, Decision } from './access-store.ts';
import { insertChange, markClosed, readChangeOf, touchHead } from './log.ts';
import { changesApplied, changesMade, conflicts } from './metrics.ts';
import type { Replica } from './replica.ts';
import {
  type AccessChanged,
  accessChanged,
  type Peers,
  type Publisher,
  type Synchroniser,
  subjectsOf,
} from './synchroniser.ts';

/** Enough for a few hundred writers of one organization on many nodes. */
const maxAttempts = 60;
const maxPause = 100;
/** Nodes poll recently touched heads: a change that took longer touches its head again. */
const soon = second;
/** Work that waited longer for its turn is refused, because its caller has timed out. */
const maxWait = 8 * second;

type Decide<T> = (graph: OrgGraph) => Decision<T>;

export type Writer = {
  change: <T>(ctx: Publisher, orgId: string, decide: Decide<T>, operation?: Operation) => Promise<Changed<T>>;
  /** Inserts a change at that revision and applies it; null when another writer has the revision. */
  insert: (orgId: string, revision: number, change: Change) => Promise<AccessChanged | null>;
  /** Announces an inserted change, and resolves when all reachable nodes have applied it. */
  announce: (ctx: Publisher, event: AccessChanged) => Promise<void>;
  /** Runs work of one organization in order. */
  inOrder: <T>(orgId: string, work: () => Promise<T>) => Promise<T>;
};

type Parts = {
  replica: Replica;
  synchroniser: Synchroniser;
  neighbours: Peers;
  isCurrent: () => boolean;
  logger: Logger;
};

export function createWriter(parts: Parts): Writer {
  const { replica, neighbours, logger } = parts;
  const runExclusive = createKeyedMutex();
  const inOrder: Writer['inOrder'] = (orgId, work) => {
    const askedAt = performance.now();
    return runExclusive(orgId, () => {
      if (performance.now() - askedAt > maxWait) throw apiError('UNAVAILABLE');
      return work();
    });
  };

  async function announce(ctx: Publisher, event: AccessChanged): Promise<void> {
    const telling = ctx.broadcast(accessChanged, event).catch((error: unknown) => {
      logger.warn('Access change notification failed', { error });
    });
    await Promise.all([telling, neighbours.bringAlong(event.orgId, event.revision)]);
  }

  return {
    inOrder,
    announce,
    insert: (orgId, revision, change) => insert(replica, { orgId, revision, change }),
    async change(ctx, orgId, decide, operation) {
      if (!isDatabaseConnected()) throw apiError('UNAVAILABLE');
      const key = operation?.isKeyed ? operation.key : undefined;
      const { changed, event } = await inOrder(orgId, () => decideAndInsert(parts, orgId, decide, key));
      if (event) await announce(ctx, event);
      return changed;
    },
  };
}

type Decided<T> = Decision<T> & { revision: number };
type Outcome<T> = { changed: Changed<T>; event: AccessChanged | null };

async function decideAndInsert<T>(
  parts: Parts,
  orgId: string,
  decide: Decide<T>,
  operation: string | undefined,
): Promise<Outcome<T>> {
  const { replica, synchroniser, isCurrent } = parts;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const isFresh = attempt > 0 || !isCurrent() || !replica.org(orgId);
    if (isFresh) await synchroniser.synchronise(orgId);
    const { change, result, revision } = await decideSurely(parts, orgId, decide, isFresh);
    if (!change) return { changed: { result, revision, isChanged: false }, event: null };
    // A concurrent run of the same operation can only take this revision or a later one: either this insert then
    // conflicts, or that run finds this change.
    if (operation && (await readChangeOf(orgId, operation))) throw apiError('CONFLICT');
    const event = await insert(replica, { orgId, revision: revision + 1, change, operation });
    if (event) return { changed: { result, revision: revision + 1, isChanged: true }, event };
    conflicts.inc();
    await wait(Math.random() * Math.min(2 ** attempt, maxPause));
  }
  throw apiError('CONFLICT');
}

/** A refusal, or a decision without a change, must rest on the database, not only on this node's memory. */
async function decideSurely<T>(
  { replica, synchroniser }: Parts,
  orgId: string,
  decide: Decide<T>,
  isFresh: boolean,
): Promise<Decided<T>> {
  try {
    const decided = decideNow(replica, orgId, decide);
    if (decided.change || isFresh) return decided;
  } catch (error) {
    if (isFresh) throw error;
  }
  await synchroniser.synchronise(orgId);
  return decideNow(replica, orgId, decide);
}

function decideNow<T>(replica: Replica, orgId: string, decide: Decide<T>): Decided<T> {
  // A decision on an outdated graph would be wrong.
  if (replica.unreadable(orgId)) throw apiError('UNAVAILABLE');
  const graph = replica.org(orgId);
  if (!graph) throw apiError('NOT_FOUND');
  const { revision } = graph;
  return { ...decide(graph), revision };
}

type WriteRequest = { orgId: string; revision: number; change: Change; operation?: string | undefined };

async function insert(replica: Replica, request: WriteRequest): Promise<AccessChanged | null> {
  const { orgId, revision, change } = request;
  const subjects = subjectsOf(replica.org(orgId), change);
  const inserted = await insertDurably(request);
  if (!inserted) return null;
  changesMade.inc({ kind: change.kind });
  // A concurrent read of the log may have applied it already.
  if (replica.revisionOf(orgId) < revision) {
    replica.apply(orgId, inserted);
    changesApplied.inc({ source: 'own' });
  }
  return { orgId, previous: revision - 1, ...inserted, subjects };
}

/** Writes the head first: a node that reads the head's revision looks for the change until it is there. */
async function insertDurably({ orgId, revision, change, operation }: WriteRequest): Promise<NumberedChange | null> {
  const startedAt = performance.now();
  await touchHead(orgId, revision);
  const inserted = await insertChange(orgId, revision, change, operation);
  if (!inserted) return null;
  if (change.kind === 'closed') await markClosed(orgId, revision);
  else if (performance.now() - startedAt > soon) await touchHead(orgId, revision);
  return inserted;
}
