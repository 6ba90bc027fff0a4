import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { takeServer } from '../load/job.ts';

export type BareProviderOptions = { clientId: string; clientSecret: string; scope: string };

const audience = 'http://127.0.0.1';
const tokenSeconds = 3600;

/** oidc-provider alone with its in-memory adapter, configured to give the answers of the platform's token endpoint. */
function start({ clientId, clientSecret, scope }: BareProviderOptions): Promise<{ port: number }> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = { ...privateKey.export({ format: 'jwk' }), kid: 'bench', use: 'sig', alg: 'RS256' };
  const provider = new Provider(audience, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    jwks: { keys: [key as never] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope,
          audience,
          accessTokenFormat: 'jwt' as const,
          accessTokenTTL: tokenSeconds,
          jwt: { sign: { alg: 'RS256' as const } },
        }),
      },
    },
    ttl: { ClientCredentials: tokenSeconds },
  });
  const server = createServer(provider.callback());
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({ port: (server.address() as AddressInfo).port }));
  });
}

takeServer(start);
