import { now } from '../lib/clock.ts';
import type { ChangeNotification } from '../lib/hints.ts';
import { idFrom, idRandomBytes, timeOfId } from '../lib/ids.ts';

/** How long hints are kept for clients that connect again, and how many of a channel and in all. */
const keptMilliseconds = 120_000;
const maxOfChannel = 100;
const maxHints = 20_000;
/** How far the clocks of two nodes may differ: older hints may have been sent later. */
const clockSkew = 30_000;

/** The hints that this listener has received lately, by channel. */
export type RecentHints = {
  add: (hint: ChangeNotification) => void;
  /**
   * The hints of some channels since an id, and some before it, because the clocks of senders differ; null when one
   * may be missing.
   */
  since: (lastId: string, channels: readonly string[]) => ChangeNotification[] | null;
  /** From now on hints from before are not known to be complete: this node may have missed some. */
  restart: () => void;
};

export function createRecentHints(): RecentHints {
  const kept = new Map<string, ChangeNotification[]>();
  /** The time up to which hints of a channel may be missing. */
  const missingUntil = new Map<string, number>();
  let completeSince = now().getTime();
  let count = 0;

  function drop(channel: string, hints: ChangeNotification[]): void {
    const oldest = hints.shift();
    count -= 1;
    if (oldest) missingUntil.set(channel, Math.max(missingUntil.get(channel) ?? 0, timeOfId(oldest.id)));
    if (hints.length === 0) kept.delete(channel);
  }

  /** Channels are in the order of their last hint, so the least recently used one comes first. */
  function evict(): void {
    const oldest = now().getTime() - keptMilliseconds;
    for (const [channel, hints] of kept) {
      while (hints[0] && (timeOfId(hints[0].id) < oldest || count > maxHints)) drop(channel, hints);
      if (hints.length > 0) break;
    }
    // What fell out of the window is missing for every channel alike.
    if (missingUntil.size > maxHints) {
      missingUntil.clear();
      completeSince = now().getTime();
    }
  }

  return {
    add(hint) {
      const hints = kept.get(hint.channel) ?? [];
      kept.delete(hint.channel);
      hints.push(hint);
      kept.set(hint.channel, hints);
      count += 1;
      if (hints.length > maxOfChannel) drop(hint.channel, hints);
      evict();
    },
    since(lastId, channels) {
      const from = timeOfId(lastId) - clockSkew;
      const isKnown = Number.isFinite(from) && from >= completeSince && now().getTime() - from < keptMilliseconds;
      if (!isKnown || channels.some((channel) => (missingUntil.get(channel) ?? 0) >= from)) return null;
      const hints = channels.flatMap((channel) => kept.get(channel) ?? []);
      return hints.filter(({ id }) => id !== lastId && timeOfId(id) >= from);
    },
    restart() {
      completeSince = now().getTime();
    },
  };
}

/** The id of an instant, for events that are no hints; zeros sort it before the hints of the same millisecond. */
export function idOfNow(): string {
  return idFrom('hnt', now(), Buffer.alloc(idRandomBytes));
}
