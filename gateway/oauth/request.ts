import { AsyncLocalStorage } from 'node:async_hooks';
import { LRUCache } from 'lru-cache';
import type { ServiceBroker } from 'moleculer';
import { clientOf } from '../../http/pipeline.ts';
import {
  applyRateLimit,
  limitAddress,
  type RateLimit,
  type RateLimiter,
  requireWithinLimit,
} from '../../http/rate-limit.ts';
import { clientNetwork, type HttpRequest, type HttpResponse, newContext, readCookie } from '../../http/request.ts';
import { createKeyedMutex } from '../../lib/concurrency/keyed-mutex.ts';
import { expireAfter } from '../../lib/concurrency/ttl-cache.ts';
import { type Ctx, call } from '../../lib/contract/context.ts';
import { day, second } from '../../lib/data/clock.ts';
import { hashToken } from '../../lib/security/token-hash.ts';

/** The platform's session of a browser. It determines who is logged in; the provider's session does not. */
export type PlatformSession = { sessionId: string; userId: string; authenticatedAt: Date };

/** Reads the session of the cookie. It is not cached, so that a logout takes effect immediately. */
export async function findPlatformSession(ctx: Ctx, request: HttpRequest): Promise<PlatformSession | null> {
  const token = readCookie(request, 'session');
  if (!token) return null;
  const { caller, authenticatedAt } = await call(ctx, 'identity.sessions.verify', {
    body: { tokenHash: hashToken(token) },
  });
  if (!caller || authenticatedAt === null) return null;
  return { sessionId: caller.sessionId, userId: caller.id, authenticatedAt: new Date(authenticatedAt) };
}

/** The time of the login in seconds since 1970, as in the claim `auth_time`. */
export function authTimeOf({ authenticatedAt }: PlatformSession): number {
  return Math.floor(authenticatedAt.getTime() / second);
}

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

/** Counts one request against the rate limits. Each method throws RATE_LIMITED when a limit is exceeded. */
export type RequestLimiter = {
  /** Counts by an authenticated credential: a client's secret, an access token, a session. */
  countCredential: (credentialId: string) => Promise<void>;
  /** Counts by the address, unless the request was counted already. */
  countAddress: () => Promise<void>;
  /** Checks a client's secret, and counts the request by the client if it is valid. */
  prove: (clientId: string, check: () => Promise<boolean>) => Promise<boolean>;
};

/**
 * Counts a request without a valid credential by its address. Guesses of a client's secret also count by client,
 * because they may come from many addresses; beyond that limit a secret is not checked. Networks from which the client
 * has proved its secret within the last day are exempt, so that an attacker cannot lock the client out.
 */
export function createRequestLimiter(
  limit: RateLimiter,
  proven: TrustedNetworks,
  request: HttpRequest,
  response: HttpResponse,
): RequestLimiter {
  const network = clientNetwork(request);
  let isCounted = false;

  async function count(counted: RateLimit | null | Promise<RateLimit | null>): Promise<void> {
    isCounted = true;
    applyRateLimit(response, await counted);
  }

  return {
    countCredential: (credentialId) => count(limit('credential', credentialId)),
    async countAddress() {
      if (!isCounted) await count(limitAddress(limit, network));
    },
    async prove(clientId, check) {
      const takeGuess = async () => requireWithinLimit(await limit('guess', clientId));
      if (!(await proven.prove(clientId, network, takeGuess, check))) return false;
      await count(limit('credential', clientId));
      return true;
    },
  };
}

/** The networks from which each client has proved its secret within the last day. */
export type TrustedNetworks = {
  /**
   * Whether `check` accepts the secret of a client. For a network that has not proved it within the last day,
   * `takeGuess` runs first, and such checks run one at a time, so that the concurrent first requests of a client count
   * as one guess.
   */
  prove: (
    clientId: string,
    network: string,
    takeGuess: () => Promise<void>,
    check: () => Promise<boolean>,
  ) => Promise<boolean>;
};

const memory = day;
const maxClients = 10_000;
const maxNetworksOfClient = 64;

/**
 * Bounds the number of networks per client, so that one client cannot evict the networks of another.
 *
 * @param read a monotonic clock in milliseconds.
 */
export function createProvenNetworks(read: () => number = () => performance.now()): TrustedNetworks {
  const clients = new LRUCache<string, LRUCache<string, true>>({ max: maxClients });
  const runExclusive = createKeyedMutex();

  const isProven = (clientId: string, network: string): boolean => clients.peek(clientId)?.has(network) === true;

  async function checkAndRemember(clientId: string, network: string, check: () => Promise<boolean>): Promise<boolean> {
    if (!(await check())) return false;
    const options = { max: maxNetworksOfClient, ...expireAfter(memory, read) };
    const networks = clients.get(clientId) ?? new LRUCache(options);
    clients.set(clientId, networks.set(network, true));
    return true;
  }

  return {
    prove(clientId, network, takeGuess, check) {
      const checked = () => checkAndRemember(clientId, network, check);
      if (isProven(clientId, network)) return checked();
      return runExclusive(`${clientId} ${network}`, async () => {
        if (!isProven(clientId, network)) await takeGuess();
        return await checked();
      });
    },
  };
}
