import { apiError } from '../../../lib/contract/errors.ts';
import { settings } from '../../../lib/settings/settings.ts';
import type { ProviderName } from './provider.ts';

type Choice = Pick<typeof settings, 'PAYMENT_PROVIDER' | 'STRIPE_SECRET_KEY' | 'NATS_URL' | 'MONGO_URL'>;

/**
 * The provider that collects new payments. `none`: payments are turned off. Without a setting, a platform in one
 * process with the embedded database gets the test provider, which completes payments without money. One with an
 * external database, or of several nodes, uses it only when it is configured, and refuses to start with it where it
 * serves others.
 */
export function chosenProvider(choice: Choice = settings): ProviderName | 'none' {
  if (choice.PAYMENT_PROVIDER) return choice.PAYMENT_PROVIDER;
  if (choice.STRIPE_SECRET_KEY) return 'stripe';
  return choice.NATS_URL || choice.MONGO_URL ? 'manual' : 'test';
}

/** The provider that collects new payments; throws PAYMENTS_DISABLED where payments are turned off. */
export function requireProvider(): ProviderName {
  const provider = chosenProvider();
  if (provider === 'none') throw apiError('PAYMENTS_DISABLED');
  return provider;
}

/** Whether the test provider is in use, which completes payments without money. */
export function isSandboxActive(): boolean {
  return chosenProvider() === 'test';
}
