import { createApiKey } from './create-api-key.ts';
import { listApiKeys } from './list-api-keys.ts';
import { revokeApiKey } from './revoke-api-key.ts';
import { verifyApiKey } from './verify-api-key.ts';

export const apiKeyActions = {
  'api-keys.verify': verifyApiKey,
  'api-keys.list': listApiKeys,
  'api-keys.create': createApiKey,
  'api-keys.revoke': revokeApiKey,
};
