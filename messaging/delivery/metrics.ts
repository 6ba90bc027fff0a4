import type { Model } from 'mongoose';
import { Counter, Gauge } from 'prom-client';
import { now, second } from '../../lib/data/clock.ts';
import { countStatus, type DeliveryFields, maxCounted, openStatuses } from './documents.ts';

export type DeliveryMetrics = { sent: Counter; failed: Counter<'failure'>; retried: Counter<'failure'> };

/** Registers the metrics of a service's deliveries; `things` names them in the help texts, such as `Mails`. */
export function deliveryMetrics<D extends DeliveryFields>(
  service: string,
  things: string,
  model: Model<D>,
): DeliveryMetrics {
  const across = { acrossTenants: true };
  new Gauge({
    name: `${service}_queued`,
    help: `${things} waiting to be sent on the whole platform; at most ${maxCounted} per status are counted.`,
    async collect() {
      const counts = Promise.all(openStatuses.map((status) => countStatus(model, status)));
      this.set(await orUnknown(counts.then((each) => each.reduce((sum, count) => sum + count, 0))));
    },
  });
  new Gauge({
    name: `${service}_oldest_seconds`,
    help: `Age of the oldest of the ${things.toLowerCase()} that are ready to be sent, in seconds.`,
    async collect() {
      const ready = model.findOne({ status: 'queued' } as never, { nextAttemptAt: 1 }).setOptions(across);
      const oldest = ready.sort({ nextAttemptAt: 1 }).lean<DeliveryFields>();
      this.set(await orUnknown(oldest.then((found) => (found ? ageOf(found.nextAttemptAt) : 0))));
    },
  });
  return {
    sent: new Counter({ name: `${service}_sent_total`, help: `${things} sent by this node.` }),
    failed: new Counter({
      name: `${service}_failed_total`,
      help: `${things} that became dead letters on this node, by kind of failure.`,
      labelNames: ['failure'],
    }),
    retried: new Counter({
      name: `${service}_retried_total`,
      help: `Failed attempts of this node that are retried, by kind of failure.`,
      labelNames: ['failure'],
    }),
  };
}

const ageOf = (since: Date): number => Math.max(0, (now().getTime() - since.getTime()) / second);

/** Resolves with NaN while the database is unavailable, so that the other metrics are still exposed. */
async function orUnknown(value: PromiseLike<number>): Promise<number> {
  try {
    return await value;
  } catch {
    return Number.NaN;
  }
}
