import { model, Schema } from 'mongoose';
import { tenantGuard } from '../../lib/data/tenant-guard.ts';

export const grantTypes = ['authorization_code', 'client_credentials', 'refresh_token'] as const;
export const tokenEndpointAuthMethods = ['client_secret_basic', 'client_secret_post', 'none'] as const;

/** An OAuth 2.0 client of an application, which has at most one. Its id is the `client_id`. */
export type OAuthClientDocument = {
  _id: string;
  orgId: string;
  applicationId: string;
  grantTypes: (typeof grantTypes)[number][];
  redirectUris: string[];
  postLogoutRedirectUris: string[];
  /** The origins of `redirectUris`, to which a login may return. */
  redirectOrigins: string[];
  scopes: string[];
  /** `none`: a public client, which has no secret and must use PKCE. */
  tokenEndpointAuthMethod: (typeof tokenEndpointAuthMethods)[number];
  /** Whether the operator marked it as first-party; such a client needs no consent. */
  isFirstParty?: boolean;
  /** SHA-256 of each secret in hex: the newest without expiry, and the one before it for a day. */
  secrets: { hash: string; expiresAt: Date | null }[];
  /** The keys of the last operations that set it, newest first. */
  operations?: string[];
  createdAt: Date;
  updatedAt: Date;
};

const schema = new Schema<OAuthClientDocument>(
  {
    _id: String,
    orgId: { type: String, required: true },
    applicationId: { type: String, required: true },
    grantTypes: { type: [String], required: true },
    redirectUris: { type: [String], required: true },
    postLogoutRedirectUris: { type: [String], required: true },
    redirectOrigins: { type: [String], required: true },
    scopes: { type: [String], required: true },
    tokenEndpointAuthMethod: { type: String, enum: tokenEndpointAuthMethods, required: true },
    isFirstParty: { type: Boolean },
    secrets: { type: [Schema.Types.Mixed], required: true } as never,
    operations: { type: [String] },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { collection: 'identity_oauth_clients', versionKey: false },
);
schema.plugin(tenantGuard);
// An application has one client.
schema.index({ orgId: 1, applicationId: 1 }, { unique: true });
// Finds the origins to which a login may return, across all tenants.
schema.index({ redirectOrigins: 1 });

export const OAuthClientModel = model('IdentityOAuthClient', schema);
