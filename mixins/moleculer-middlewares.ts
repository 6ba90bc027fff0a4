import type { Middleware, ServiceBroker } from 'moleculer';
import * as moleculer from 'moleculer';

type Init = (broker: ServiceBroker) => Middleware;

// Moleculer's types omit these two.
const { INTERNAL_MIDDLEWARES: names, Middlewares: builtin } = moleculer as unknown as {
  INTERNAL_MIDDLEWARES: string[];
  Middlewares: Record<string, Init>;
};

/**
 * The middlewares of Moleculer that protect calls to other nodes, each with the option that an action of this node must
 * declare to be wrapped too. Null: local actions are never wrapped; `servedCalls` counts their calls, and their
 * contracts list their errors.
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
 * Moleculer's own middlewares, in its order, for `internalMiddlewares: false`. Calls of actions on this node skip those
 * that protect calls to other nodes, and so start no timer, unless the action declares the option: their overhead was
 * larger than that of an access check.
 */
export function moleculerMiddlewares(): (string | Middleware)[] {
  return names.map((name) => (name in forOtherNodes ? guardOf(name, forOtherNodes[name] ?? null) : name));
}

function guardOf(name: string, declaration: string | null): Middleware {
  const init: Init = (broker) => {
    const guard = (builtin[name] as Init)(broker);
    return {
      ...guard,
      localAction(handler, action) {
        const isDeclared = declaration !== null && declaration in action;
        return isDeclared && guard.localAction ? guard.localAction.call(this, handler, action) : handler;
      },
    };
  };
  // Moleculer calls a function with the broker; its type of the option omits that.
  return init as unknown as Middleware;
}
