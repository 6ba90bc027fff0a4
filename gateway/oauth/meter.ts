import { clientNetwork } from '../../http/client-address.ts';
import type { HttpRequest, HttpResponse } from '../../http/exchange.ts';
import {
  applyRateLimit,
  limitAddress,
  type RateLimit,
  type RateLimiter,
  requireWithinLimit,
} from '../../http/rate-limit.ts';
import type { TrustedNetworks } from './proven-networks.ts';

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
