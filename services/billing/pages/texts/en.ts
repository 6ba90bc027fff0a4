import { cancellation } from './en/cancellation.ts';
import { checkout } from './en/checkout.ts';
import { console } from './en/console.ts';
import { plans } from './en/plans.ts';
import { subscription } from './en/subscription.ts';

/** The texts of billing's pages in English. */
export const en = { cancellation, checkout, console, plans, subscription };
