import { model, Schema } from 'mongoose';
import { type SystemRole, systemRoles } from '../../lib/roles.ts';
import { tenantGuard } from '../../lib/tenant-guard.ts';

/** That a user belongs to an organization, and as what. */
export type MembershipDocument = {
  /** `<orgId>:<userId>`: a user is a member of an organization once. */
  _id: string;
  orgId: string;
  userId: string;
  role: SystemRole;
  /** The `membershipRevision` of the organization that this is the state of; absent is before the first. */
  revision?: number;
  createdAt: Date;
  updatedAt: Date;
};

const schema = new Schema<MembershipDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    userId: { type: String, required: true },
    role: { type: String, enum: systemRoles, required: true },
    revision: Number,
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'identity_memberships', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, userId: 1 });
// The organizations of a user, whatever their tenant.
schema.index({ userId: 1 });

export const MembershipModel = model('IdentityMembership', schema);

export const membershipId = (orgId: string, userId: string): string => `${orgId}:${userId}`;
