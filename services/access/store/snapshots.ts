import { randomUUID } from 'node:crypto';
import { yieldIfSliceOver } from '../../../lib/concurrency/time-slice.ts';
import { now } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { type HeadDocument, HeadModel, type SnapshotReference } from '../../../models/access/head.ts';
import { type SnapshotDocument, SnapshotModel } from '../../../models/access/snapshot.ts';
import { OrgGraph } from '../graph/org-graph.ts';
import { permissionOf, permissionRow, type SnapshotPart, SnapshotReader } from '../graph/snapshot.ts';
import { adoptDescriptions } from './descriptions.ts';
import { readHead } from './log.ts';
import { reading } from './replica.ts';

/** The minimum of changes after a snapshot that justify another. */
const minChanges = 50;
const entitiesInPart = 2000;
const partConcurrency = 2;

/**
 * Whether the changes since the last snapshot justify another: fifty, or a twentieth of its entities. Half of fifty are
 * enough, for the last snapshot may include changes from after its check.
 */
export async function isSnapshotDue(graph: OrgGraph): Promise<boolean> {
  const head = await readHead(graph.orgId);
  const { roles, permissions, assignments } = graph.sizes();
  const enough = Math.max(minChanges / 2, (roles + permissions + assignments) / 20);
  return graph.revision - (head?.snapshot?.revision ?? 0) >= enough;
}

/** Whether the writer of a revision checks for a snapshot: each revision has one writer, so only one node checks. */
export function isSnapshotCheckDue(revision: number): boolean {
  return revision % minChanges === 0;
}

/** False when no snapshot can be due. */
export function mayNeedSnapshot({ revision, closed, snapshot }: HeadDocument): boolean {
  return !closed && revision - (snapshot?.revision ?? 0) >= minChanges;
}

type Serialised = { revision: number; texts: string[] };

/** The graph as texts, as of the call. */
export async function serialise(graph: OrgGraph): Promise<Serialised> {
  const { revision } = graph;
  const parts = graph.toSnapshot(entitiesInPart);
  const texts: string[] = [];
  let startedAt = performance.now();
  for (const part of parts) {
    texts.push(JSON.stringify(part));
    startedAt = await yieldIfSliceOver(startedAt);
  }
  return { revision, texts };
}

/** Stores a snapshot, and makes it the one of the organization's head, unless the head has a newer one. */
export async function storeSnapshot(orgId: string, { revision, texts }: Serialised): Promise<void> {
  const id = randomUUID();
  const createdAt = now();
  for (const [part, data] of texts.entries()) {
    const document = { _id: `${orgId}:${id}:${part}`, orgId, snapshotId: id, part, revision, createdAt, data };
    await nativeCollection<SnapshotDocument>(SnapshotModel).insertOne(document);
  }
  const snapshot: SnapshotReference = { id, revision, parts: texts.length, at: createdAt };
  const older = { _id: orgId, closed: false, $or: [{ snapshot: null }, { 'snapshot.revision': { $lt: revision } }] };
  await HeadModel.updateOne(older, { $set: { snapshot } });
}

/** Moves the descriptions in a part that an earlier release wrote to their present collection. */
async function moveDescriptions(orgId: string, { _id }: SnapshotDocument, part: SnapshotPart): Promise<void> {
  const legacy = part.permissions.filter(([, , , , describedIn]) => describedIn === undefined);
  if (legacy.length === 0) return;
  await adoptDescriptions(
    orgId,
    legacy.map(([key, description]) => ({ key, description })),
  );
  const permissions = part.permissions.map((row) => permissionRow(permissionOf(row)));
  await SnapshotModel.updateOne({ orgId, _id }, { $set: { data: JSON.stringify({ ...part, permissions }) } });
}

type Documents = Iterable<SnapshotDocument> | AsyncIterable<SnapshotDocument>;

/** The graph of a snapshot; null when parts of it are gone. Throws UnreadableError when this version cannot read it. */
export async function readSnapshot(orgId: string, reference: SnapshotReference): Promise<OrgGraph | null> {
  const reader = new SnapshotReader();
  const query = SnapshotModel.find({ orgId, snapshotId: reference.id }, { data: 1 }).sort({ part: 1 });
  const documents: Documents =
    reference.parts <= partConcurrency
      ? await query.lean<SnapshotDocument[]>()
      : (query.lean<SnapshotDocument[]>().cursor({ batchSize: partConcurrency }) as AsyncIterable<SnapshotDocument>);
  let parts = 0;
  // Parses one part at a time, to bound the memory and the time on the event loop.
  for await (const document of documents) {
    const part: SnapshotPart = reading('A snapshot', () => JSON.parse(document.data));
    reading('A snapshot', () => reader.add(part));
    await moveDescriptions(orgId, document, part);
    parts += 1;
  }
  if (parts !== reference.parts) return null;
  return reading('A snapshot', () => OrgGraph.fromReader(orgId, reference.revision, reader));
}
