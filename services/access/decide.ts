import { Counter } from 'prom-client';
import { z } from 'zod';
import { apiError } from '../../lib/contract/errors.ts';
import { now } from '../../lib/data/clock.ts';
import type { SubjectId } from './graph/changes.ts';
import { accessSettings } from './settings.ts';
import type { AccessStore } from './store/access-store.ts';
import { nameInput, oneSubject, subjectInput } from './subjects.ts';

/** A check: whether a subject holds a permission. Any text is accepted; what is unknown is denied. */
export const question = { ...subjectInput, permission: nameInput };

/** A revision returned by a write; the check waits for at least this revision. */
export const minRevision = z.int().min(0).optional();

export const checkInput = z
  .strictObject({ ...question, minRevision })
  .meta(oneSubject)
  .meta({ id: 'AccessCheckInput' });

export const decisionOutput = z.strictObject({ allowed: z.boolean() }).meta({ id: 'AccessDecision' });

/** The maximum wait of a check for its `minRevision`. */
const maxWait = 2000;

const decided = { allowed: 0, denied: 0 };

new Counter({
  name: 'access_checks_total',
  help: 'Checks that this node answered, by outcome.',
  labelNames: ['outcome'],
  // Collected from a plain number: a labelled counter costs more than a check.
  collect() {
    this.reset();
    this.inc({ outcome: 'allowed' }, decided.allowed);
    this.inc({ outcome: 'denied' }, decided.denied);
  },
});

/**
 * Decides from the in-memory replica, synchronously, whether a subject holds a permission. Deny by default.
 *
 * @throws UNAVAILABLE where {@link mayAnswer} does.
 */
export function decide(store: AccessStore, orgId: string, subject: SubjectId, permission: string): boolean {
  return countDecision(
    mayAnswer(store, orgId) && store.org(orgId)?.check(subject, permission, now().getTime()) === true,
  );
}

/** Counts an answer for the metrics and returns it. */
export function countDecision(allowed: boolean): boolean {
  if (allowed) decided.allowed += 1;
  else decided.denied += 1;
  return allowed;
}

/**
 * Whether this node may decide by its knowledge of an organization; false when it denies everything.
 *
 * @throws UNAVAILABLE the organization holds data that this version cannot read; or the node may have missed a change,
 *   unless ACCESS_WHEN_STALE has it deny or answer all the same.
 */
export function mayAnswer(store: AccessStore, orgId: string): boolean {
  if (!store.isReadable(orgId)) throw apiError('UNAVAILABLE');
  return isReplicaFresh(store);
}

function isReplicaFresh(store: AccessStore): boolean {
  if (store.isCurrent() || accessSettings.ACCESS_WHEN_STALE === 'answer') return true;
  if (accessSettings.ACCESS_WHEN_STALE === 'refuse') throw apiError('UNAVAILABLE');
  return false;
}

/** Throws UNAVAILABLE where {@link mayAnswer} does, and where it denies: an empty list is not a denial. */
export function requireAnswer(store: AccessStore, orgId: string): void {
  if (!mayAnswer(store, orgId)) throw apiError('UNAVAILABLE');
}

/** Throws UNAVAILABLE unless the list of a user's organizations is complete: a missing one would be a denial. */
export function requireMemberships(store: AccessStore, userId: string): void {
  if (!isReplicaFresh(store) || !store.knowsMembershipsOf(userId)) throw apiError('UNAVAILABLE');
}

/**
 * Waits until this node has a revision of an organization, so that a check sees the write that returned it.
 *
 * @throws REVISION_NOT_REACHED after two seconds: the revision is still to come, here or at all.
 */
export async function awaitRevision(store: AccessStore, orgId: string, minRevision: number): Promise<void> {
  if (await store.reach(orgId, minRevision, maxWait)) return;
  throw apiError('REVISION_NOT_REACHED');
}
