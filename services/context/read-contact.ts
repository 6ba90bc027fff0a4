import { z } from 'zod';
import { defineAction } from '../../lib/action.ts';
import { idPattern } from '../../lib/ids.ts';
import { findRoot, identifiersOfCustomer } from './customers.ts';
import { findSettledCustomer } from './stories.ts';
import { normalizeId, parseIdentifierKey } from './story/identifiers.ts';

export const contactOutput = z.strictObject({
  ids: z.array(z.string()),
  emails: z.array(z.string()),
  phones: z.array(z.string()),
});
export type Contact = z.output<typeof contactOutput>;

/**
 * `context.customers.contact`, for services that reach a customer: the identifiers of the customer whom the platform's
 * own id (`cus_…`) or the id in the organization's events names; null when there is none.
 */
export const readContact = defineAction({
  summary: 'Find how a customer can be reached',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ orgId: z.string().regex(idPattern('org')), customerId: z.string().max(512) }) },
  output: z.strictObject({ contact: contactOutput.nullable() }),
  async handler({ body: { orgId, customerId } }) {
    const customer = await findCustomerOf(orgId, customerId);
    return { contact: customer === null ? null : await contactOf(orgId, customer) };
  },
});

async function findCustomerOf(orgId: string, customerId: string): Promise<string | null> {
  if (idPattern('cus').test(customerId)) {
    const root = await findRoot(orgId, customerId);
    if (root !== null) return root;
  }
  const value = normalizeId(customerId);
  return value === undefined ? null : await findSettledCustomer(orgId, { type: 'id', value });
}

export async function contactOf(orgId: string, customer: string): Promise<Contact> {
  const keys = await identifiersOfCustomer(orgId, customer);
  const identifiers = keys.flatMap((key) => parseIdentifierKey(key) ?? []);
  const valuesOf = (type: string) => identifiers.filter((one) => one.type === type).map(({ value }) => value);
  return { ids: valuesOf('id'), emails: valuesOf('email'), phones: valuesOf('phone') };
}

declare module '../../lib/calls.ts' {
  interface Calls {
    'context.customers.contact': typeof readContact;
  }
}
