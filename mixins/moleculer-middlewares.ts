import type { Middleware, ServiceBroker } from 'moleculer';
import * as moleculer from 'moleculer';

type Init = (broker: ServiceBroker) => Middleware;

// Moleculer's types leave these two out.
const { INTERNAL_MIDDLEWARES: names, Middlewares: builtin } = moleculer as unknown as {
  INTERNAL_MIDDLEWARES: string[];
  Middlewares: Record<string, Init>;
};

/**
 * Those of Moleculer's middlewares that guard against other nodes, with what an action of this node has to declare to be
 * wrapped too. Null: none is; what the node serves is counted by `servedCalls`, and a contract names its errors.
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
 * Moleculer's own middlewares, in its order, for `internalMiddlewares: false`. A call of an action on this node passes
 * none of those that guard against other nodes, and starts no timer, unless the action declares it: they took longer
 * than a check does.
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
  // Moleculer calls what is a function with the broker; its type of the option leaves that out.
  return init as unknown as Middleware;
}
