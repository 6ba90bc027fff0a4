import { now } from '../../lib/data/clock.ts';
import { hashToken } from '../../lib/security/token-hash.ts';
import type { ApiKeyDocument } from '../../models/identity/api-key.ts';

type NewApiKey = Pick<ApiKeyDocument, '_id' | 'orgId' | 'applicationId' | 'name' | 'scopes'> & {
  token: string;
  expiresAt?: Date | null;
};

/** The record of a new key: it holds the token's hash in place of the token. */
export function toApiKeyDocument({ token, expiresAt = null, ...key }: NewApiKey): ApiKeyDocument {
  const createdAt = now();
  return {
    ...key,
    tokenHash: hashToken(token),
    expiresAt,
    revokedAt: null,
    createdAt,
    updatedAt: createdAt,
  };
}
