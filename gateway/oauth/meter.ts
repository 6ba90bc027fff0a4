import { clientNetwork } from '../client-address.ts';
import type { GatewayRequest, GatewayResponse } from '../exchange.ts';
import { type Kind, type RateLimiter, rateLimitHeaders, refuseBeyond } from '../rate-limit.ts';
import type { ProvenNetworks } from './proven-networks.ts';

/** Counts one request against the rate limits; each method throws RATE_LIMITED beyond them. */
export type Meter = {
  /** By the credential that it proved: a client's secret, an access token, a session. */
  countCredential: (credentialId: string) => Promise<void>;
  /** By its address, unless it has been counted. */
  countAddress: () => Promise<void>;
  /** Has a client's secret checked, and counts the request by the client if it is right. */
  prove: (clientId: string, check: () => Promise<boolean>) => Promise<boolean>;
};

/**
 * What has no credential counts by its address, and so does what fails to prove one. Guesses at the secret of one client
 * count by client as well, for they may come from many addresses; beyond that limit a secret is not looked at. Networks
 * from which the client proved its secret lately are exempt, so that guesses of others do not lock it out.
 */
export function createMeter(
  limit: RateLimiter,
  proven: ProvenNetworks,
  request: GatewayRequest,
  response: GatewayResponse,
): Meter {
  const network = clientNetwork(request);
  let isCounted = false;

  async function count(kind: Kind, key: string): Promise<void> {
    isCounted = true;
    const state = await limit(kind, key);
    if (!state) return;
    for (const [name, value] of Object.entries(rateLimitHeaders(state))) response.setHeader(name, value);
    refuseBeyond(state);
  }

  return {
    countCredential: (credentialId) => count('credential', credentialId),
    async countAddress() {
      if (!isCounted) await count('address', network);
    },
    async prove(clientId, check) {
      const takeGuess = async () => refuseBeyond(await limit('guess', clientId));
      if (!(await proven.prove(clientId, network, takeGuess, check))) return false;
      await count('credential', clientId);
      return true;
    },
  };
}
