import { model, Schema } from 'mongoose';
import { type SystemRole, systemRoles } from '../../lib/contract/authorize.ts';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** An invitation to join an organization, by a mailed link. Only the owner of the address can accept it. */
export type InvitationDocument = {
  _id: string;
  orgId: string;
  /** Normalized. */
  email: string;
  role: SystemRole;
  /** SHA-256 in hex of the token in the newest mail. */
  tokenHash: string;
  /** The keys of the last operations that resent it, newest first. */
  operations?: string[];
  /** A pending invitation is open until `expiresAt`. */
  status: 'pending' | 'accepted' | 'revoked';
  /** `<orgId>:<email>` while it is open, so that an address has one; its id afterwards. */
  openKey: string;
  invitedBy: { type: 'user' | 'application'; id: string };
  /** The user who accepted it. */
  acceptedBy: string | null;
  /** The lease of the request that adds the user who accepted it as a member; null otherwise. */
  joinBy: Date | null;
  expiresAt: Date;
  createdAt: Date;
  updatedAt: Date;
};

const schema = new Schema<InvitationDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    email: { type: String, required: true },
    role: { type: String, enum: systemRoles, required: true },
    tokenHash: { type: String, required: true },
    operations: { type: [String] },
    status: { type: String, enum: ['pending', 'accepted', 'revoked'], required: true },
    openKey: { type: String, required: true },
    invitedBy: { type: Schema.Types.Mixed, required: true },
    acceptedBy: { type: String, default: null },
    joinBy: { type: Date, default: null },
    expiresAt: { type: Date, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  } as never,
  { collection: 'identity_invitations', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, _id: 1 });
schema.index({ orgId: 1, status: 1, expiresAt: 1 });
schema.index({ openKey: 1 }, { unique: true });
// Finds the invitation of a link. The tenant is only known after this lookup.
schema.index({ tokenHash: 1 }, { unique: true });
// Finds whether an address is invited by any organization.
schema.index({ email: 1, status: 1 });
// Finds unfinished work of a crashed process and old invitations, across all tenants.
schema.index({ joinBy: 1 });
schema.index({ expiresAt: 1 });

export const InvitationModel = model('IdentityInvitation', schema);
