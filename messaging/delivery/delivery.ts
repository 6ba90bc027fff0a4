import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import { second } from '../../lib/data/clock.ts';
import { newId } from '../../lib/data/ids.ts';
import { type AttemptOutcome, createAttempt } from './attempt.ts';
import { createBuffer } from './buffer.ts';
import type { DeliveryHandler, DeliveryKind, Signal } from './deliverer.ts';
import type { DeliveryFields } from './documents.ts';
import { createLeases, type Leases } from './leases.ts';
import { createOutcomes } from './outcomes.ts';
import { createPlaces } from './places.ts';
import { type Claim, createQueue, type Queue } from './queue.ts';

export type Delivery = {
  /** Queues deliveries that are due for a retry. `run` calls it every second. */
  promote: () => Promise<void>;
  /** Claims ready deliveries and starts as many as there are free places. `run` calls it whenever it is woken. */
  fill: () => Promise<void>;
  /** Resolves when all claimed deliveries have ended and their outcomes are stored. */
  settled: () => Promise<void>;
  /** Delivers until the signal aborts, then finishes deliveries in flight and releases claims that have not started. */
  run: (signal: AbortSignal) => Promise<void>;
};

const pollMilliseconds = second;
/** Coalesces wake-ups within this window into one claim, because each claim costs two queries and an update. */
const coalesceWindowMs = 15;
/** Pauses sending while this many outcomes are not stored: after a crash these deliveries may be sent again. */
const maxUnstored = 64;

/**
 * Delivers stored documents at least once. Any number of processes share the work, and organizations take turns. When a
 * process dies, another delivers its claimed documents after their lease expires, possibly twice, under the same id.
 * `owner` names the process in leases.
 */
export function createDelivery<D extends DeliveryFields>(
  kind: DeliveryKind<D>,
  deliverer: DeliveryHandler<D>,
  logger: Logger,
  owner: string = newId('req'),
): Delivery {
  const work = createWork(kind, deliverer, logger, createQueue(kind.model, owner));
  const warn = (error: unknown) => logger.warn(`${kind.label} queue could not be read; will retry`, { error });

  async function run(signal: AbortSignal): Promise<void> {
    let promoting: Promise<void> | null = null;
    let promotedAt = Number.NEGATIVE_INFINITY;
    let filledAt = Number.NEGATIVE_INFINITY;
    signal.addEventListener('abort', work.close, { once: true });
    while (!signal.aborted) {
      const early = filledAt + coalesceWindowMs - performance.now();
      if (early > 0) await wait(early);
      if (signal.aborted) break;
      const before = kind.wake.calls();
      if (!promoting && performance.now() - promotedAt >= pollMilliseconds) {
        promotedAt = performance.now();
        promoting = work
          .promote()
          .catch(warn)
          .finally(() => {
            promoting = null;
          });
      }
      await work.fill().catch(warn);
      filledAt = performance.now();
      await kind.wake.waitOrTimeout(before, pollMilliseconds, signal);
    }
    await promoting;
    await work.release();
    await work.settled();
  }

  const { promote, fill, settled } = work;
  return { promote, fill, settled, run };
}

/** The claims of one process: waiting, in flight, or with an outcome that is being stored. */
function createWork<D extends DeliveryFields>(
  kind: DeliveryKind<D>,
  deliverer: DeliveryHandler<D>,
  logger: Logger,
  queue: Queue<D>,
) {
  const leases = createLeases(queue, logger);
  const buffer = createBuffer<D>(kind.preparing);
  const stages = createStages(kind, deliverer, logger, leases);
  const store = createOutcomes(queue, deliverer, logger);
  const inFlight = new Set<Promise<void>>();
  let unstored = 0;
  let isClosed = false;

  /** Starts waiting claims while there are free places. */
  function start(): void {
    while (!isClosed && unstored < maxUnstored) {
      const claim = buffer.take();
      if (!claim) return;
      const completed = complete(claim).finally(() => {
        leases.end([claim]);
        inFlight.delete(completed);
        start();
      });
      inFlight.add(completed);
    }
  }

  async function complete(claim: Claim<D>): Promise<void> {
    const outcome = await stages(claim, () => {
      buffer.ended(claim);
      start();
      if (buffer.isLow()) kind.wake.wake();
    });
    if (!outcome) return;
    unstored += 1;
    await store(claim, outcome);
    unstored -= 1;
  }

  return {
    async fill(): Promise<void> {
      for (let wanted = buffer.wanted(); wanted && !isClosed; wanted = buffer.isLow() ? buffer.wanted() : null) {
        const since = performance.now();
        const claims = await queue.claim(wanted);
        if (claims.length === 0) return;
        leases.add(claims, since);
        buffer.add(claims);
        start();
      }
    },
    promote: () => promoteAll(queue, leases, kind.wake),
    /** Stops claiming and starting deliveries. Waiting claims still need `release`. */
    close(): void {
      isClosed = true;
    },
    async settled(): Promise<void> {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
    async release(): Promise<void> {
      const claims = buffer.clear();
      await queue
        .release(claims)
        .catch((error) =>
          logger.warn('Claims could not be released; they are queued again when their lease expires', { error }),
        );
      leases.end(claims);
    },
  };
}

async function promoteAll<D extends DeliveryFields>(queue: Queue<D>, leases: Leases<D>, wake: Signal): Promise<void> {
  while ((await queue.promote(leases.ids())) > 0) wake.wake();
}

/**
 * Prepares a delivery, and sends it when its organization has a free place. Calls `prepared` when the preparation place
 * is free again. Null when the lease expired before the delivery was sent.
 */
function createStages<D extends DeliveryFields>(
  kind: DeliveryKind<D>,
  deliverer: DeliveryHandler<D>,
  logger: Logger,
  leases: Leases<D>,
): (claim: Claim<D>, prepared: () => void) => Promise<AttemptOutcome | null> {
  const attempt = createAttempt(kind, deliverer, logger);
  const sending = createPlaces(kind.sending);

  return async (claim, prepared) => {
    const result = leases.isValid(claim) ? await attempt(claim) : null;
    if (!result || 'outcome' in result) {
      prepared();
      return result?.outcome ?? null;
    }
    const release = await sending.acquire(claim.orgId);
    prepared();
    const outcome = leases.isValid(claim) ? await result.send() : null;
    release();
    return outcome;
  };
}
