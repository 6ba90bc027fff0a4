import { z } from 'zod';
import { exampleId, exampleInstant } from '../../lib/contract/examples.ts';
import { timestamp } from '../../lib/contract/input.ts';
import type { ApiKeyDocument } from '../../models/identity/api-key.ts';

/** An API key in API responses: never its token, nor the hash of it. Times are ISO 8601 UTC with milliseconds. */
export const apiKeyOutput = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    expiresAt: timestamp.nullable().describe('When the key expires; null: never.'),
    lastUsedAt: timestamp.nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'ApiKey' });

export const exampleApiKey = {
  id: exampleId('key'),
  name: 'Production',
  scopes: ['context.events.write', 'context.story.read'],
  expiresAt: '2027-03-02T09:30:00.000Z',
  lastUsedAt: null,
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
} satisfies z.input<typeof apiKeyOutput>;

export function toApiKeyResponse(key: ApiKeyDocument, lastUsedAt?: Date): z.output<typeof apiKeyOutput> {
  return {
    id: key._id,
    name: key.name,
    scopes: key.scopes,
    expiresAt: key.expiresAt?.toISOString() ?? null,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    createdAt: key.createdAt.toISOString(),
    updatedAt: key.updatedAt.toISOString(),
  };
}
