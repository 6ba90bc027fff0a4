import { z } from 'zod';

/**
 * What became of what a payer did on the page of a checkout. `done`: they go on to `url`. `declined`, `failed`: nothing was
 * paid, and they may try again. `challenged`: the bank asks first. `over`: the page shows something else now.
 */
export const checkoutOutcome = z.discriminatedUnion('outcome', [
  z.strictObject({ outcome: z.literal('done'), url: z.string() }),
  z.strictObject({ outcome: z.enum(['declined', 'failed', 'challenged', 'over']) }),
]);

export type CheckoutOutcome = z.output<typeof checkoutOutcome>;
