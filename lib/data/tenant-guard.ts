import type { Query, Schema } from 'mongoose';

const queries = /^(find|count|estimatedDocumentCount|distinct|update|replace|delete)/;

/**
 * A schema plugin that rejects queries without an organization: the filter must contain `orgId` as a text. A sweep over
 * all tenants sets the option `{ acrossTenants: true }`.
 */
export function tenantGuard(schema: Schema): void {
  schema.pre(queries, function refuseForgottenTenant(this: Query<unknown, unknown>) {
    const { orgId } = this.getFilter() as { orgId?: unknown };
    if (typeof orgId === 'string' || this.getOptions().acrossTenants) return;
    throw new Error(`A query on ${this.model.modelName} names no organization.`);
  });
  schema.pre('bulkWrite', function refuseBulkWrite() {
    throw new Error('Write in bulk through the collection, naming orgId in every filter.');
  });
  schema.pre('aggregate', function refuseAggregate() {
    throw new Error('Aggregate over tenant documents through a helper that matches orgId first.');
  });
}

declare module 'mongoose' {
  interface QueryOptions {
    /** Allows a query on the documents of all tenants: a sweep, a claim of work. */
    acrossTenants?: boolean;
  }
}
