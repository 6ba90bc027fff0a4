import { second } from '../../../lib/clock.ts';
import { meters } from './meters.ts';
import type { Settlement } from './settling.ts';
import type { Receipt } from './store.ts';

const betweenLooks = second / 2;
/** The maximum of milliseconds from the charge of a reservation to its removal, if its process is alive. */
export const clearedWithin = 3 * betweenLooks;

/**
 * Charged reservations that their counters still contain. Their removal does not change `used`, and the records of
 * their keys mark them as charged, so it is deferred: the next update of the counter removes them, or, without one for
 * some time, a separate update. The sweep handles dead processes and failed updates.
 */
export type DeferredRemoval = {
  /** Whether a removal may be deferred. Not for a gauge: a recount would count the units twice. */
  mayWait: (settlement: Settlement) => boolean;
  add: (receipt: Receipt) => void;
  /** The reservations that an update of a counter may remove; pass the ones that it does not remove to `clear`. */
  draw: (counter: string) => Receipt[];
  clear: (receipts: Receipt[]) => Promise<void>;
  /** Removes the charged reservations of a counter immediately, or of all counters. */
  flush: (counter?: string) => Promise<void>;
};

type Waiting = { byNonce: Map<string, Receipt>; isOld: boolean };

export function createDeferredRemoval(settle: (settlement: Settlement) => Promise<void>): DeferredRemoval {
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
