import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { exampleId } from '../../../lib/examples.ts';
import { decodeCursor, pageOf, pageQuery, toPage } from '../../../lib/page.ts';
import { type ApiKeyDocument, ApiKeyModel } from '../../../models/identity/api-key.ts';
import { applicationPath, requireApplication } from '../applications/applications.ts';
import { apiKeyOutput, exampleApiKey, toApiKeyResponse } from './api-keys.ts';
import { lastUses } from './uses.ts';

/** GET /applications/:id/api-keys: the keys that are not revoked, including expired ones, the newest first. */
export const listApiKeys = defineAction({
  rest: 'GET /applications/:id/api-keys',
  summary: "List an application's API keys",
  permission: 'console.apps.read',
  input: { path: applicationPath, query: z.strictObject(pageQuery) },
  output: pageOf(apiKeyOutput),
  errors: ['NOT_FOUND', 'CURSOR_INVALID'],
  example: {
    path: { id: exampleId('app') },
    query: { limit: '20' },
    output: { data: [{ ...exampleApiKey, lastUsedAt: '2026-03-02T09:31:12.000Z' }], nextCursor: null },
  },
  async handler({ path: { id: applicationId }, query, caller: { orgId } }) {
    const before = decodeCursor(query.cursor, 1)?.[0];
    await requireApplication(orgId, applicationId);
    const older = before === undefined ? {} : { _id: { $lt: before } };
    const keys = await ApiKeyModel.find({ orgId, applicationId, revokedAt: null, ...older })
      .sort({ _id: -1 })
      .limit(query.limit + 1)
      .lean<ApiKeyDocument[]>();
    const uses = await lastUses(
      orgId,
      keys.map(({ _id }) => _id),
    );
    return toPage(
      keys,
      query.limit,
      ({ _id }) => [_id],
      (key) => toApiKeyResponse(key, uses.get(key._id)),
    );
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.api-keys.list': typeof listApiKeys;
  }
}
