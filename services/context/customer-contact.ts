import { z } from 'zod';
import { defineAction } from '../../lib/contract/define-action.ts';
import { idPattern } from '../../lib/data/ids.ts';
import { IdentifierModel, identifierDocumentId } from '../../models/context/identifier.ts';
import { findCustomer, findRoot, identifiersOfCustomer } from './customers.ts';
import { findSettledCustomer } from './stories.ts';
import { emailIdentifiers, identifierKey, normalizeId, parseIdentifierKey } from './story/identifiers.ts';

/**
 * `context.customers.link`, for a service that knows identifiers of one person from a source that the organization has
 * signed: joins them to the customer who has one of them, and merges several customers, as an event would. A person
 * without any events is not stored.
 */
export const linkCustomer = defineAction({
  summary: 'Join identifiers of a person to their customer',
  permission: 'internal',
  input: {
    body: z.strictObject({
      orgId: z.string().regex(idPattern('org')),
      identifiers: z.array(z.strictObject({ type: z.enum(['id', 'email']), value: z.string() })).max(5),
    }),
  },
  output: z.strictObject({ isKnown: z.boolean() }),
  async handler({ body: { orgId, identifiers } }) {
    const keys = identifiers.flatMap(({ type, value }) => {
      if (type === 'email') return emailIdentifiers(value).map(identifierKey);
      const id = normalizeId(value);
      return id === undefined ? [] : [identifierKey({ type, value: id })];
    });
    const _id = { $in: keys.map((key) => identifierDocumentId(orgId, key)) };
    const pointers = await IdentifierModel.find({ orgId, _id }, { customer: 1 }).lean();
    const isJoined = pointers.length === keys.length && new Set(pointers.map(({ customer }) => customer)).size === 1;
    if (pointers.length > 0 && !isJoined) await findCustomer(orgId, keys);
    return { isKnown: pointers.length > 0 };
  },
});

const contactOutput = z.strictObject({
  ids: z.array(z.string()),
  emails: z.array(z.string()),
  phones: z.array(z.string()),
});
type Contact = z.output<typeof contactOutput>;

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

async function contactOf(orgId: string, customer: string): Promise<Contact> {
  const keys = await identifiersOfCustomer(orgId, customer);
  const identifiers = keys.flatMap((key) => parseIdentifierKey(key) ?? []);
  const valuesOf = (type: string) => identifiers.filter((one) => one.type === type).map(({ value }) => value);
  return { ids: valuesOf('id'), emails: valuesOf('email'), phones: valuesOf('phone') };
}
