import type { AssignmentValue, SubjectId } from './changes.ts';
import type { RoleNode } from './role-table.ts';
import type { Assignment, Stamp } from './values.ts';

const maxChunkLength = 512;

/**
 * A set of ids in the order of their UTF-16 code units, to be read in pages from any place in it, also while it
 * changes. Adding and deleting cost a binary search and a move within one chunk.
 */
export class SortedIds {
  readonly #chunks: string[][] = [];

  add(id: string): void {
    const at = this.#chunkFor(id);
    const chunk = this.#chunks[at];
    if (!chunk) {
      this.#chunks.push([id]);
      return;
    }
    const index = placeIn(chunk, id);
    if (chunk[index] === id) return;
    chunk.splice(index, 0, id);
    if (chunk.length > maxChunkLength) this.#split(at, chunk);
  }

  delete(id: string): void {
    const at = this.#chunkFor(id);
    const chunk = this.#chunks[at];
    const index = chunk ? placeIn(chunk, id) : 0;
    if (chunk?.[index] !== id) return;
    chunk.splice(index, 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
  }

  /** At most `limit` ids after `after`, from the first when null. */
  page(after: string | null, limit: number): string[] {
    const found: string[] = [];
    let at = after === null ? 0 : this.#chunkFor(after);
    for (; at < this.#chunks.length && found.length < limit; at += 1) {
      const chunk = this.#chunks[at] ?? [];
      const from = after === null ? 0 : placeAfter(chunk, after);
      for (const id of chunk.slice(from, from + limit - found.length)) found.push(id);
    }
    return found;
  }

  /** At most `limit` ids before `before`, the last first; from the last when null. */
  pageBefore(before: string | null, limit: number): string[] {
    const found: string[] = [];
    let at = before === null ? this.#chunks.length - 1 : this.#chunkFor(before);
    for (; at >= 0 && found.length < limit; at -= 1) {
      const chunk = this.#chunks[at] ?? [];
      const end = before === null ? chunk.length : placeIn(chunk, before);
      for (const id of chunk.slice(Math.max(0, end - limit + found.length), end).reverse()) found.push(id);
    }
    return found;
  }

  /** The last chunk that begins at or before an id, or the first. */
  #chunkFor(id: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#chunks[middle]?.[0] ?? '') <= id) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  /** Ascending insertions fill a chunk; insertions in any order split it in halves. */
  #split(at: number, chunk: string[]): void {
    const isLast = at === this.#chunks.length - 1;
    this.#chunks.splice(at + 1, 0, chunk.splice(isLast ? maxChunkLength : maxChunkLength / 2));
  }
}

/** Where an id is in a sorted list, or would be. */
function placeIn(chunk: readonly string[], id: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((chunk[middle] ?? '') < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function placeAfter(chunk: readonly string[], id: string): number {
  const index = placeIn(chunk, id);
  return chunk[index] === id ? index + 1 : index;
}

/**
 * An assignment with its role. The records of a subject are a linked list, which saves an array for each of many
 * subjects. All fields but `next` are immutable: a change replaces the record.
 */
export type AssignmentRecord = {
  readonly id: string;
  readonly subject: SubjectId;
  readonly role: RoleNode;
  readonly expiresAt: number | null;
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  next: AssignmentRecord | null;
};

/** The assignments of an organization, by id and by subject. */
export class AssignmentTable {
  readonly #byId = new Map<string, AssignmentRecord>();
  readonly #bySubject = new Map<SubjectId, AssignmentRecord>();
  readonly #subjects = new SortedIds();
  /** The assignments that expire, by {@link insertIndexOf}. */
  readonly #expiries = new SortedIds();

  get size(): number {
    return this.#byId.size;
  }

  get subjectCount(): number {
    return this.#bySubject.size;
  }

  get(id: string): AssignmentRecord | undefined {
    return this.#byId.get(id);
  }

  /** The first of a subject's records; `next` leads to the others. */
  firstOf(subject: SubjectId): AssignmentRecord | undefined {
    return this.#bySubject.get(subject);
  }

  /** The record of the system role that a user has: at most one. */
  membershipOf(userId: SubjectId): AssignmentRecord | undefined {
    let record = this.firstOf(userId) ?? null;
    while (record && !record.role.systemRole) record = record.next;
    return record ?? undefined;
  }

  /** All of a subject's records, by id. */
  of(subject: SubjectId): AssignmentRecord[] {
    const records: AssignmentRecord[] = [];
    for (let record = this.firstOf(subject) ?? null; record; record = record.next) records.push(record);
    return records.sort((left, right) => (left.id < right.id ? -1 : 1));
  }

  /** All records, in order of insertion. */
  all(): AssignmentRecord[] {
    return [...this.#byId.values()];
  }

  /** At most `limit` subjects in order, those after `after`. */
  subjects(after: SubjectId | null, limit: number, backwards = false): SubjectId[] {
    return backwards ? this.#subjects.pageBefore(after, limit) : this.#subjects.page(after, limit);
  }

  /** The ids of at most `limit` assignments that expired at an instant or before, the first to expire first. */
  expired(at: number, limit: number): string[] {
    const places = this.#expiries.page(null, limit);
    const next = insertIndexOf({ id: '', expiresAt: at + 1 });
    return places.filter((entry) => entry < next).map((entry) => entry.slice(instantDigits));
  }

  /** Inserts or replaces the assignment with this id. */
  store({ id, subject, expiresAt }: AssignmentValue, role: RoleNode, { revision, at }: Stamp): void {
    const previous = this.#byId.get(id);
    this.restore({ id, subject, expiresAt, revision, createdAt: previous?.createdAt ?? at, updatedAt: at }, role);
  }

  /** Inserts a stored assignment unchanged. */
  restore(value: Omit<Assignment, 'roleId'>, role: RoleNode): void {
    const previous = this.#byId.get(value.id);
    const first = this.#bySubject.get(value.subject);
    // Equal texts that were read at different times are different objects: the first is shared.
    const subject = first?.subject ?? value.subject;
    const { expiresAt, revision, createdAt, updatedAt } = value;
    const id = previous?.id ?? value.id;
    const record = { id, subject, role, expiresAt, revision, createdAt, updatedAt, next: first ?? null };
    this.#bySubject.set(subject, record);
    if (!first) this.#subjects.add(subject);
    this.#byId.set(id, record);
    role.assigned += 1;
    if (previous) this.#unchain(previous);
    if (expiresAt !== null) this.#expiries.add(insertIndexOf({ id, expiresAt }));
  }

  remove(id: string): void {
    const record = this.#byId.get(id);
    if (!record) return;
    this.#byId.delete(id);
    this.#unchain(record);
  }

  removeSubject(subject: SubjectId): void {
    for (const { id } of this.of(subject)) this.remove(id);
  }

  /** Scans all assignments until the last of the role is found: cheaper than a list for each role. */
  removeRole(role: RoleNode): void {
    if (role.assigned === 0) return;
    for (const record of this.#byId.values()) {
      if (record.role === role) this.remove(record.id);
      if (role.assigned === 0) return;
    }
  }

  #unchain(record: AssignmentRecord): void {
    record.role.assigned -= 1;
    const { id, expiresAt } = record;
    if (expiresAt !== null) this.#expiries.delete(insertIndexOf({ id, expiresAt }));
    const first = this.#bySubject.get(record.subject);
    if (first !== record) {
      let before = first;
      while (before && before.next !== record) before = before.next ?? undefined;
      if (before) before.next = record.next;
    } else if (record.next) this.#bySubject.set(record.subject, record.next);
    else {
      this.#bySubject.delete(record.subject);
      this.#subjects.delete(record.subject);
    }
  }
}

/** The digits of the largest instant of JavaScript. */
const instantDigits = 16;

/** An assignment's id behind its expiry, so that texts sort by expiry. */
function insertIndexOf({ id, expiresAt }: { id: string; expiresAt: number }): string {
  return `${expiresAt}`.padStart(instantDigits, '0') + id;
}

/** Whether an assignment counts at an instant: `expiresAt` is the first at which it does not. */
export function isInForce(record: AssignmentRecord, at: number): boolean {
  return record.expiresAt === null || record.expiresAt > at;
}

/** An assignment as readers see it. */
export function viewOf({ role, next: _, ...record }: AssignmentRecord): Assignment {
  return { ...record, roleId: role.value.id };
}
