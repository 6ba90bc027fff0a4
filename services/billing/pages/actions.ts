import { checkoutPages } from './checkout/checkout.ts';
import { billingPages } from './console/billing.ts';
import { cancelPages } from './console/cancel.ts';

/** The pages of billing: the checkouts, and the console of an organization. */
export const pageActions = {
  ...checkoutPages,
  ...billingPages,
  ...cancelPages,
};
