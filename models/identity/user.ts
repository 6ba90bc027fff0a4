import { model, Schema } from 'mongoose';

/** A person who can log in. They may be a member of several organizations, so a user belongs to none. */
export type UserDocument = {
  _id: string;
  /** Normalised, so that one address is one user however it is typed. */
  email: string;
  /** A PHC string: the algorithm and its parameters, the salt and the hash. */
  passwordHash: string;
  createdAt: Date;
  updatedAt: Date;
};

const schema = new Schema<UserDocument>(
  {
    _id: String,
    email: { type: String, required: true },
    passwordHash: { type: String, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'identity_users', versionKey: false },
);
schema.index({ email: 1 }, { unique: true });

export const UserModel = model('IdentityUser', schema);
