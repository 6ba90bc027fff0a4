import { createCircuitBreaker } from '../../../lib/concurrency/circuit-breaker.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { day, fromNow, minute, second } from '../../../lib/data/clock.ts';
import { type PaymentProvider, type ProviderName, providerNames } from './provider.ts';

/** How long a bank transfer may take until the operator sees it. */
const checkoutLifetime = 14 * day;

/**
 * The manual provider: an operator receives payments, such as on a bank account, and reports them in the console.
 * Nothing is charged automatically: a renewal is an open invoice until then.
 */
export const manualProvider: PaymentProvider = {
  name: 'manual',
  collection: 'platform',
  openCheckout: async ({ checkoutId }) => ({
    gatewayCheckoutId: checkoutId,
    url: null,
    expiresAt: fromNow(checkoutLifetime),
  }),
  closeCheckout: async () => undefined,
  upgrade: async () => ({ url: null }),
  charge: async () => 'pending',
  cancelAtPeriodEnd: async () => undefined,
  resume: async () => undefined,
  changePlan: async () => undefined,
  end: async () => undefined,
  read: async () => null,
  verifyWebhook: () => Promise.reject(apiError('WEBHOOK_INVALID')),
  interpret: async () => ({ checkoutId: null, gatewaySubscriptionId: null, events: [] }),
};

/** The number of consecutive outages that opens the circuit. */
const threshold = 3;
const firstPause = 5 * second;
const maxPause = 5 * minute;
/** Missing settings do not appear within seconds. */
const retryUnconfigured = minute;

/** Calls a provider, unless its circuit is open. */
type Call = <T>(name: string, request: () => Promise<T>, isOutage: (error: unknown) => boolean) => Promise<T>;

/**
 * Guards the calls of this process by a circuit breaker for each provider. While it is open, calls fail immediately
 * instead of waiting for their timeouts, so that calls to other providers and of other organizations do not queue
 * behind them.
 */
export function createGuard(read?: () => number): Call {
  const breaker = createCircuitBreaker({ threshold, firstPause, maxPause }, read);
  return async (name, request, isOutage) => {
    const pause = breaker.pauseOf(name);
    if (pause > 0) throw unavailable(pause);
    breaker.begin(name);
    try {
      const answer = await request();
      breaker.succeeded(name);
      return answer;
    } catch (error) {
      if (isOutage(error)) breaker.failed(name);
      else breaker.succeeded(name);
      throw isOutage(error) ? unavailable(breaker.pauseOf(name) || firstPause, error) : error;
    }
  };
}

/**
 * Wraps a provider so that its outages are answered with 503 and open a circuit breaker. A provider that makes no
 * remote calls is returned as it is.
 */
export function withBreaker(provider: PaymentProvider, call: Call = createGuard()): PaymentProvider {
  const { name, isOutage, refund, forget } = provider;
  if (!isOutage) return provider;
  const guarded =
    <A extends unknown[], R>(method: (...parameters: A) => Promise<R>) =>
    (...parameters: A): Promise<R> =>
      call(name, () => method(...parameters), isOutage);
  return {
    ...provider,
    openCheckout: guarded(provider.openCheckout),
    closeCheckout: guarded(provider.closeCheckout),
    upgrade: guarded(provider.upgrade),
    charge: guarded(provider.charge),
    cancelAtPeriodEnd: guarded(provider.cancelAtPeriodEnd),
    resume: guarded(provider.resume),
    changePlan: guarded(provider.changePlan),
    end: guarded(provider.end),
    read: guarded(provider.read),
    interpret: guarded(provider.interpret),
    ...(refund && { refund: guarded(refund) }),
    ...(forget && { forget: guarded(forget) }),
  };
}

/** The refusal where this platform lacks the settings for a provider that has subscriptions or payments. */
export function unconfigured(name: string, cause: unknown): Error {
  const message = `The payment provider ${name} is not configured here at present.`;
  return apiError('UNAVAILABLE', { message, cause, headers: { 'Retry-After': seconds(retryUnconfigured) } });
}

function unavailable(milliseconds: number, cause?: unknown): Error {
  const message = 'The payment provider cannot be reached at present.';
  return apiError('UNAVAILABLE', { message, cause, headers: { 'Retry-After': seconds(milliseconds) } });
}

const seconds = (milliseconds: number): string => String(Math.max(1, Math.ceil(milliseconds / second)));

/** Loaded on demand: most platforms use one provider, and Stripe's library is large. */
const loaders: Record<ProviderName, () => Promise<PaymentProvider>> = {
  test: async () => (await import('./sandbox.ts')).testProvider,
  manual: async () => (await import('./providers.ts')).manualProvider,
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
