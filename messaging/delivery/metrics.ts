import type { Model } from 'mongoose';
import { Counter, Gauge } from 'prom-client';
import { now, second } from '../../lib/clock.ts';
import { countStatus, maxCounted } from './count.ts';
import { type DeliveryFields, openStatuses } from './documents.ts';

export type DeliveryMetrics = { sent: Counter; failed: Counter<'failure'>; retried: Counter<'failure'> };

/** The metrics of a service's deliveries; `things` names them in the help texts, such as `Mails`. */
export function deliveryMetrics<D extends DeliveryFields>(
  service: string,
  things: string,
  model: Model<D>,
): DeliveryMetrics {
  const across = { acrossTenants: true };
  new Gauge({
    name: `${service}_queued`,
    help: `${things} of the whole platform that wait to be sent; no more than ${maxCounted} of a kind are counted.`,
    async collect() {
      const counts = Promise.all(openStatuses.map((status) => countStatus(model, status)));
      this.set(await orUnknown(counts.then((each) => each.reduce((sum, count) => sum + count, 0))));
    },
  });
  new Gauge({
    name: `${service}_oldest_seconds`,
    help: `How long the oldest of the ${things.toLowerCase()} that could be sent now has waited.`,
    async collect() {
      const ready = model.findOne({ status: 'queued' } as never, { nextAttemptAt: 1 }).setOptions(across);
      const oldest = ready.sort({ nextAttemptAt: 1 }).lean<DeliveryFields>();
      this.set(await orUnknown(oldest.then((found) => (found ? ageOf(found.nextAttemptAt) : 0))));
    },
  });
  return {
    sent: new Counter({ name: `${service}_sent_total`, help: `${things} that this node sent.` }),
    failed: new Counter({
      name: `${service}_failed_total`,
      help: `${things} that this node gave up, by kind of failure.`,
      labelNames: ['failure'],
    }),
    retried: new Counter({
      name: `${service}_retried_total`,
      help: `Attempts of this node that failed and are made again, by kind of failure.`,
      labelNames: ['failure'],
    }),
  };
}

const ageOf = (since: Date): number => Math.max(0, (now().getTime() - since.getTime()) / second);

/** NaN while the database is unavailable, so that the other metrics are still exposed. */
async function orUnknown(value: PromiseLike<number>): Promise<number> {
  try {
    return await value;
  } catch {
    return Number.NaN;
  }
}
