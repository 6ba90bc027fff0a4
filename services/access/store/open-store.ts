import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import { apiError } from '../../../lib/contract/errors.ts';
import { second } from '../../../lib/data/clock.ts';
import { isDatabaseUnreachable } from '../../../lib/data/database-errors.ts';
import { newId } from '../../../lib/data/ids.ts';
import { isDatabaseConnected } from '../../../mixins/mongo.ts';
import type { AssignmentValue } from '../graph/changes.ts';

import type { OrgGraph } from '../graph/org-graph.ts';
import { loadDeclaredPermissions } from '../permissions.ts';
import { type AccessStore, withTimeout } from './access-store.ts';
import { loadAll } from './load.ts';
import { readChangeOf, readChanges } from './log.ts';
import { changesApplied, gaps, runningStores, snapshots } from './metrics.ts';
import { createPoller } from './poller.ts';
import { createReplica, type Replica } from './replica.ts';
import { isSnapshotCheckDue, isSnapshotDue, serialise, storeSnapshot } from './snapshots.ts';
import { eraseChanges } from './sweeps.ts';
import {
  type AccessChanged,
  createSynchroniser,
  type Peers,
  type Publisher,
  type Synchroniser,
} from './synchroniser.ts';
import { createWriter, type Writer } from './writer.ts';

export type OpenStore = AccessStore & {
  /** Handles the event of another node. */
  receive: (event: AccessChanged) => void;
  /** Polls the database for changes now. */
  poll: () => Promise<void>;
  /** Polls the database for changes if the store is not current because the process paused. */
  resume: () => Promise<void>;
  /** Writes a snapshot of an organization if one is due. */
  compact: (orgId: string) => Promise<void>;
  /** Resolves when no snapshot is being written. */
  settled: () => Promise<void>;
};

type Parts = { replica: Replica; synchroniser: Synchroniser; writer: Writer; logger: Logger };

const firstPause = 25;
const maxPause = second / 4;

/** Opens a store as soon as the database answers. */
export async function openWithRetry(neighbours: Peers, logger: Logger): Promise<OpenStore> {
  for (;;) {
    try {
      await loadDeclaredPermissions();
      return await openStore(neighbours, logger);
    } catch (error) {
      if (!isDatabaseUnreachable(error)) throw error;
      logger.warn('Loading access failed; retrying', { error });
    }
    await wait(second / 2);
  }
}

function logUnreadable(logger: Logger, orgId: string, reason: string): void {
  const sentence = "This version of the platform cannot read an organization's access data.";
  logger.error(`${sentence} Its requests are refused with 503 until this node is updated.`, { orgId, reason });
}

/** Loads all organizations, and keeps them up to date until it is stopped. */
export async function openStore(neighbours: Peers, logger: Logger): Promise<OpenStore> {
  const replica = createReplica((orgId, reason) => logUnreadable(logger, orgId, reason));
  const synchroniser = createSynchroniser(replica, neighbours);
  const poller = createPoller({ replica, synchroniser, logger }, await loadAll(replica));
  const writer = createWriter({ replica, synchroniser, neighbours, isCurrent: poller.isCurrent, logger });
  const parts = { replica, synchroniser, writer, logger };
  const compaction = createCompaction(parts);
  await poller.start();
  const store: OpenStore = {
    org: replica.org,
    newest: (orgId) => newest(parts, orgId),
    orgs: replica.orgs,
    membershipsOf: replica.membershipsOf,
    isCurrent: poller.isCurrent,
    isReadable: (orgId) => !replica.unreadable(orgId),
    unreadableOrgIds: replica.unreadableOrgIds,
    knowsMembershipsOf: replica.knowsMembershipsOf,
    lag: poller.lag,
    poll: poller.poll,
    resume: poller.resume,
    compact: compaction.compact,
    settled: compaction.settled,
    async change(ctx, orgId, decide, operation) {
      const changed = await writer.change(ctx, orgId, decide, operation);
      if (changed.isChanged) compaction.look(orgId, changed.revision);
      return changed;
    },
    async changeOf(orgId, operation) {
      const change = operation.isKeyed ? await readChangeOf(orgId, operation.key) : null;
      if (change) await synchroniser.synchronise(orgId);
      return change;
    },
    reach: (orgId, revision, timeout) => reach(parts, { orgId, revision, timeout }),
    found: (ctx, orgId, ownerId) => found(parts, ctx, { orgId, ownerId }),
    erase: (orgId) => writer.inOrder(orgId, () => eraseChanges(orgId)),
    receive: (event) => receive(parts, event),
    async stop() {
      runningStores.delete(store);
      await poller.stop();
      await compaction.settled();
    },
  };
  runningStores.add(store);
  return store;
}

function receive({ replica, synchroniser, logger }: Parts, { orgId, previous, revision, at, change }: AccessChanged) {
  const knownRevision = replica.revisionOf(orgId);
  if (revision <= knownRevision) return;
  if (change && previous === knownRevision && !replica.unreadable(orgId)) {
    replica.apply(orgId, { revision, at, change });
    changesApplied.inc({ source: 'event' });
    if (!replica.unreadable(orgId)) return;
  } else gaps.inc();
  // A failure is repaired by the next poll.
  synchroniser
    .synchronise(orgId)
    .catch((error) => logger.debug('Reading missed access changes failed; the next poll retries', { error }));
}

async function newest({ replica, synchroniser }: Parts, orgId: string): Promise<OrgGraph | undefined> {
  if (!isDatabaseConnected()) throw apiError('UNAVAILABLE');
  await synchroniser.synchronise(orgId);
  return replica.org(orgId);
}

type StoreOptions = { orgId: string; revision: number; timeout: number };

async function reach({ replica, synchroniser }: Parts, { orgId, revision, timeout }: StoreOptions): Promise<boolean> {
  const deadline = performance.now() + timeout;
  const isReached = () => replica.revisionOf(orgId) >= revision;
  for (let pause = firstPause; !isReached(); pause = Math.min(2 * pause, maxPause)) {
    const remaining = deadline - performance.now();
    // A writer on a newer node does not wait for a node that cannot read its changes.
    if (remaining <= 0 || replica.unreadable(orgId)) return false;
    await withTimeout(remaining, synchroniser.synchronise(orgId)).catch(() => undefined);
    if (!isReached()) await wait(Math.max(0, Math.min(pause, deadline - performance.now())));
  }
  return true;
}

type Founding = { orgId: string; ownerId: string };

async function found({ replica, synchroniser, writer }: Parts, ctx: Publisher, { orgId, ownerId }: Founding) {
  const owner: AssignmentValue = { id: newId('asg'), subject: ownerId, roleId: 'role_owner', expiresAt: null };
  const event = await writer.inOrder(orgId, async () => {
    await synchroniser.synchronise(orgId);
    if (replica.unreadable(orgId)) throw apiError('UNAVAILABLE');
    return replica.revisionOf(orgId) > 0 ? null : await writer.insert(orgId, 1, { kind: 'founded', owner });
  });
  if (event) {
    await writer.announce(ctx, event);
    return { revision: 1 };
  }
  await synchroniser.synchronise(orgId);
  const graph = replica.org(orgId);
  if (!graph || !(await isFoundedBy(orgId, ownerId))) throw apiError('CONFLICT');
  return { revision: graph.revision };
}

/** Also true when the log no longer contains the first change. */
async function isFoundedBy(orgId: string, ownerId: string): Promise<boolean> {
  const [first] = await readChanges(orgId, 0);
  return first?.change.kind !== 'founded' || first.change.owner.subject === ownerId;
}

type Compaction = {
  compact: (orgId: string) => Promise<void>;
  look: (orgId: string, revision: number) => void;
  settled: () => Promise<void>;
};

/** Writes snapshots in the background. */
function createCompaction({ replica, logger }: Parts): Compaction {
  const working = new Set<Promise<void>>();

  async function compact(orgId: string): Promise<void> {
    const graph = replica.org(orgId);
    if (!graph || replica.unreadable(orgId) || !(await isSnapshotDue(graph))) return;
    await storeSnapshot(orgId, await serialise(graph));
    snapshots.inc({ outcome: 'done' });
  }

  return {
    compact,
    look(orgId, revision) {
      if (!isSnapshotCheckDue(revision)) return;
      const work = compact(orgId)
        .catch((error) => {
          snapshots.inc({ outcome: 'failed' });
          logger.warn('Writing an access snapshot failed; retrying after the next fifty changes', { error });
        })
        .finally(() => working.delete(work));
      working.add(work);
    },
    async settled() {
      await Promise.all(working);
    },
  };
}
