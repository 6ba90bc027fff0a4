import { model, Schema } from 'mongoose';
import { declareIdPrefix } from '../../lib/data/ids.ts';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

const collection = 'identity_organization_logos';

export const logoPrefix = declareIdPrefix('logo', collection);

/**
 * The image of a logo, apart from the organization's document, which most requests read. It never changes: a new image
 * has a new id, which the organization's document then names.
 */
export type OrganizationLogoDocument = {
  _id: string;
  orgId: string;
  /** A PNG in base64, at most 512 KiB. */
  base64: string;
  /** SHA-256 of the PNG in hex. */
  sha256: string;
  createdAt: Date;
};

const schema = new Schema<OrganizationLogoDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    base64: { type: String, required: true },
    sha256: { type: String, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection, versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, createdAt: 1 });

export const OrganizationLogoModel = model('IdentityOrganizationLogo', schema);
