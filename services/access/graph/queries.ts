import { type AssignmentRecord, isInForce } from './assignment-table.ts';
import { type Bits, bitsOf, hasBit, unionOf } from './bits.ts';
import type { SubjectId } from './changes.ts';
import type { GraphTables } from './tables.ts';
import { kindOf, type SubjectKind } from './values.ts';

/** A page of subjects: after one, and at most `limit`. */
export type SubjectRange = { after?: SubjectId | null; limit?: number };

const nothing = bitsOf([]);
/** Takes a millisecond or two, after which other work gets a turn. */
const subjectsInOneTurn = 2000;

/** Whether a subject holds a permission. The hot path: unlike the rest of this file, it allocates no objects. */
export function isHeld(tables: GraphTables, subject: SubjectId, permission: string, at: number): boolean {
  const index = tables.permissions.placeOf(permission);
  if (index === undefined) return false;
  let record = tables.assignments.firstOf(subject) ?? null;
  for (; record; record = record.next) {
    if (hasBit(record.role.effective, index) && isInForce(record, at)) return true;
  }
  return false;
}

/** The union of the permissions of a subject's assignments in force. */
export function heldBy(
  { assignments }: GraphTables,
  subject: SubjectId,
  at: number,
  counts: (record: AssignmentRecord) => boolean,
): Bits {
  let granted = nothing;
  let record = assignments.firstOf(subject) ?? null;
  for (; record; record = record.next) {
    if (isInForce(record, at) && counts(record)) granted = unionOf(granted, [record.role.effective]);
  }
  return granted;
}

/** All subjects after one in order, or `backwards`, in pages; the graph may change in between. */
export function* subjectPages(
  tables: GraphTables,
  after: SubjectId | null,
  backwards = false,
): Generator<SubjectId[], void> {
  let page = tables.assignments.subjects(after, subjectsInOneTurn, backwards);
  while (page.length > 0) {
    yield page;
    page = tables.assignments.subjects(page.at(-1) ?? null, subjectsInOneTurn, backwards);
  }
}

type EdgeRequest = SubjectRange & { permission: string; at: number; kind: SubjectKind };

/** The subjects of a kind that hold a permission, sorted, in pages. */
export function* holdersOf(tables: GraphTables, request: EdgeRequest): Generator<SubjectId[], void> {
  const { permission, at, kind, after = null, limit = Number.POSITIVE_INFINITY } = request;
  let remaining = limit;
  for (const page of subjectPages(tables, after)) {
    const holders = page.filter((subject) => kindOf(subject) === kind && isHeld(tables, subject, permission, at));
    yield holders.slice(0, remaining);
    remaining -= holders.length;
    if (remaining <= 0) return;
  }
}
