import { z } from 'zod';
import { organizationId } from './input.ts';

/**
 * The input of the action that a service names in `erasesCustomers`. `identifiers`: of one customer, as business context
 * writes them (`id:…`, `email:…`, `phone:…`).
 */
export const customerErasureInput = {
  body: z.strictObject({ orgId: organizationId, identifiers: z.array(z.string()).min(1).max(1000) }),
};

/** Its output. The action is called again until `isComplete`. `erased`: whether there was data of the customer. */
export const customerErasureOutput = z.strictObject({ isComplete: z.boolean(), erased: z.boolean() });
