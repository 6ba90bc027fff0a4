import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import mongoose from 'mongoose';
import { type EmbeddedMongo, startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { newId } from '../../../lib/data/ids.ts';
import { ChangeModel } from '../../../models/access/change.ts';
import { HeadModel } from '../../../models/access/head.ts';
import { PermissionDescriptionModel } from '../../../models/access/permission-description.ts';
import { SnapshotModel } from '../../../models/access/snapshot.ts';
import type { AssignmentValue, Change } from '../../../services/access/graph/changes.ts';
import type { Assignment, OrgGraph, Permission, Role } from '../../../services/access/graph/org-graph.ts';
import { type OpenStore, openStore } from '../../../services/access/store/open-store.ts';
import type { AccessChanged, Publisher } from '../../../services/access/store/synchroniser.ts';
import { quietLogger } from '../../support/quiet-logger.ts';

/** Several nodes' stores in one process, on one database. */
export type OwnStores = {
  /** Opens a node's store; one that is `blind` looks into the database only when it is told to. */
  open: (options?: { blind: boolean }) => Promise<Node>;
  /** Decides what becomes of an event that is broadcast; it is lost by default. */
  deliver: (event: AccessChanged, to: Node) => void;
};

export type Node = {
  store: OpenStore;
  teller: Publisher /** What this node told its own listeners. */;
  told: AccessChanged[];
};

/**
 * Gives the tests of a file a database of their own, and stores on it: an embedded one, or a database with a name of its
 * own at `url`. A store is stopped when its test has ended.
 */
export function ownStores(url?: string): OwnStores {
  let folder: string;
  let embedded: EmbeddedMongo | undefined;
  const nodes: Node[] = [];
  const own: OwnStores = {
    async open({ blind } = { blind: false }) {
      const told: AccessChanged[] = [];
      const neighbours = {
        tellHere: (event: AccessChanged) => Promise.resolve(void told.push(event)),
        bringAlong: () => Promise.resolve(),
      };
      const node: Node = { store: await openStore(neighbours, quietLogger), teller: tellerOf(() => node), told };
      nodes.push(node);
      if (blind) await node.store.stop();
      return node;
    },
    deliver: () => undefined,
  };
  const tellerOf = (self: () => Node): Publisher => ({
    broadcast: (_name: string, event?: unknown) => {
      for (const node of nodes) if (node !== self()) own.deliver(event as AccessChanged, node);
      return Promise.resolve();
    },
  });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'access-'));
    if (url === undefined) embedded = await startEmbeddedMongo({ dir: folder });
    const options = { dbName: `access-${randomUUID().slice(0, 8)}`, autoIndex: false, autoCreate: false };
    await mongoose.connect(url ?? embedded?.url ?? '', options);
    for (const model of [ChangeModel, HeadModel, PermissionDescriptionModel, SnapshotModel])
      await model.createIndexes();
  });
  afterEach(async () => {
    own.deliver = () => undefined;
    for (const { store } of nodes.splice(0)) await store.stop();
  });
  afterAll(async () => {
    await mongoose.connection.dropDatabase();
    await mongoose.disconnect();
    await embedded?.close();
    await rm(folder, { recursive: true, force: true });
  });
  return own;
}

/** A change that a node makes whatever the graph holds, and the snapshot that this may bring about. */
export async function make({ store, teller }: Node, orgId: string, change: Change): Promise<number> {
  const { revision } = await store.change(teller, orgId, () => ({ change, result: null }));
  await store.settled();
  return revision;
}

export async function newOrganization({ store, teller }: Node): Promise<{ orgId: string; ownerId: string }> {
  const [orgId, ownerId] = [newId('org'), newId('usr')];
  await store.found(teller, orgId, ownerId);
  return { orgId, ownerId };
}

export function assigned(subject: string, roleId: string, more: Partial<AssignmentValue> = {}): Change {
  return { kind: 'assignmentStored', assignment: { id: newId('asg'), subject, roleId, expiresAt: null, ...more } };
}

export function roleStored(
  id: string,
  more: { name?: string; includes?: string[]; permissions?: string[] } = {},
): Change {
  return { kind: 'roleStored', role: { id, name: id, description: '', permissions: [], includes: [], ...more } };
}

type Contents = { revision: number; roles: Role[]; permissions: Permission[]; assignments: Assignment[] };

/** All that a node knows of an organization, in an order that depends on nothing else; null when it knows none. */
export function contentsOf({ store }: Node, orgId: string): Contents | null {
  const graph = store.org(orgId);
  return graph
    ? { revision: graph.revision, roles: graph.roles(), permissions: graph.permissions(), assignments: allOf(graph) }
    : null;
}

function allOf(graph: OrgGraph): Assignment[] {
  const subjects = new Set<string>();
  for (const part of graph.toSnapshot()) for (const [, subject] of part.assignments) subjects.add(subject);
  return [...subjects].sort().flatMap((subject) => graph.assignments(subject));
}

/** The revisions that stand in the log of an organization. */
export async function revisionsOf(orgId: string): Promise<number[]> {
  const entries = await ChangeModel.find({ orgId }, { revision: 1 }).sort({ revision: 1 }).lean();
  return entries.map(({ revision }) => revision);
}

export const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);
