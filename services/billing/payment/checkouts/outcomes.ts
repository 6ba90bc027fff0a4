import { z } from 'zod';

/**
 * The outcome of a payer's choice on the page of a checkout. `done`: redirect to `url`. `declined`, `failed`: nothing
 * was paid, and the payer may retry. `challenged`: the bank requires authentication. `over`: the checkout has ended.
 */
export const checkoutOutcome = z.discriminatedUnion('outcome', [
  z.strictObject({ outcome: z.literal('done'), url: z.string() }),
  z.strictObject({ outcome: z.enum(['declined', 'failed', 'challenged', 'over']) }),
]);

export type CheckoutOutcome = z.output<typeof checkoutOutcome>;
