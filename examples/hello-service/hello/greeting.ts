import { declareIdPrefix, model, Schema, tenantGuard } from 'platform/service';

export const greetingPrefix = declareIdPrefix('greeting', 'hello_greetings');

/** A greeting stored by an organization. */
export type GreetingDocument = { _id: string; orgId: string; name: string; createdAt: Date };

const schema = new Schema<GreetingDocument>(
  { _id: String, orgId: { type: String, required: true }, name: String, createdAt: Date },
  { collection: 'hello_greetings', versionKey: false },
);
// A query that does not name its organization throws.
schema.plugin(tenantGuard);
schema.index({ orgId: 1, _id: 1 });
schema.index({ createdAt: 1 });

export const GreetingModel = model('HelloGreeting', schema);
