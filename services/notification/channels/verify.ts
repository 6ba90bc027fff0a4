import { z } from 'zod';
import { now } from '../../../lib/clock.ts';
import { inputError } from '../../../lib/errors.ts';
import { detailsOf, inputMessage } from '../../../lib/input-messages.ts';
import type { ConnectionDocument, ProviderName } from '../../../models/notification/connection.ts';
import { type ProviderContext, ProviderError } from '../providers/provider.ts';
import { providerOf } from '../providers/providers.ts';
import { isForbidden } from '../providers/webhook.ts';

/** The credentials of a request as the provider takes them. Throws INPUT_INVALID naming each field that is wrong. */
export function parseCredentials(provider: ProviderName, credentials: unknown): unknown {
  const result = providerOf(provider).credentials.safeParse(credentials, { error: inputMessage });
  if (result.success) return result.data;
  throw inputError(result.error.issues.flatMap((issue) => detailsOf('body.credentials', issue)));
}

/** Throws INPUT_INVALID where this platform cannot use the provider. */
export function requireUsable(provider: ProviderName, context: ProviderContext): void {
  const message = providerOf(provider).problem?.(context) ?? null;
  if (message !== null) throw inputError([{ path: 'body.provider', message }]);
}

export type Verdict = Pick<ConnectionDocument, 'state' | 'lastError' | 'verifiedAt'>;

/**
 * Asks the provider about credentials. `draft` when it gives no clear answer.
 *
 * @throws INPUT_INVALID the provider refuses the credentials, or the URL must not be called.
 */
export async function verifyNew(
  provider: ProviderName,
  credentials: unknown,
  context: ProviderContext,
): Promise<Verdict> {
  try {
    await providerOf(provider).verify(credentials, context);
    return { state: 'connected', lastError: null, verifiedAt: now() };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (isForbidden(error)) throw inputError([{ path: 'body.credentials.url', message: error.message }]);
    if (isRejection(provider, error)) throw inputError([{ path: 'body.credentials', message: error.message }]);
    return { state: 'draft', lastError: error.message, verifiedAt: null };
  }
}

/** A webhook that does not take its test yet may be finished later; an API that refuses credentials has decided. */
export function isRejection(provider: ProviderName, { failure }: ProviderError): boolean {
  return provider !== 'webhook' && (failure === 'unauthorized' || failure === 'refused');
}

/** Any object: which fields it has is decided by the provider. */
export const anyCredentials = z.record(z.string(), z.unknown());
