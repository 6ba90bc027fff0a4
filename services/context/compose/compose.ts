import { chunk, concurrently } from '../../../lib/concurrency/concurrently.ts';
import { yieldIfSliceOver } from '../../../lib/concurrency/time-slice.ts';
import { leaseFromNow, leaseNow, second } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { type CustomerDocument, CustomerModel } from '../../../models/context/customer.ts';
import { type EventDocument, EventModel } from '../../../models/context/event.ts';
import { idAt, noTiebreaker, type Position } from '../story/event.ts';
import { type Groups, runInTurns } from './group-events.ts';
import {
  addEvent,
  asWritten,
  type Fold,
  foldEvents,
  foldKeyOf,
  isNewer,
  isUsable,
  nameCustomer,
  openPreviousFold,
  type Progress,
  progressOf,
  revisionOf,
  toMarks,
  toWrite,
  type Write,
  write,
  writeBatched,
} from './progress.ts';

/** The maximum number of events of one read. */
const readSize = 250;
/** The number of reads of a round, of one customer or of several; the progress is stored after them. */
const readsOfRound = 4;
/** How long other nodes skip a customer who is being worked on. */
const roundLease = 5 * second;
/**
 * The maximum number of customers of one read: their folds are in memory together, several times a fold's size each.
 */
const customersOfRead = 16;
/** The bytes of progress from which it is written: the more customers a write has, the fewer commits there are. */
const bytesOfWrite = 64 * 1024;
/** The concurrency of reads and writes: some customers are folded while others are read and written. */
const laneConcurrency = 2;
/** The concurrency of the reads of a round for several customers. */
const readConcurrency = 8;
/** The concurrency for customers that are written one by one, so that their writes share the database's commits. */
const customerConcurrency = 8;

/**
 * Folds events that were just assigned to customers into their stories. Returns the customers whose progress includes
 * the events, or is behind and will read them; the others were merged or erased concurrently.
 */
export async function composeStories(orgId: string, added: Groups): Promise<Groups> {
  const names = [...added.keys()].map(turnOf);
  return await runInTurns(orgId, names, async () => {
    const composed = new Set<string>();
    const writes: Write[] = [];
    const writeBrought = async () => {
      const batch = writes.splice(0);
      if (batch.length === 0) return;
      for (const customer of await writeOrBringAgain(orgId, added, batch)) composed.add(customer);
    };
    await concurrently(chunk([...added.keys()], customersOfRead), laneConcurrency, async (batchOfCustomers) => {
      writes.push(...(await applyEvents(orgId, added, batchOfCustomers)));
      if (writes.reduce((sum, { bytes }) => sum + bytes, 0) >= bytesOfWrite) await writeBrought();
    });
    await writeBrought();
    return new Map([...added].filter(([customer]) => composed.has(customer)));
  });
}

/** Folds the events into customers who are read together, and returns the writes; omits merged or erased customers. */
async function applyEvents(orgId: string, added: Groups, customers: string[]): Promise<Write[]> {
  const collection = nativeCollection<CustomerDocument>(CustomerModel);
  const documents = await collection.find({ orgId, _id: { $in: customers } }).toArray();
  const writes: Write[] = [];
  let startedAt = performance.now();
  for (const document of documents.filter(isUsable)) {
    startedAt = await yieldIfSliceOver(startedAt);
    writes.push(await toBringIn(document, added.get(document._id) ?? []));
  }
  return writes;
}

/** An older node only marks the fold of a newer version, whose nodes continue it. */
async function toBringIn(document: CustomerDocument, added: EventDocument[]): Promise<Write> {
  if (isNewer(document)) return toMarks(document, added);
  return await toWrite(document, document.revision, foldEvents(progressOf(document), added), { added });
}

/** Returns the customers whose progress includes the events now. */
async function writeOrBringAgain(orgId: string, added: Groups, writes: Write[]): Promise<Set<string>> {
  const customers = new Set(writes.map(({ filter }) => filter._id));
  if ((await writeBatched(writes)) < writes.length) await retryApply(orgId, added, customers);
  return customers;
}

/** After a concurrent write by another node, all customers are written again: which of them it changed is not known. */
async function retryApply(orgId: string, added: Groups, composed: Set<string>): Promise<void> {
  await concurrently([...composed], customerConcurrency, async (customer) => {
    for (;;) {
      const document = await CustomerModel.findOne({ orgId, _id: customer }).lean<CustomerDocument>();
      if (!document || !isUsable(document)) return composed.delete(customer);
      if (await write(await toBringIn(document, added.get(customer) ?? []))) return true;
    }
  });
}

/** `isCurrent`: `fold` includes every event that was assigned before; null when the customer is gone. */
type CaughtUp = { isCurrent: boolean; fold: Fold | null };

/**
 * Continues the fold of a customer that is behind, for a read, in rounds: each reads events, folds them in slices, and
 * stores the progress. Ends when the fold is current, or after a round when `mayGoOn` returns false. After a
 * concurrent write it continues without storing, because the events that the read waits for were assigned before.
 */
export async function catchUpFold(orgId: string, customer: string, mayGoOn: () => boolean): Promise<CaughtUp> {
  for (let known: Known | null = null; ; ) {
    known = await runInTurns(orgId, [turnOf(customer)], () => catchUpRound(orgId, customer, known));
    if (!known) return { isCurrent: true, fold: null };
    if (!known.progress.isBehind) return { isCurrent: true, fold: await foldOf(known) };
    if (mayGoOn()) continue;
    await deferToComposer(known);
    return { isCurrent: false, fold: null };
  }
}

/** The customers whose previous fold a read has not finished. */
const unfinished = new Map<string, { orgId: string; customer: string }>();

/** Takes customers whose previous folds this process has to continue. */
export function takeUnfinished(limit: number): { orgId: string; customer: string }[] {
  const taken = [...unfinished].slice(0, limit);
  for (const [name] of taken) unfinished.delete(name);
  return taken.map(([, customer]) => customer);
}

/** `composeAt` belongs to the newest fold, so this process remembers an unfinished previous fold. */
async function deferToComposer({ document }: Known): Promise<void> {
  const { orgId, _id } = document;
  if (isNewer(document)) unfinished.set(`${orgId}:${_id}`, { orgId, customer: _id });
  else await CustomerModel.updateOne({ orgId, _id, composeAt: { $ne: null } }, { $set: { composeAt: leaseNow() } });
}

/**
 * Runs one round for several customers of an organization, with one read and one write for all of them. A customer
 * whose write loses to a concurrent one stays due.
 */
export async function catchUpBatch(orgId: string, customers: string[]): Promise<void> {
  await runInTurns(orgId, customers.map(turnOf), async () => {
    const documents = await CustomerModel.find({ orgId, _id: { $in: customers } }).lean<CustomerDocument[]>();
    const behind = documents.filter(isUsable).flatMap((document) => knownOf(document) ?? []);
    const reads = Math.max(1, Math.floor(readsOfRound / behind.length));
    const writes: Write[] = [];
    await concurrently(behind, readConcurrency, async (known) => {
      if (!known.progress.isBehind) return;
      const progress = await foldRound(known, reads);
      writes.push(await toWrite(known.document, known.revision, progress));
      if (progress.isBehind && isNewer(known.document)) await deferToComposer(known);
    });
    if (writes.length > 0) await writeBatched(writes);
  });
}

/** A customer as this process has read or stored them last; `hasDiverged`: a concurrent write came first. */
type Known = { document: CustomerDocument; revision: number; progress: Progress; hasDiverged: boolean };

/** Null when the customer is gone. */
async function catchUpRound(orgId: string, customer: string, previous: Known | null): Promise<Known | null> {
  const known = previous ?? (await readKnown(orgId, customer));
  if (!known?.progress.isBehind) return known;
  const progress = await foldRound(known, readsOfRound);
  if (known.hasDiverged) return { ...known, progress };
  const dueAt = leaseFromNow(roundLease);
  const isStored = await write(await toWrite(known.document, known.revision, progress, { dueAt }));
  const document = isStored ? asWritten(known.document) : known.document;
  return { document, revision: known.revision + 1, progress, hasDiverged: !isStored };
}

/** The fold that was composed, unless the customer was merged or erased before it could be stored. */
async function foldOf({ document, progress, hasDiverged }: Known): Promise<Fold | null> {
  const { orgId, _id } = document;
  if (hasDiverged) {
    if (!(await readKnown(orgId, _id))) return null;
    await nameCustomer(orgId, _id, progress.fold);
  }
  return progress.fold;
}

async function readKnown(orgId: string, customer: string): Promise<Known | null> {
  for (;;) {
    const document = await CustomerModel.findOne({ orgId, _id: customer }).lean<CustomerDocument>();
    if (!document || !isUsable(document)) return null;
    const known = knownOf(document);
    if (known) return known;
    await openPreviousFold(document);
  }
}

/** Null when the fold of this version must be opened first. */
function knownOf(document: CustomerDocument): Known | null {
  const revision = revisionOf(document);
  return revision === null ? null : { document, revision, progress: progressOf(document), hasDiverged: false };
}

/** Folds the events of several reads, each of which is in flight while the events of the previous one are folded. */
async function foldRound({ document, progress }: Known, reads: number): Promise<Progress> {
  let folded = progress;
  let next = readAfter(document, folded.fold.state.last);
  for (let read = 1; ; read += 1) {
    const events = await next;
    const isBehind = events.length === readSize;
    const last = events.at(-1);
    const goesOn = isBehind && last !== undefined && read < reads;
    if (goesOn) {
      next = readAfter(document, foldKeyOf(last));
      // Until it is awaited.
      next.catch(() => undefined);
    }
    folded = await foldInSlices(folded, events);
    if (!goesOn) return { ...folded, isBehind };
  }
}

/** The next events in the order of the story, each part of which the index finds. */
async function readAfter({ orgId, _id }: CustomerDocument, last: Position | null): Promise<EventDocument[]> {
  const own = { orgId, customer: _id, expired: { $ne: true } };
  if (!last) return await readInOrder(own, readSize);
  const at = new Date(last.at);
  const tiebreaker = last.tiebreaker === noTiebreaker ? null : last.tiebreaker;
  const parts = [
    { occurredAt: at, tiebreaker, eventId: { $gt: idAt(last) } },
    { occurredAt: at, tiebreaker: { $gt: last.tiebreaker } },
    { occurredAt: { $gt: at } },
  ];
  const events: EventDocument[] = [];
  for (const part of parts) {
    events.push(...(await readInOrder({ ...own, ...part }, readSize - events.length)));
    if (events.length === readSize) break;
  }
  return events;
}

function readInOrder(filter: { orgId: string; [field: string]: unknown }, limit: number): Promise<EventDocument[]> {
  return EventModel.find(filter)
    .sort({ occurredAt: 1, tiebreaker: 1, eventId: 1 })
    .limit(limit)
    .batchSize(limit)
    .lean<EventDocument[]>();
}

async function foldInSlices(from: Progress, events: EventDocument[]): Promise<Progress> {
  let progress = from;
  let startedAt = performance.now();
  for (const event of events) {
    progress = addEvent(progress, event);
    startedAt = await yieldIfSliceOver(startedAt);
  }
  return progress;
}

const turnOf = (customer: string): string => `customer ${customer}`;
