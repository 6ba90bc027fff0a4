import { z } from 'zod';
import { apiError } from '../../../../lib/errors.ts';
import { settings } from '../../../../lib/settings.ts';
import { isSigned, sign } from '../../../../lib/signature.ts';
import type { CheckoutDocument } from '../../../../models/billing/checkout.ts';
import { findCheckout } from './documents.ts';

const purpose = 'link to the page of a checkout';

/** The parameters of the link to the page of a checkout. */
export const checkoutLinkParams = z.strictObject({ sessionId: z.string(), signature: z.string() });

/**
 * The address of the platform's page of a checkout, the same each time. It is a bearer credential: its holder may pay,
 * or have the stored card charged. The id alone, which is logged and recorded, opens nothing.
 */
export function pageLink(checkoutId: string): string {
  const query = new URLSearchParams({ signature: sign(purpose, checkoutId) });
  return `${settings.PUBLIC_URL}/billing/checkout/${checkoutId}?${query}`;
}

/**
 * The checkout that a link leads to.
 *
 * @throws NOT_FOUND {@link pageLink} did not make it, whether or not there is such a checkout.
 */
export async function resolveCheckoutLink({
  sessionId,
  signature,
}: z.output<typeof checkoutLinkParams>): Promise<CheckoutDocument> {
  const checkout = isSigned(purpose, sessionId, signature) ? await findCheckout(sessionId) : null;
  if (!checkout) throw apiError('NOT_FOUND');
  return checkout;
}
