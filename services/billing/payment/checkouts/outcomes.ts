import { z } from 'zod';

/**
 * The outcome of a payer's choice on the page of a checkout. `done`: they go on to `url`. `declined`, `failed`: nothing
 * was paid, and they may retry. `challenged`: the bank asks for authentication. `over`: the checkout has ended, and the
 * page says so.
 */
export const checkoutOutcome = z.discriminatedUnion('outcome', [
  z.strictObject({ outcome: z.literal('done'), url: z.string() }),
  z.strictObject({ outcome: z.enum(['declined', 'failed', 'challenged', 'over']) }),
]);

export type CheckoutOutcome = z.output<typeof checkoutOutcome>;
