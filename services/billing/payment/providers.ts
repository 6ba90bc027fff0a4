import { unconfigured, withBreaker } from './outages.ts';
import { type PaymentProvider, type ProviderName, providerNames } from './provider.ts';

/** Loaded on demand: most platforms use one provider, and Stripe's library is large. */
const loaders: Record<ProviderName, () => Promise<PaymentProvider>> = {
  test: async () => (await import('./test/provider.ts')).testProvider,
  manual: async () => (await import('./manual/provider.ts')).manualProvider,
  stripe: async () => (await import('./stripe/provider.ts')).createStripeProvider(),
};

const loaded = new Map<string, Promise<PaymentProvider>>();

function isProviderName(name: string): name is ProviderName {
  return providerNames.some((providerName) => providerName === name);
}

/**
 * A provider by its name, also one that is not used for new purchases: existing subscriptions stay with it.
 *
 * @throws UNAVAILABLE the platform lacks the settings for it; Error when there is none of that name.
 */
export function providerNamed(name: string): Promise<PaymentProvider> {
  if (!isProviderName(name)) return Promise.reject(new Error(`There is no payment provider ${name}.`));
  const existing = loaded.get(name);
  if (existing) return existing;
  const loading = loaders[name]().then(withBreaker, (cause) => {
    throw unconfigured(name, cause);
  });
  loaded.set(name, loading);
  // A failed load is retried.
  loading.catch(() => loaded.delete(name));
  return loading;
}

/** Replaces the provider of this name, and returns a function that restores it. For tests. */
export function replaceProvider(provider: PaymentProvider): () => void {
  const previous = loaded.get(provider.name);
  loaded.set(provider.name, Promise.resolve(provider));
  return () => {
    if (previous) loaded.set(provider.name, previous);
    else loaded.delete(provider.name);
  };
}
