import { model, Schema } from 'mongoose';
import type { Language } from '../../lib/format/language.ts';

export const contactTypes = ['phone', 'email', 'chatapp', 'photoapp', 'socialapp', 'microblog'] as const;
export const addressTypes = ['home', 'work', 'billing', 'shipping'] as const;
export const profileFields = [
  'firstName',
  'middleName',
  'lastName',
  'preferredName',
  'birthDate',
  'gender',
  'displayName',
  'avatarUrl',
  'language',
] as const;

/** `language`: of pages and mails; null follows the browser. */
export type Profile = Record<Exclude<(typeof profileFields)[number], 'language'>, string | null> & {
  language: Language | null;
};

export type Contact = {
  contactId: string;
  type: (typeof contactTypes)[number];
  value: string;
  isPrimary: boolean;
  /** When the user verified it; null until then. */
  verifiedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

export type Address = {
  addressId: string;
  type: (typeof addressTypes)[number];
  addressLine: string;
  city: string;
  state: string;
  postalCode: string;
  country: string;
  createdAt: Date;
  updatedAt: Date;
};

/**
 * The progress of a user's deletion. `stepping-down`: not decided yet, because no organization may lose its last owner.
 * `leaving`: decided, will be completed. `restoring`: rejected, the roles that the user gave up are restored.
 */
export type UserDeletion = {
  phase: 'stepping-down' | 'leaving' | 'restoring';
  /** The organizations in which the user's role changes from owner to member. Written before the change. */
  ownedOrgIds: string[];
  /** The lease holder. Another may claim the lease when `updatedAt` is older than the maximum time of a step. */
  leaseOwner: string;
  /**
   * Whether it repeats the deletion of a user whom a restored database has again. It is not rejected: it waits until
   * each of the user's organizations has another owner.
   */
  isRepeated?: boolean;
};

/**
 * A person who can log in. They may be a member of several organizations, so a user belongs to none. Contacts and
 * addresses are part of the document, so that their invariants (one primary per type) are kept by a single write.
 */
export type UserDocument = Profile & {
  _id: string;
  /** Normalized, so that each spelling of an address finds the same user. It is one of the contacts. */
  email: string;
  /** A PHC string: the algorithm and its parameters, the salt and the hash. */
  passwordHash: string;
  /** `deleting`: the login is disabled, and a sweep completes the removal. */
  status: 'active' | 'deleting';
  /** Whether they are an operator of the platform; absent for users who never were. */
  isOperator?: boolean;
  /** Set while the status is `deleting`. */
  deletion?: UserDeletion | null;
  contacts: Contact[];
  addresses: Address[];
  /** When they last logged in; absent before the first login since this is stored. */
  lastLoginAt?: Date;
  /** The version of the user's keys that the directories have; absent or null while they have to be written. */
  directoryForm?: number | null;
  /** Grows with every change, for optimistic concurrency control. */
  revision: number;
  createdAt: Date;
  updatedAt: Date;
};

const text = { type: String, default: null };
const schema = new Schema<UserDocument>(
  {
    _id: String,
    email: { type: String, required: true },
    passwordHash: { type: String, required: true },
    status: { type: String, enum: ['active', 'deleting'], required: true },
    isOperator: Boolean,
    deletion: { type: Schema.Types.Mixed },
    firstName: text,
    middleName: text,
    lastName: text,
    preferredName: text,
    birthDate: text,
    gender: text,
    displayName: text,
    avatarUrl: text,
    language: text,
    contacts: { type: [Schema.Types.Mixed], required: true } as never,
    addresses: { type: [Schema.Types.Mixed], required: true } as never,
    lastLoginAt: Date,
    directoryForm: Number,
    revision: { type: Number, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'identity_users', versionKey: false },
);
schema.index({ email: 1 }, { unique: true });
// Lists the users of the platform, and finds those whose deletion a sweep completes.
schema.index({ status: 1, _id: 1 });
// Finds the few operators.
schema.index({ isOperator: 1, status: 1 });
// Finds the users whom a sweep enters into directories.
schema.index({ directoryForm: 1, _id: 1 });

export const UserModel = model('IdentityUser', schema);
