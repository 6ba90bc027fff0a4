import { setTimeout as wait } from 'node:timers/promises';
import type { Context, Middleware, Service } from 'moleculer';
import { Counter } from 'prom-client';

type Tally = { done: number; failed: number; milliseconds: number };
/** The calls that a service works on now; `ended` is called when there are none. */
type Work = { calls: number; ended: () => void };

const tallies = new Map<string, Tally>();
const works = new WeakMap<object, Work>();

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

/**
 * Counts the calls this node serves: those that ended for the metrics, which are made of plain numbers when they are
 * read, and those in flight, so that a service that stops ends them first, for at most `longestStop` milliseconds.
 */
export function servedCalls(longestStop: number): Middleware {
  return {
    name: 'ServedCalls',
    localAction(handler, action) {
      const { name = '', service } = action;
      // Moleculer's own, of which nobody asks.
      if (name.startsWith('$') || !service) return handler;
      const tally = tallyOf(name);
      const work = workOf(service);
      return async function countedCall(this: Service, ctx: Context) {
        const startedAt = performance.now();
        work.calls += 1;
        try {
          const result = await handler.call(this, ctx);
          tally.done += 1;
          return result;
        } catch (error) {
          tally.failed += 1;
          throw error;
        } finally {
          tally.milliseconds += performance.now() - startedAt;
          work.calls -= 1;
          if (work.calls === 0) work.ended();
        }
      };
    },
    async serviceStopping(service) {
      const work = workOf(service);
      if (work.calls === 0) return;
      service.logger.info(`${service.name} ends ${work.calls} calls before it stops.`);
      const ended = new Promise<true>((resolve) => {
        work.ended = () => resolve(true);
      });
      const hasEnded = await Promise.race([ended, wait(longestStop, false, { ref: false })]);
      if (!hasEnded) service.logger.error(`${service.name} gives up ${work.calls} calls.`);
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

function workOf(service: object): Work {
  const known = works.get(service);
  if (known) return known;
  const work = { calls: 0, ended: () => {} };
  works.set(service, work);
  return work;
}
