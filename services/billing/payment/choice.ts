import { fail } from '../../../lib/errors.ts';
import { settings } from '../../../lib/settings.ts';
import type { ProviderName } from './provider.ts';

type Choice = Pick<typeof settings, 'PAYMENT_PROVIDER' | 'STRIPE_SECRET_KEY' | 'NATS_URL' | 'MONGO_URL'>;

/**
 * Who collects what is bought from now on. `none`: nobody, payments are turned off. Without a setting a platform in one
 * process with the embedded database has the page where anybody pays with nothing; one with a database elsewhere, or of
 * several nodes, never has it unless asked, and one that serves others does not start.
 */
export function chosenProvider(choice: Choice = settings): ProviderName | 'none' {
  if (choice.PAYMENT_PROVIDER) return choice.PAYMENT_PROVIDER;
  if (choice.STRIPE_SECRET_KEY) return 'stripe';
  return choice.NATS_URL || choice.MONGO_URL ? 'manual' : 'test';
}

/** The same, for what is bought now; throws PAYMENTS_DISABLED where payments are turned off. */
export function requireProvider(): ProviderName {
  const provider = chosenProvider();
  if (provider === 'none') throw fail('PAYMENTS_DISABLED');
  return provider;
}

/** Whether the test provider may be used, where anybody pays with nothing. */
export function isTestInUse(): boolean {
  return chosenProvider() === 'test';
}
