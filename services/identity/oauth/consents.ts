import { z } from 'zod';
import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import type { Ctx } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/contract/examples.ts';
import { decodeCursor, pageOf, pageQuery, pathId, timestamp, toPage } from '../../../lib/contract/input.ts';
import { now } from '../../../lib/data/clock.ts';
import { insertIfAbsent } from '../../../lib/data/collection.ts';
import { consentId, type OAuthConsentDocument, OAuthConsentModel } from '../../../models/identity/oauth-consent.ts';
import { findLiveClient } from './clients.ts';
import { revokeGrants } from './grants.ts';

const who = { userId: z.string(), clientId: z.string() };
const scopes = z.array(z.string());

/** `identity.oauth.consents.find`, for the gateway: the scopes a user has allowed a client; none is an empty list. */
export const findConsent = defineAction({
  summary: "Find a user's consent to a client",
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject(who) },
  output: z.strictObject({ scopes }),
  async handler({ body: { userId, clientId } }) {
    const _id = consentId(userId, clientId);
    const consent = await OAuthConsentModel.findOne({ _id }).lean<OAuthConsentDocument>();
    return { scopes: consent?.scopes ?? [] };
  },
});

const consentOutput = z.strictObject({ ...who, orgId: z.string(), scopes });
type Remembered = z.output<typeof consentOutput>;

/**
 * `identity.oauth.consents.remember`, for the gateway: a user has allowed a client these scopes, in addition to
 * previous ones.
 */
export const rememberConsent = defineAction({
  summary: "Store a user's consent to a client",
  permission: 'internal',
  input: { body: consentOutput },
  output: z.void(),
  handler: ({ body, ctx }) => remember(ctx, body, 'consent.granted'),
});

/**
 * `identity.oauth.consents.imply`, for the gateway: a user begins to use a first-party client, which needs no consent.
 * It is stored anyway, so that the client is among the user's applications and can be withdrawn there. False when the
 * client is not, or no longer, first-party.
 */
export const implyConsent = defineAction({
  summary: "Store a user's implied consent to a first-party client",
  permission: 'internal',
  input: { body: consentOutput },
  output: z.strictObject({ isImplied: z.boolean() }),
  async handler({ body, ctx }) {
    const { userId, clientId } = body;
    const isFirstParty = async () => (await findLiveClient(clientId))?.isFirstParty === true;
    if (!(await isFirstParty())) return { isImplied: false };
    const stored = await OAuthConsentModel.findOne({ _id: consentId(userId, clientId) }).lean<OAuthConsentDocument>();
    if (body.scopes.every((scope) => stored?.scopes.includes(scope))) return { isImplied: true };
    await remember(ctx, body, 'consent.implied');
    // The client may have lost its first-party mark since the check, before this consent could be seen.
    if (await isFirstParty()) return { isImplied: true };
    await revokeGrants(ctx, { userId, clientId });
    return { isImplied: false };
  },
});

async function remember(
  ctx: Ctx,
  { userId, clientId, orgId, scopes: allowed }: Remembered,
  action: 'consent.granted' | 'consent.implied',
): Promise<void> {
  const _id = consentId(userId, clientId);
  const at = now();
  const consent = { _id, userId, clientId, scopes: allowed, createdAt: at, updatedAt: at };
  if (!(await insertIfAbsent<OAuthConsentDocument>(OAuthConsentModel, consent))) {
    const addition = { $addToSet: { scopes: { $each: allowed } }, $set: { updatedAt: at } };
    await OAuthConsentModel.updateOne({ _id }, addition);
  }
  await recordAuditEvent(ctx, {
    action,
    orgId,
    actor: { type: 'user', id: userId },
    target: { type: 'oauth-client', id: clientId },
    after: { scopes: allowed },
  });
}

const allowedApplication = z
  .strictObject({
    clientId: z.string(),
    name: z.string(),
    organization: z.strictObject({ id: z.string(), name: z.string() }).describe('The organization of the application.'),
    scopes: z.array(z.string()).describe('The scopes that the user granted.'),
    /** Whether it is one of the platform's own, which need no consent. */
    firstParty: z.boolean(),
    createdAt: timestamp.describe('When the user first granted access.'),
    updatedAt: timestamp,
  })
  .meta({ id: 'AllowedApplication' });

/** GET /identity/me/applications: the applications that the user has consented to, with the scopes. */
export const listMyApplications = defineAction({
  rest: 'GET /identity/me/applications',
  summary: 'List the applications you have granted access',
  description:
    'Returns the applications that may act for the user, with the scopes they were granted. Applications of the ' +
    'platform itself are marked with `firstParty`.',
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
  description:
    'Withdraws what the user granted to an application. Its refresh and access tokens for this user stop working ' +
    'immediately; the application has to ask again.',
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
