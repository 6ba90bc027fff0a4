import { second } from '../../../lib/clock.ts';
import { meters } from './meters.ts';
import type { Settlement } from './settling.ts';
import type { Receipt } from './store.ts';

const betweenLooks = second / 2;
/** Within so many milliseconds after its charge a reservation is removed, if its process is alive. */
export const clearedWithin = 3 * betweenLooks;

/**
 * Charged reservations that their counters still hold. Their removal does not change `used`, and the records of their
 * keys say that they are charged, so it is not urgent: the next update of the counter removes them, or, without one for
 * some time, an update of their own. What a dead process leaves, or an update cannot remove, is left to the sweep.
 */
export type DeferredRemoval = {
  /** Whether it may wait. A gauge's may not: a recount would add it to what was counted. */
  mayWait: (settlement: Settlement) => boolean;
  add: (receipt: Receipt) => void;
  /** The reservations that an update of a counter may remove; pass to `clear` those that it does not. */
  draw: (counter: string) => Receipt[];
  clear: (receipts: Receipt[]) => Promise<void>;
  /** Removes those of a counter at once, or all of them. */
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
