import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/tenant-guard.ts';

/** What concerns no organization stands in the platform's own log. */
export const platformLog = 'platform';

/**
 * One security-relevant act. Records are added and never changed, but those of what people without a credential did:
 * one counts what is alike within an hour.
 */
export type AuditRecordDocument = {
  _id: string;
  /** The organization whose log it stands in; {@link platformLog} for what concerns none. */
  orgId: string;
  /** What happened, as `<thing>.<past participle>`: `session.created`, `member.removed`. */
  action: string;
  actor: { type: 'user' | 'application' | 'system' | 'anonymous'; id: string | null; credentialId: string | null };
  target: { type: string; id: string };
  address: string | null;
  userAgent: string | null;
  requestId: string | null;
  /** What was changed, as it was and as it is; null where there is no such state. Never a secret. */
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  createdAt: Date;
  /** In a record that counts: how many acts there were, and when the last was. */
  count?: number;
  lastAt?: Date;
};

const schema = new Schema<AuditRecordDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    action: { type: String, required: true },
    actor: { type: Schema.Types.Mixed, required: true },
    target: { type: Schema.Types.Mixed, required: true },
    address: { type: String, default: null },
    userAgent: { type: String, default: null },
    requestId: { type: String, default: null },
    before: { type: Schema.Types.Mixed, default: null },
    after: { type: Schema.Types.Mixed, default: null },
    createdAt: { type: Date, required: true },
    count: Number,
    lastAt: Date,
  } as never,
  { collection: 'identity_audit_records', versionKey: false, minimize: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, _id: 1 });
schema.index({ orgId: 1, action: 1, _id: 1 });
schema.index({ orgId: 1, 'actor.id': 1, _id: 1 });
schema.index({ orgId: 1, 'target.id': 1, _id: 1 });

export const AuditRecordModel = model('IdentityAuditRecord', schema);
