import { model, Schema } from 'mongoose';
import type { DeclaredLimit } from '../../lib/contract/declared-limits.ts';

/**
 * A limit that a service declared; `_id` is its name, such as `hello.greetingsPerDay`. It is kept while the service is
 * absent, because counters name it, and belongs to no organization.
 */
export type DeclaredLimitDocument = DeclaredLimit & { _id: string };

const schema = new Schema<DeclaredLimitDocument>(
  {
    _id: String,
    kind: { type: String, required: true },
    name: { type: String, required: true },
    limits: { type: Schema.Types.Mixed, required: true },
  } as never,
  { collection: 'billing_declared_limits', versionKey: false },
);

export const DeclaredLimitModel = model('BillingDeclaredLimit', schema);
