import type { JWK } from 'jose';
import type { Logger } from 'moleculer';
import { Provider } from 'oidc-provider';
import { issuer } from '../../http/access-tokens.ts';
import type { Clients } from './clients.ts';
import { configurationOf } from './configuration.ts';
import { adaptModels } from './models.ts';
import { watch } from './watch.ts';

/** The OAuth 2.0 and OpenID Connect provider, with its request listener. */
export type Provided = { provider: Provider; callback: ReturnType<Provider['callback']> };

/** Creates a provider that signs with the first of these keys, and publishes all of them. */
export function assembleProvider(keys: JWK[], clients: Clients, logger: Logger): Provided {
  const provider = new Provider(issuer, configurationOf({ keys: keys as never }, clients));
  provider.proxy = issuer.startsWith('https:');
  adaptModels(provider, clients);
  watch(provider, logger);
  return { provider, callback: provider.callback() };
}
