import { model, Schema } from 'mongoose';

export const artifactKinds = ['Session', 'Interaction', 'Grant', 'AuthorizationCode', 'RefreshToken'] as const;
export type ArtifactKind = (typeof artifactKinds)[number];

/**
 * The stored objects of the OpenID provider: sessions, interactions, grants, codes and refresh tokens. Some identifiers
 * are secrets, so only their SHA-256 is stored, and the gateway encrypts the contents.
 */
export type OAuthArtifactDocument = {
  /** `<kind>:<SHA-256 of the identifier in hex>`. */
  _id: string;
  kind: ArtifactKind;
  /** SHA-256 of the second identifier that sessions have. */
  uid: string | null;
  /** SHA-256 of the identifier of the grant that a code or refresh token was issued under. */
  grantId: string | null;
  /** The user's id. */
  accountId: string | null;
  clientId: string | null;
  /** The platform session with which a grant ends; null when the grant outlives it (`offline_access`). */
  sessionId: string | null;
  sealed: string;
  /** When a code or refresh token was used; null until then. */
  consumedAt: Date | null;
  expiresAt: Date;
  createdAt: Date;
};

const text = { type: String, default: null };
const schema = new Schema<OAuthArtifactDocument>(
  {
    _id: String,
    kind: { type: String, enum: artifactKinds, required: true },
    uid: text,
    grantId: text,
    accountId: text,
    clientId: text,
    sessionId: text,
    sealed: { type: String, required: true },
    consumedAt: { type: Date, default: null },
    expiresAt: { type: Date, required: true },
    createdAt: { type: Date, required: true },
  },
  { collection: 'identity_oauth_artifacts', versionKey: false },
);
schema.index({ uid: 1, kind: 1 });
schema.index({ grantId: 1 });
schema.index({ accountId: 1, clientId: 1 });
schema.index({ clientId: 1 });
schema.index({ sessionId: 1 });
schema.index({ expiresAt: 1 });

export const OAuthArtifactModel = model('IdentityOAuthArtifact', schema);

export const artifactId = (kind: ArtifactKind, hash: string): string => `${kind}:${hash}`;
