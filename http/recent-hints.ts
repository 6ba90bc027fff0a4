import { now } from '../lib/clock.ts';
import type { ChangeNotification } from '../lib/hints.ts';
import { idFrom, idRandomBytes, timeOfId } from '../lib/ids.ts';

/** The retention of notifications for clients that reconnect, and the maximum per channel and in total. */
const keptMilliseconds = 120_000;
const maxOfChannel = 100;
const maxHints = 20_000;
/** The maximum clock difference between nodes: notifications with older ids may have been sent later. */
const clockSkew = 30_000;

/** The change notifications that this listener has recently received, by channel. */
export type RecentHints = {
  add: (hint: ChangeNotification) => void;
  /**
   * The notifications of some channels since an id, and some before it, because the clocks of senders differ; null when
   * one may be missing.
   */
  since: (lastId: string, channels: readonly string[]) => ChangeNotification[] | null;
  /** Marks earlier notifications as incomplete, because this node may have missed some. */
  restart: () => void;
};

export function createRecentHints(): RecentHints {
  const kept = new Map<string, ChangeNotification[]>();
  /** The time up to which notifications of a channel may be missing. */
  const missingUntil = new Map<string, number>();
  let completeSince = now().getTime();
  let count = 0;

  function drop(channel: string, hints: ChangeNotification[]): void {
    const oldest = hints.shift();
    count -= 1;
    if (oldest) missingUntil.set(channel, Math.max(missingUntil.get(channel) ?? 0, timeOfId(oldest.id)));
    if (hints.length === 0) kept.delete(channel);
  }

  /** Evicts the least recently used channels: channels are in the order of their last notification. */
  function evict(): void {
    const oldest = now().getTime() - keptMilliseconds;
    for (const [channel, hints] of kept) {
      while (hints[0] && (timeOfId(hints[0].id) < oldest || count > maxHints)) drop(channel, hints);
      if (hints.length > 0) break;
    }
    // Notifications outside the window are missing for every channel.
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

/**
 * The id of the current instant, for events other than notifications; zeros sort it before the notifications of the
 * same millisecond.
 */
export function idOfNow(): string {
  return idFrom('hnt', now(), Buffer.alloc(idRandomBytes));
}
