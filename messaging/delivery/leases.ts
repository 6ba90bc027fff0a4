import type { Logger } from 'moleculer';
import type { DeliveryFields } from './documents.ts';
import { type Claim, lease, type Queue } from './queue.ts';

/** The claims of this process. Renews each lease with one command until all its documents have ended. */
export type Leases<D extends DeliveryFields> = {
  /** Adds claims whose lease began at `since`, a value of `performance.now()`. */
  add: (claims: Claim<D>[], since: number) => void;
  /** Whether the lease of a claim is certainly still valid. Afterwards another process may deliver the document. */
  isValid: (claim: Claim<D>) => boolean;
  /** Removes claims. */
  end: (claims: Claim<D>[]) => void;
  /** The ids of all claimed documents. */
  ids: () => string[];
};

type HeldLease = { until: number; ids: Set<string> };

export function createLeases<D extends DeliveryFields>(queue: Queue<D>, logger: Logger): Leases<D> {
  const leases = new Map<string, HeldLease>();
  let renewal: NodeJS.Timeout | undefined;

  async function renew(leaseOwner: string, heldLease: HeldLease): Promise<void> {
    const since = performance.now();
    await queue.renew(leaseOwner, [...heldLease.ids]);
    heldLease.until = since + lease;
  }

  function renewAll(): void {
    for (const [leaseOwner, heldLease] of leases) {
      // Not fatal: the next renewal may succeed.
      renew(leaseOwner, heldLease).catch((error) => logger.debug('Lease renewal failed', error));
    }
  }

  return {
    add(claims, since) {
      for (const { leaseOwner, _id } of claims) {
        const heldLease = leases.get(leaseOwner) ?? { until: since + lease, ids: new Set() };
        heldLease.ids.add(_id);
        leases.set(leaseOwner, heldLease);
      }
      if (leases.size > 0) renewal ??= setInterval(renewAll, lease / 3).unref();
    },
    isValid: ({ leaseOwner }) => performance.now() < (leases.get(leaseOwner)?.until ?? 0),
    end(claims) {
      for (const { leaseOwner, _id } of claims) {
        const ids = leases.get(leaseOwner)?.ids;
        ids?.delete(_id);
        if (ids?.size === 0) leases.delete(leaseOwner);
      }
      if (leases.size > 0) return;
      clearInterval(renewal);
      renewal = undefined;
    },
    ids: () => [...leases.values()].flatMap(({ ids }) => [...ids]),
  };
}
