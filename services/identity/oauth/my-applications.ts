import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import { apiError } from '../../../lib/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/examples.ts';
import { timestamp } from '../../../lib/instant.ts';
import { decodeCursor, pageOf, pageQuery, toPage } from '../../../lib/page.ts';
import { pathId } from '../../../lib/path-text.ts';
import { consentId, type OAuthConsentDocument, OAuthConsentModel } from '../../../models/identity/oauth-consent.ts';
import { findLiveClient } from './clients.ts';
import { revokeGrants } from './revoke-grants.ts';

const allowedApplication = z
  .strictObject({
    clientId: z.string(),
    name: z.string(),
    organization: z.strictObject({ id: z.string(), name: z.string() }),
    scopes: z.array(z.string()),
    /** Whether it is one of the platform's own, which need no consent. */
    firstParty: z.boolean(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'AllowedApplication' });

/** GET /identity/me/applications: the applications that the user has consented to, with the scopes. */
export const listMyApplications = defineAction({
  rest: 'GET /identity/me/applications',
  summary: 'List the applications you have granted access',
  permission: 'session',
  input: { query: z.strictObject(pageQuery) },
  output: pageOf(allowedApplication),
  errors: ['CURSOR_INVALID'],
  example: {
    query: { limit: '20' },
    output: {
      data: [
        {
          clientId: exampleId('cli'),
          name: 'Shop backend',
          organization: { id: exampleId('org'), name: 'Acme Bikes' },
          scopes: ['openid', 'profile', 'email', 'offline_access'],
          firstParty: false,
          createdAt: exampleInstant,
          updatedAt: exampleInstant,
        },
      ],
      nextCursor: null,
    },
  },
  async handler({ query, caller }) {
    const after = decodeCursor(query.cursor, 1)?.[0];
    const later = after === undefined ? {} : { _id: { $gt: after } };
    const consents = await OAuthConsentModel.find({ userId: caller.id, ...later })
      .sort({ _id: 1 })
      .limit(query.limit + 1)
      .lean<OAuthConsentDocument[]>();
    const page = toPage(
      consents,
      query.limit,
      ({ _id }) => [_id],
      (consent) => consent,
    );
    const shown = await Promise.all(page.data.map(toConsentResponse));
    return { ...page, data: shown.filter((one) => one !== null) };
  },
});

/** DELETE /identity/me/applications/:clientId: withdraws the consent and revokes the grants immediately. */
export const withdrawMyApplication = defineAction({
  rest: 'DELETE /identity/me/applications/:clientId',
  summary: "Withdraw an application's access",
  permission: 'session',
  input: { path: z.strictObject({ clientId: pathId('cli') }) },
  output: z.void(),
  errors: ['NOT_FOUND'],
  example: { path: { clientId: exampleId('cli') } },
  async handler({ path: { clientId }, caller, ctx }) {
    const _id = consentId(caller.id, clientId);
    const consent = await OAuthConsentModel.findOne({ _id }).lean<OAuthConsentDocument>();
    const revoked = await revokeGrants(ctx, { userId: caller.id, clientId });
    if (!consent && revoked === 0)
      throw apiError('NOT_FOUND', { message: 'You have not granted this application access.' });
    const client = await findLiveClient(clientId);
    // Recorded in the client's organization only: a user's consents are private from other organizations.
    await recordAuditEvent(ctx, {
      action: 'consent.withdrawn',
      ...(client && { orgId: client.orgId }),
      target: { type: 'oauth-client', id: clientId },
      ...(consent && { before: { scopes: consent.scopes } }),
    });
  },
});

/** Null when the client is deleted: then there is nothing to withdraw, and a sweep removes the consent. */
async function toConsentResponse(consent: OAuthConsentDocument): Promise<z.input<typeof allowedApplication> | null> {
  const client = await findLiveClient(consent.clientId);
  if (!client) return null;
  return {
    clientId: consent.clientId,
    name: client.applicationName,
    organization: { id: client.orgId, name: client.organizationName },
    scopes: consent.scopes,
    firstParty: client.isFirstParty ?? false,
    createdAt: consent.createdAt.toISOString(),
    updatedAt: consent.updatedAt.toISOString(),
  };
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.oauth.my-applications.list': typeof listMyApplications;
    'identity.oauth.my-applications.withdraw': typeof withdrawMyApplication;
  }
}
