import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServiceBroker } from 'moleculer';
import { type HttpRequest, type HttpResponse, newContext } from '../../http/exchange.ts';
import { clientOf } from '../../http/pipeline.ts';
import type { Ctx } from '../../lib/caller.ts';
import type { RequestLimiter } from './meter.ts';
import { findPlatformSession, type PlatformSession } from './platform-session.ts';

/** One request to the provider, with the data that its handlers need. */
export type Exchange = {
  ctx: Ctx;
  request: HttpRequest;
  response: HttpResponse;
  meter: RequestLimiter;
  /** The platform's session of the browser; read once per request. */
  platformSession: () => Promise<PlatformSession | null>;
};

const exchanges = new AsyncLocalStorage<Exchange>();

/** Runs the handler of a request; {@link currentExchange} returns that request within the handler. */
export function runWithExchange<T>(exchange: Exchange, run: () => T): T {
  return exchanges.run(exchange, run);
}

/** The current request. The provider does not pass it to its storage adapter. */
export function currentExchange(): Exchange {
  const exchange = exchanges.getStore();
  if (!exchange) throw new Error('The OpenID provider was used outside of a request.');
  return exchange;
}

export function newExchange(
  broker: ServiceBroker,
  request: HttpRequest,
  response: HttpResponse,
  meter: RequestLimiter,
): Exchange {
  const ctx: Ctx = newContext(broker, request.requestId, { client: clientOf(request) });
  let session: Promise<PlatformSession | null> | undefined;
  const platformSession = () => {
    session ??= findPlatformSession(ctx, request);
    return session;
  };
  return { ctx, request, response, meter, platformSession };
}
