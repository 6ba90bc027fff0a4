import { second } from '../../../lib/clock.ts';
import { meters } from './meters.ts';
import type { Settlement } from './settling.ts';
import type { Receipt } from './store.ts';

const betweenLooks = second / 2;
/** So many milliseconds after it was charged a reservation has gone, if its process lives. */
export const clearedWithin = 3 * betweenLooks;

/**
 * Charged reservations whose counters still hold them. What is used does not change when they go, and their keys'
 * records say that they are charged, so nothing hurries: the next update of the counter clears them on its way, or,
 * when none comes for some time, one of their own does. What a process that dies leaves, or cannot clear, is left to the
 * sweep.
 */
export type Clearing = {
  /** Whether it may wait: not that of a gauge, which a recount would add to what was counted. */
  mayWait: (settlement: Settlement) => boolean;
  add: (receipt: Receipt) => void;
  /** What an update of a counter may clear; what it does not is to go to `clear`. */
  draw: (counter: string) => Receipt[];
  clear: (receipts: Receipt[]) => Promise<void>;
  /** Clears at once what a counter holds, or all of them. */
  flush: (counter?: string) => Promise<void>;
};

type Waiting = { byNonce: Map<string, Receipt>; isOld: boolean };

export function createClearing(settle: (settlement: Settlement) => Promise<void>): Clearing {
  const waiting = new Map<string, Waiting>();
  let looking: NodeJS.Timeout | undefined;

  function draw(counter: string): Receipt[] {
    const drawn = [...(waiting.get(counter)?.byNonce.values() ?? [])];
    waiting.delete(counter);
    return drawn;
  }

  async function clear(receipts: Receipt[]): Promise<void> {
    await Promise.allSettled(receipts.map((receipt) => settle({ receipt, charged: receipt.amount })));
  }

  function look(): void {
    for (const [counter, one] of waiting) {
      if (one.isOld) void clear(draw(counter));
      one.isOld = true;
    }
    if (waiting.size > 0) return;
    clearInterval(looking);
    looking = undefined;
  }

  return {
    mayWait: ({ receipt, charged }) =>
      receipt.remembered && charged === receipt.amount && meters[receipt.meter].kind !== 'gauge',
    add(receipt) {
      const one = waiting.get(receipt.counter) ?? { byNonce: new Map(), isOld: false };
      waiting.set(receipt.counter, one);
      one.byNonce.set(receipt.nonce, receipt);
      looking ??= setInterval(look, betweenLooks).unref();
    },
    draw,
    clear,
    async flush(counter) {
      const names = counter === undefined ? [...waiting.keys()] : [counter];
      await Promise.all(names.map((name) => clear(draw(name))));
    },
  };
}
