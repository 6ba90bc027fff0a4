import type { CallingOptions, Context, Middleware, Service } from 'moleculer';
import type { Contract } from '../lib/contract/contract.ts';
import { isLostCall } from './nats.ts';

/** Moleculer keeps the options of a call in its context. */
type RetryOptions = CallingOptions & { isRetry?: boolean };

/**
 * Retries a safe call once when its node dies or hangs. The balancer chooses among the remaining nodes. The outcome of
 * other calls is unknown, so their callers get UNAVAILABLE and decide.
 */
export function retryLostCalls(): Middleware {
  return {
    name: 'RetryLostCalls',
    remoteAction(handler, action) {
      const { contract } = action as { contract?: Contract };
      if (!contract?.safe) return handler;
      return async function retryOnce(this: Service, ctx: Context) {
        const { isRetry, nodeID }: RetryOptions = ctx.options;
        try {
          return await handler.call(this, ctx);
        } catch (error) {
          // A call to a specific node must not go to another.
          if (isRetry || nodeID !== undefined || !isLostCall(error)) throw error;
          const options: RetryOptions = { isRetry: true };
          return await ctx.call(action.name ?? '', ctx.params as object, options);
        }
      };
    },
  };
}
