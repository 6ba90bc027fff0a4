import type { Logger } from 'moleculer';
import type { DeliveryFields } from './documents.ts';
import { type Claim, lease, type Queue } from './queue.ts';

/** The claims of this process: its leases are renewed, each by one command, until all documents under it have ended. */
export type Leases<D extends DeliveryFields> = {
  /** Adds claims whose lease began at a time of `performance.now()`. */
  add: (claims: Claim<D>[], since: number) => void;
  /** Whether the lease of a claim has certainly not ended: after it another process may deliver the document. */
  isValid: (claim: Claim<D>) => boolean;
  /** Forgets claims. */
  end: (claims: Claim<D>[]) => void;
  /** The ids of all claimed documents. */
  ids: () => string[];
};

type Held = { until: number; ids: Set<string> };

export function createLeases<D extends DeliveryFields>(queue: Queue<D>, logger: Logger): Leases<D> {
  const leases = new Map<string, Held>();
  let renewal: NodeJS.Timeout | undefined;

  async function renew(leaseOwner: string, held: Held): Promise<void> {
    const since = performance.now();
    await queue.renew(leaseOwner, [...held.ids]);
    held.until = since + lease;
  }

  function renewAll(): void {
    for (const [leaseOwner, held] of leases) {
      // After a failed renewal the next one may succeed.
      renew(leaseOwner, held).catch((error) => logger.debug('A lease was not renewed', error));
    }
  }

  return {
    add(claims, since) {
      for (const { leaseOwner, _id } of claims) {
        const held = leases.get(leaseOwner) ?? { until: since + lease, ids: new Set() };
        held.ids.add(_id);
        leases.set(leaseOwner, held);
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
