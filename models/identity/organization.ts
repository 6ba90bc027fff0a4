import { model, Schema } from 'mongoose';

/** A tenant. Its `_id` is the `orgId` of all its data, so this collection itself has no tenant. */
export type OrganizationDocument = {
  _id: string;
  name: string;
  /** Unique on the whole platform, and immutable. */
  slug: string;
  /** `deleting`: it is disabled, and a sweep completes the removal. `deleted`: only the slug is kept. */
  status: 'active' | 'deleting' | 'deleted';
  /** The user who becomes its first owner, and since when; set until access control is known to have recorded it. */
  pendingFounder?: { userId: string; at: Date } | null;
  /**
   * The user who created it, for the limit of organizations per user; absent without one, or once the user is deleted.
   */
  createdBy?: string;
  /** Whether the operator lets browsers return to the origins of its OAuth clients without a confirmation. */
  isTrusted?: boolean;
  /**
   * Since when and why the operator has suspended it; absent otherwise. `recordId`: the audit record of it, so that a
   * repetition after a crash adds no second one.
   */
  suspension?: { at: Date; reason: string; recordId: string } | null;
  /** The id of the image of its logo; absent or null without one. */
  logoId?: string | null;
  /** The colour of its brand as `#rrggbb`; absent or null without one. */
  brandColor?: string | null;
  /** The domains of addresses that can join, in the form of a normalized address; absent or empty for all. */
  allowedEmailDomains?: string[];
  /** The hours after a login for which a member can act in it; absent or null for the whole session. */
  maxSessionHours?: number | null;
  createdAt: Date;
  updatedAt: Date;
};

const schema = new Schema<OrganizationDocument>(
  {
    _id: String,
    name: { type: String, required: true },
    slug: { type: String, required: true },
    status: { type: String, enum: ['active', 'deleting', 'deleted'], required: true },
    pendingFounder: Schema.Types.Mixed,
    createdBy: String,
    isTrusted: Boolean,
    suspension: Schema.Types.Mixed,
    logoId: String,
    brandColor: String,
    allowedEmailDomains: { type: [String], default: undefined },
    maxSessionHours: Number,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  } as never,
  { collection: 'identity_organizations', versionKey: false },
);
schema.index({ slug: 1 }, { unique: true });
// Counts the organizations that a user has created.
schema.index({ createdBy: 1, status: 1 });
// Lists the organizations of the platform.
schema.index({ status: 1, _id: 1 });
// Finds unfinished work of a crashed process.
schema.index({ 'pendingFounder.at': 1 });

// Finds the few trusted organizations.
schema.index({ isTrusted: 1, status: 1 });
// Finds the few suspended organizations.
schema.index({ 'suspension.at': 1 });

export const OrganizationModel = model('IdentityOrganization', schema);
