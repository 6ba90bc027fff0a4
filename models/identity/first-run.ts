import { model, Schema } from 'mongoose';

/** The only document of its collection. Inserting it claims the first run of this database. */
export type FirstRunDocument = {
  _id: 'first-run';
  status: 'running' | 'done';
  /** Chosen with the claim, so that any node that completes the run creates the same records. */
  userId: string;
  orgId: string;
  applicationId: string;
  keyId: string;
  /** The generated password and token, encrypted until the operator has received them; null afterwards. */
  sealed: string | null;
  leaseOwner: string;
  /** When the lease expires and another process may complete the run. */
  leaseUntil: Date;
  createdAt: Date;
};

const schema = new Schema<FirstRunDocument>(
  {
    _id: String,
    status: { type: String, enum: ['running', 'done'], required: true },
    userId: { type: String, required: true },
    orgId: { type: String, required: true },
    applicationId: { type: String, required: true },
    keyId: { type: String, required: true },
    sealed: { type: String, default: null },
    leaseOwner: { type: String, required: true },
    leaseUntil: { type: Date, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: 'identity_first_runs', versionKey: false },
);

export const FirstRunModel = model('IdentityFirstRun', schema);
