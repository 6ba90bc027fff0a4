import type { Context } from 'moleculer';
import { minute, now } from '../../../lib/clock.ts';
import { type VisitorDocument, VisitorModel } from '../../../models/connect/visitor.ts';
import { announcePresence } from '../conversations/hints.ts';

/**
 * How long a visitor counts as online after the last sign of the open widget; also the interval at which signs are
 * stored.
 */
const onlineFor = 2 * minute;
const touchEvery = minute;
const maxRemembered = 20_000;

/** When this process last recorded a visitor, so that checks of idle streams write nothing. */
const notedAt = new Map<string, number>();

export function isVisitorOnline({ lastSeenAt }: Pick<VisitorDocument, 'lastSeenAt'>): boolean {
  return now().getTime() - lastSeenAt.getTime() < onlineFor;
}

/**
 * Records that a visitor has the widget open, and publishes a presence change if a visitor who has written was offline.
 */
export async function noteVisitorSeen(
  ctx: Pick<Context, 'broadcast' | 'broker'>,
  orgId: string,
  visitorId: string,
): Promise<void> {
  const at = now();
  if (at.getTime() - (notedAt.get(visitorId) ?? 0) < touchEvery) return;
  remember(visitorId, at.getTime());
  const previous = await VisitorModel.findOneAndUpdate(
    { orgId, _id: visitorId },
    { $set: { lastSeenAt: at } },
    { returnDocument: 'before' },
  ).lean<VisitorDocument>();
  if (previous && !isVisitorOnline(previous)) await announcePresence(ctx, orgId, { visitorId, online: true });
}

function remember(visitorId: string, at: number): void {
  notedAt.delete(visitorId);
  notedAt.set(visitorId, at);
  // The map is in order of recency, oldest first.
  for (const oldest of notedAt.keys()) {
    if (notedAt.size <= maxRemembered) return;
    notedAt.delete(oldest);
  }
}
