import { EventEmitter, once } from 'node:events';
import { minute, now, second } from '../../lib/clock.ts';
import type { PendingEventDocument } from '../../models/context/pending-event.ts';

/** Work that has waited for so long is late. */
const maxDelay = minute;
/** How many events of an organization are stored for each that was brought into a story, while its work is late. */
const storedForEach = 3 / 4;
/** The maximum of the budget that the next round inherits: senders with few requests in flight do not use it up in one. */
const maxInherited = 1000;
/** The longest that events wait. */
const maxWait = second;

/** How many events may be stored now, by the organizations whose work is late. */
let budgets = new Map<string, number>();
const changes = new EventEmitter();
changes.setMaxListeners(0);

/** Notes which organizations' work is late, by the oldest that is due when a round begins. */
export function updateBacklog(oldest: Pick<PendingEventDocument, 'orgId' | 'nextAttemptAt'>[]): void {
  const limit = now().getTime() - maxDelay;
  const late = oldest.filter(({ nextAttemptAt }) => nextAttemptAt.getTime() < limit);
  budgets = new Map(late.map(({ orgId }) => [orgId, Math.min(maxInherited, budgets.get(orgId) ?? 0)]));
  changes.emit('change');
}

/** Notes that events of an organization were brought into stories. */
export function creditBacklog(orgId: string, count: number): void {
  const former = budgets.get(orgId);
  if (former === undefined) return;
  budgets.set(orgId, former + count * storedForEach);
  changes.emit('change');
}

export const isLate = (): boolean => budgets.size > 0;

/**
 * Resolves when so many events of an organization may be stored: at once, unless its stories are late. Then they wait
 * until as many others were brought into stories, for a second at most: else stories would fall behind without end.
 */
export async function applyBackpressure(orgId: string, count: number): Promise<void> {
  if (!budgets.has(orgId)) return;
  const enough = AbortSignal.timeout(maxWait);
  while (isExhausted(orgId) && !enough.aborted)
    await once(changes, 'change', { signal: enough }).catch(() => undefined);
  const left = budgets.get(orgId);
  if (left !== undefined) budgets.set(orgId, left - count);
}

const isExhausted = (orgId: string): boolean => (budgets.get(orgId) ?? Number.POSITIVE_INFINITY) <= 0;
