import { EventEmitter, once } from 'node:events';
import { minute, now, second } from '../../../lib/data/clock.ts';
import type { PendingEventDocument } from '../../../models/context/pending-event.ts';

/** The delay in milliseconds after which due work is late. */
const maxDelay = minute;
/** The events admitted per event processed, for an organization whose work is late. */
const storedForEach = 3 / 4;
/**
 * The maximum budget that carries over to the next round: senders with few requests in flight do not use it up in one.
 */
const maxInherited = 1000;
/** The maximum wait of a sender, in milliseconds. */
const maxWait = second;

/** The number of events that may be stored now, by organization whose work is late. */
let budgets = new Map<string, number>();
const changes = new EventEmitter();
changes.setMaxListeners(0);

/** Records which organizations' work is late, from the oldest due work at the start of a round. */
export function updateBacklog(oldest: Pick<PendingEventDocument, 'orgId' | 'nextAttemptAt'>[]): void {
  const limit = now().getTime() - maxDelay;
  const late = oldest.filter(({ nextAttemptAt }) => nextAttemptAt.getTime() < limit);
  budgets = new Map(late.map(({ orgId }) => [orgId, Math.min(maxInherited, budgets.get(orgId) ?? 0)]));
  changes.emit('change');
}

/** Adds to the budget of an organization for events that were processed. */
export function creditBacklog(orgId: string, count: number): void {
  const budget = budgets.get(orgId);
  if (budget === undefined) return;
  budgets.set(orgId, budget + count * storedForEach);
  changes.emit('change');
}

export const isLate = (): boolean => budgets.size > 0;

/**
 * Resolves when `count` events of an organization may be stored: immediately, unless its work is late. Then it waits
 * until processed events have made its budget positive, for a second at most: otherwise the backlog would grow without
 * bound.
 */
export async function applyBackpressure(orgId: string, count: number): Promise<void> {
  if (!budgets.has(orgId)) return;
  const enough = AbortSignal.timeout(maxWait);
  while (isExhausted(orgId) && !enough.aborted)
    await once(changes, 'change', { signal: enough }).catch(() => undefined);
  const budget = budgets.get(orgId);
  if (budget !== undefined) budgets.set(orgId, budget - count);
}

const isExhausted = (orgId: string): boolean => (budgets.get(orgId) ?? Number.POSITIVE_INFINITY) <= 0;
