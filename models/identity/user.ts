import { model, Schema } from 'mongoose';

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
] as const;

export type Profile = Record<(typeof profileFields)[number], string | null>;

export type Contact = {
  contactId: string;
  type: (typeof contactTypes)[number];
  value: string;
  isPrimary: boolean;
  /** When its owner proved that it is theirs; null until then. */
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
 * How far the deletion of a user is. `stepping-down`: it is still to be decided by their organizations, which must not
 * lose their last owner. `leaving`: it was decided, and is completed. `restoring`: it was refused, and what was given up
 * is given back.
 */
export type UserDeletion = {
  phase: 'stepping-down' | 'leaving' | 'restoring';
  /** The organizations in which the user is, or was, made a member in place of an owner. Written before that is done. */
  ownedOrgIds: string[];
  /** Who works on it. Another takes over when it has not been renewed (`updatedAt`) for longer than a step takes. */
  leaseOwner: string;
};

/**
 * A person who can log in. They may be a member of several organizations, so a user belongs to none. Contacts and
 * addresses are part of the document, so that what holds among them (one primary a type) changes in one write.
 */
export type UserDocument = Profile & {
  _id: string;
  /** Normalised, so that one address is one user however it is typed; one of the contacts. */
  email: string;
  /** A PHC string: the algorithm and its parameters, the salt and the hash. */
  passwordHash: string;
  /** `deleting`: the login is disabled, and a sweep completes the removal. */
  status: 'active' | 'deleting';
  /** While the status is `deleting`. */
  deletion?: UserDeletion | null;
  contacts: Contact[];
  addresses: Address[];
  /** Counts the changes: an update names the one it was made from, so that none is lost. */
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
    deletion: { type: Schema.Types.Mixed },
    firstName: text,
    middleName: text,
    lastName: text,
    preferredName: text,
    birthDate: text,
    gender: text,
    displayName: text,
    avatarUrl: text,
    contacts: { type: [Schema.Types.Mixed], required: true } as never,
    addresses: { type: [Schema.Types.Mixed], required: true } as never,
    revision: { type: Number, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'identity_users', versionKey: false },
);
schema.index({ email: 1 }, { unique: true });
// Whose removal a sweep completes.
schema.index({ status: 1 });

export const UserModel = model('IdentityUser', schema);
