import { model, Schema } from 'mongoose';

/** `open`: every address. `invitation`: invited people. `domains`: addresses of listed domains, and invited people. */
export const registrationModes = ['open', 'invitation', 'domains'] as const;
export type RegistrationMode = (typeof registrationModes)[number];

/** The only document of its collection: who may create an account on the platform. Without it, registration is open. */
export type RegistrationPolicyDocument = {
  _id: 'registration';
  mode: RegistrationMode;
  /** Domains of email addresses, in the form of a normalized address: lower case and ASCII. */
  domains: string[];
  updatedAt: Date;
};

const schema = new Schema<RegistrationPolicyDocument>(
  {
    _id: String,
    mode: { type: String, enum: registrationModes, required: true },
    domains: { type: [String], required: true },
    updatedAt: { type: Date, required: true },
  } as never,
  { collection: 'identity_registration_policies', versionKey: false },
);

export const RegistrationPolicyModel = model('IdentityRegistrationPolicy', schema);
