import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** A website of an organization, with the settings of its widget. */
export type SiteDocument = {
  _id: string;
  orgId: string;
  /**
   * The number of the site among the sites that the plan allows, so that concurrent requests cannot exceed the limit.
   */
  place: string;
  name: string;
  /** Origins whose pages may embed the widget; `https://*.example.com` is all subdomains. Empty: none. */
  allowedOrigins: string[];
  greeting: string;
  /** `#rrggbb`. */
  colour: string;
  logoUrl: string | null;
  enabled: boolean;
  /** The secret that signs identities, encrypted because verification needs it; null until one is created. */
  sealedSecret: string | null;
  /** The key of the operation that created it, for a retry. */
  secretOperation: string | null;
  secretCreatedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

const schema = new Schema<SiteDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    place: { type: String, required: true },
    name: { type: String, required: true },
    allowedOrigins: { type: [String], required: true },
    greeting: { type: String, default: '' },
    colour: { type: String, required: true },
    logoUrl: { type: String, default: null },
    enabled: { type: Boolean, required: true },
    sealedSecret: { type: String, default: null },
    secretOperation: { type: String, default: null },
    secretCreatedAt: { type: Date, default: null },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'connect_sites', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, place: 1 }, { unique: true });
schema.index({ orgId: 1, _id: 1 });

export const SiteModel = model('ConnectSite', schema);
