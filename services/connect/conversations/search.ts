import { prefixRange } from '../../../lib/data/prefix-range.ts';
import { normalizeEmail } from '../../../lib/format/email-address.ts';
import { searchForm } from '../../../lib/format/search-form.ts';
import { VisitorModel } from '../../../models/connect/visitor.ts';

const maxVisitors = 200;

/**
 * The filter of the conversations that a text finds: by their id, by the customer's id or the visitor's email address as
 * a whole, or by the beginning of the visitor's name. Each alternative has an index.
 */
export async function searchFilter(orgId: string, q: string): Promise<object> {
  const email = q.includes('@') ? normalizeEmail(q) : null;
  const visitors = email
    ? await VisitorModel.find({ orgId, email }, { _id: 1 }).sort({ _id: -1 }).limit(maxVisitors).lean()
    : [];
  const prefix = searchForm(q);
  return {
    $or: [
      { _id: q },
      { customerId: q },
      ...(email ? [{ identifiers: `email:${email}` }] : []),
      ...(visitors.length > 0 ? [{ visitorId: { $in: visitors.map(({ _id }) => _id) } }] : []),
      ...(prefix === '' ? [] : [{ nameKey: prefixRange(prefix) }]),
    ],
  };
}
