import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { now } from '../../../lib/clock.ts';
import { nativeCollection } from '../../../lib/native-collection.ts';
import { type HeadDocument, HeadModel, type SnapshotReference } from '../../../models/access/head.ts';
import { type SnapshotDocument, SnapshotModel } from '../../../models/access/snapshot.ts';
import { OrgGraph } from '../graph/org-graph.ts';
import { type SnapshotPart, SnapshotReader } from '../graph/snapshot.ts';
import { permissionOf, permissionRow } from '../graph/snapshot-rows.ts';
import { adoptDescriptions } from './descriptions.ts';
import { readHead } from './log.ts';
import { reading } from './unreadable.ts';

/** With fewer changes than these after it a snapshot is good enough. */
const minChanges = 50;
const entitiesInPart = 2000;
const partsAtOnce = 2;
/** Longer than this, in milliseconds, nothing else waits for a snapshot. */
const maxSlice = 8;

/**
 * Whether the changes since the last snapshot are worth another: fifty, or a twentieth of what it would hold. Half of
 * fifty count as enough, for the last one may have been of a few changes later than it was looked for.
 */
export async function isSnapshotDue(graph: OrgGraph): Promise<boolean> {
  const head = await readHead(graph.orgId);
  const { roles, permissions, assignments } = graph.sizes();
  const enough = Math.max(minChanges / 2, (roles + permissions + assignments) / 20);
  return graph.revision - (head?.snapshot?.revision ?? 0) >= enough;
}

/** When a writer looks whether one is due: each revision has one writer, so that one of all nodes looks. */
export function isTimeToLook(revision: number): boolean {
  return revision % minChanges === 0;
}

/** False when none can be due. */
export function mayNeedSnapshot({ revision, closed, snapshot }: HeadDocument): boolean {
  return !closed && revision - (snapshot?.revision ?? 0) >= minChanges;
}

type Serialised = { revision: number; texts: string[] };

/** The graph as texts, as it is at the call. */
export async function serialise(graph: OrgGraph): Promise<Serialised> {
  const { revision } = graph;
  const parts = graph.toSnapshot(entitiesInPart);
  const texts: string[] = [];
  let since = performance.now();
  for (const part of parts) {
    texts.push(JSON.stringify(part));
    if (performance.now() - since < maxSlice) continue;
    await setImmediate();
    since = performance.now();
  }
  return { revision, texts };
}

/** Stores a snapshot, and has the organization's head name it when that names no newer one. */
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

/** Moves the descriptions that an earlier release wrote into a part to where they are kept today. */
async function moveDescriptions(orgId: string, { _id }: SnapshotDocument, part: SnapshotPart): Promise<void> {
  const former = part.permissions.filter(([, , , , describedIn]) => describedIn === undefined);
  if (former.length === 0) return;
  await adoptDescriptions(
    orgId,
    former.map(([key, description]) => ({ key, description })),
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
    reference.parts <= partsAtOnce
      ? await query.lean<SnapshotDocument[]>()
      : (query.lean<SnapshotDocument[]>().cursor({ batchSize: partsAtOnce }) as AsyncIterable<SnapshotDocument>);
  let parts = 0;
  // One part at a time is turned from text into the graph, so that neither memory nor the event loop takes them all.
  for await (const document of documents) {
    const part: SnapshotPart = reading('A snapshot', () => JSON.parse(document.data));
    reading('A snapshot', () => reader.add(part));
    await moveDescriptions(orgId, document, part);
    parts += 1;
  }
  if (parts !== reference.parts) return null;
  return reading('A snapshot', () => OrgGraph.fromReader(orgId, reference.revision, reader));
}
