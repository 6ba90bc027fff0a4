import { setTimeout as wait } from 'node:timers/promises';
import type { ActionHandler, Context, Middleware, Service, ServiceBroker } from 'moleculer';
import * as moleculer from 'moleculer';
import { Counter } from 'prom-client';
import { errorCode } from '../lib/contract/errors.ts';

type Init = (broker: ServiceBroker) => Middleware;
type Handler = ActionHandler<Service>;

// Moleculer's types omit this export.
const { Middlewares: builtin } = moleculer as unknown as { Middlewares: Record<string, Init> };

/**
 * The middlewares of Moleculer that protect calls to other nodes, each with the option that a local action must declare
 * to be wrapped too. Null: local actions are never wrapped; `callMetrics` counts their calls, and their contracts list
 * their errors. The context tracker is used for event handlers only.
 */
const forOtherNodes: Record<string, string | null> = {
  ContextTracker: null,
  CircuitBreaker: 'circuitBreaker',
  Timeout: 'timeout',
  Retry: 'retryPolicy',
  Fallback: 'fallback',
  ErrorHandler: null,
};

/**
 * Moleculer's middlewares, in its order, for `internalMiddlewares: false`. Calls of local actions skip the middlewares
 * that protect calls to other nodes, and so start no timer, unless the action declares the option: the overhead was
 * larger than an access check.
 */
export function moleculerMiddlewares(): (string | Middleware)[] {
  return moleculer.INTERNAL_MIDDLEWARES.map((name) =>
    name in forOtherNodes ? wrapMiddleware(name, forOtherNodes[name] ?? null) : name,
  );
}

function wrapMiddleware(name: string, declaration: string | null): Middleware {
  const init: Init = (broker) => {
    const builtinGuard = (builtin[name] as Init)(broker);
    const guard = name === 'CircuitBreaker' ? countRefusalAsSuccess(builtinGuard) : builtinGuard;
    return {
      ...guard,
      // Moleculer tracks a call inside its timeout, so that a call that times out stays in its list permanently, and
      // each stop of the node waits for it. Listeners and `callMetrics` wait for the work that remote calls belong to.
      ...(name === 'ContextTracker' && { remoteAction: (handler: Handler) => handler }),
      localAction(handler, action) {
        const isDeclared = declaration !== null && declaration in action;
        return isDeclared && guard.localAction ? guard.localAction.call(this, handler, action) : handler;
      },
    };
  };
  // Moleculer calls a function with the broker; its type of the option omits that.
  return init as unknown as Middleware;
}

/** The value that the breaker gets instead of a rejection. */
class Refusal {
  error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/**
 * Moleculer's circuit breaker closes only after a successful call. A catalogue error below 500 proves as well that the
 * node works, so the breaker gets an answer instead: otherwise the circuit of an endpoint that rejects most requests
 * would stay open.
 */
function countRefusalAsSuccess(breaker: Middleware): Middleware {
  const around = (wrap: Middleware['remoteAction']): NonNullable<Middleware['remoteAction']> =>
    function wrapAction(handler, action) {
      const guarded = wrap?.call(this, exposeRefusals(handler), action) ?? handler;
      return async function guardedCall(this: Service, ctx: Context) {
        const answer = await guarded.call(this, ctx);
        if (answer instanceof Refusal) throw answer.error;
        return answer;
      };
    };
  return { ...breaker, localAction: around(breaker.localAction), remoteAction: around(breaker.remoteAction) };
}

function exposeRefusals(handler: Handler): Handler {
  return async function handle(this: Service, ctx: Context) {
    try {
      return await handler.call(this, ctx);
    } catch (error) {
      if (errorCode(error) === null) throw error;
      return new Refusal(error);
    }
  };
}

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
