import { setTimeout as wait } from 'node:timers/promises';
import type { Context, Middleware, Service } from 'moleculer';
import { Counter } from 'prom-client';

type Tally = { done: number; failed: number; milliseconds: number };
/** The calls in flight of a service; `onIdle` is called when the last of them ends. */
type InFlight = { calls: number; onIdle: () => void };

const tallies = new Map<string, Tally>();
const byService = new WeakMap<object, InFlight>();

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
 * Counts the calls this node serves: completed ones for the metrics, in plain numbers that are read on scrape, and
 * calls in flight, so that a stopping service drains them first, for at most `shutdownTimeout` milliseconds.
 */
export function callMetrics(shutdownTimeout: number): Middleware {
  return {
    name: 'ServedCalls',
    localAction(handler, action) {
      const { name = '', service } = action;
      // Moleculer's internal services are not counted.
      if (name.startsWith('$') || !service) return handler;
      const tally = tallyOf(name);
      const inFlight = inFlightOf(service);
      return async function countedCall(this: Service, ctx: Context) {
        const startedAt = performance.now();
        inFlight.calls += 1;
        try {
          const result = await handler.call(this, ctx);
          tally.done += 1;
          return result;
        } catch (error) {
          tally.failed += 1;
          throw error;
        } finally {
          tally.milliseconds += performance.now() - startedAt;
          inFlight.calls -= 1;
          if (inFlight.calls === 0) inFlight.onIdle();
        }
      };
    },
    async serviceStopping(service) {
      const inFlight = inFlightOf(service);
      if (inFlight.calls === 0) return;
      service.logger.info(`${service.name} waits for ${inFlight.calls} calls in flight before it stops.`);
      const idle = new Promise<true>((resolve) => {
        inFlight.onIdle = () => resolve(true);
      });
      const isIdle = await Promise.race([idle, wait(shutdownTimeout, false, { ref: false })]);
      if (!isIdle) service.logger.error(`${service.name} stops with ${inFlight.calls} calls in flight.`);
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

function inFlightOf(service: object): InFlight {
  const known = byService.get(service);
  if (known) return known;
  const inFlight = { calls: 0, onIdle: () => {} };
  byService.set(service, inFlight);
  return inFlight;
}
