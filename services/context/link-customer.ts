import { z } from 'zod';
import { defineAction } from '../../lib/action.ts';
import { idPattern } from '../../lib/ids.ts';
import { IdentifierModel, identifierDocumentId } from '../../models/context/identifier.ts';
import { findCustomer } from './customers.ts';
import { emailIdentifiers, identifierKey, normalizeId } from './story/identifiers.ts';

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

declare module '../../lib/calls.ts' {
  interface Calls {
    'context.customers.link': typeof linkCustomer;
  }
}
