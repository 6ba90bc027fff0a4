import type { Context, Middleware, Service } from 'moleculer';
import { Counter } from 'prom-client';

type Tally = { done: number; failed: number; milliseconds: number };

const tallies = new Map<string, Tally>();

new Counter({
  name: 'broker_calls_total',
  help: 'Calls of actions served by this node, by action and outcome.',
  labelNames: ['action', 'outcome'],
  collect() {
    this.reset();
    for (const [action, { done, failed }] of tallies) {
      this.inc({ action, outcome: 'done' }, done);
      this.inc({ action, outcome: 'failed' }, failed);
    }
  },
});

new Counter({
  name: 'broker_call_seconds_total',
  help: 'Time spent in calls of actions served by this node, by action.',
  labelNames: ['action'],
  collect() {
    this.reset();
    for (const [action, { milliseconds }] of tallies) this.inc({ action }, milliseconds / 1000);
  },
});

/** Counts calls. A call adds to plain numbers only; the metrics are made of them when they are read. */
export function countCalls(): Middleware {
  return {
    name: 'CountCalls',
    localAction(handler, action) {
      const { name = '' } = action;
      // Moleculer's own, of which nobody asks.
      if (name.startsWith('$')) return handler;
      const tally = tallyOf(name);
      return async function countedCall(this: Service, ctx: Context) {
        const startedAt = performance.now();
        try {
          const result = await handler.call(this, ctx);
          tally.done += 1;
          return result;
        } catch (error) {
          tally.failed += 1;
          throw error;
        } finally {
          tally.milliseconds += performance.now() - startedAt;
        }
      };
    },
  };
}

function tallyOf(action: string): Tally {
  const known = tallies.get(action);
  if (known) return known;
  const tally = { done: 0, failed: 0, milliseconds: 0 };
  tallies.set(action, tally);
  return tally;
}
