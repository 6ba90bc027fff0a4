import type { Context } from 'moleculer';
import { minute, now } from '../../../lib/clock.ts';
import { type VisitorDocument, VisitorModel } from '../../../models/connect/visitor.ts';
import { announcePresence } from '../conversations/hints.ts';

/** How long a visitor counts as online after a sign of the open widget, which is noted so often. */
const onlineFor = 2 * minute;
const touchEvery = minute;
const maxRemembered = 20_000;

/** When this process last noted a visitor, so that the checks of idle streams write nothing. */
const notedAt = new Map<string, number>();

export function isVisitorOnline({ lastSeenAt }: Pick<VisitorDocument, 'lastSeenAt'>): boolean {
  return now().getTime() - lastSeenAt.getTime() < onlineFor;
}

/** Notes that a visitor has the widget open, and announces one who has written and was not online. */
export async function noteVisitorSeen(
  ctx: Pick<Context, 'broadcast' | 'broker'>,
  orgId: string,
  visitorId: string,
): Promise<void> {
  const at = now();
  if (at.getTime() - (notedAt.get(visitorId) ?? 0) < touchEvery) return;
  remember(visitorId, at.getTime());
  const former = await VisitorModel.findOneAndUpdate(
    { orgId, _id: visitorId },
    { $set: { lastSeenAt: at } },
    { returnDocument: 'before' },
  ).lean<VisitorDocument>();
  if (former && !isVisitorOnline(former)) await announcePresence(ctx, orgId, { visitorId, online: true });
}

function remember(visitorId: string, at: number): void {
  notedAt.delete(visitorId);
  notedAt.set(visitorId, at);
  // The least recently noted one comes first.
  for (const oldest of notedAt.keys()) {
    if (notedAt.size <= maxRemembered) return;
    notedAt.delete(oldest);
  }
}
