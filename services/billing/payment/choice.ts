import { settings } from '../../../lib/settings.ts';
import type { ProviderName } from './provider.ts';

type Choice = Pick<typeof settings, 'PAYMENT_PROVIDER' | 'STRIPE_SECRET_KEY' | 'NATS_URL'>;

/**
 * Who collects what is bought from now on. Without a setting a platform in one process has the page where anybody pays
 * with nothing; a pool never has it unless it is asked for.
 */
export function chosenProvider(choice: Choice = settings): ProviderName {
  if (choice.PAYMENT_PROVIDER) return choice.PAYMENT_PROVIDER;
  if (choice.STRIPE_SECRET_KEY) return 'stripe';
  return choice.NATS_URL ? 'manual' : 'test';
}

/** Whether the test provider may be used, where anybody pays with nothing. */
export function isTestInUse(): boolean {
  return chosenProvider() === 'test';
}
