import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

/** A visitor of a site who has written, or whose identity the site has signed. */
export type VisitorDocument = {
  _id: string;
  orgId: string;
  siteId: string;
  /** `user:<id>` for a signed identity, otherwise the visitor's id; unique within the site. */
  person: string;
  /** The site's id of the user, with a signed identity. */
  userId: string | null;
  /** Unverified unless `userId` is set. */
  name: string | null;
  /** In lower case: an erasure finds an anonymous visitor by it. */
  email: string | null;
  /** Keys of business context (`id:…`, `email:…`) of a signed identity. */
  identifiers: string[];
  locale: string | null;
  /** A keyed hash of the last network, for the block list. */
  network: string | null;
  createdAt: Date;
  lastSeenAt: Date;
};

const schema = new Schema<VisitorDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    siteId: { type: String, required: true },
    person: { type: String, required: true },
    userId: { type: String, default: null },
    name: { type: String, default: null },
    email: { type: String, default: null },
    identifiers: { type: [String], default: [] },
    locale: { type: String, default: null },
    network: { type: String, default: null },
    createdAt: { type: Date, required: true },
    lastSeenAt: { type: Date, required: true },
  },
  { collection: 'connect_visitors', versionKey: false },
);
schema.plugin(tenantGuard);
schema.index({ orgId: 1, siteId: 1, person: 1 }, { unique: true });
schema.index({ orgId: 1, _id: 1 });
schema.index({ orgId: 1, userId: 1, lastSeenAt: -1 });
schema.index({ orgId: 1, identifiers: 1 });
schema.index({ orgId: 1, lastSeenAt: 1 });
schema.index({ orgId: 1, email: 1 });

export const VisitorModel = model('ConnectVisitor', schema);
