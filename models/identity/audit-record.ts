import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** The log of events without an organization. */
export const platformLog = 'platform';

/** `operator`: a user in the role of the platform's own staff. */
export const actorTypes = ['user', 'application', 'operator', 'system', 'anonymous'] as const;

/**
 * One security-relevant event. Records are append-only, except for events of callers without a credential: one record
 * counts all similar events within an hour.
 */
export type AuditRecordDocument = {
  _id: string;
  /** The organization of the log; {@link platformLog} for events without one. */
  orgId: string;
  /** The event's type, as `<thing>.<past participle>`: `session.created`, `member.removed`. */
  action: string;
  actor: { type: (typeof actorTypes)[number]; id: string | null; credentialId: string | null };
  target: { type: string; id: string };
  address: string | null;
  userAgent: string | null;
  requestId: string | null;
  /** The changed fields before and after the event; null where the resource did not exist. Never a secret. */
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  createdAt: Date;
  /** In a counting record: the number of events, and the time of the last. */
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
