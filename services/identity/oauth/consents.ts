import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAuditEvent } from '../../../lib/audit.ts';
import type { Ctx } from '../../../lib/caller.ts';
import { now } from '../../../lib/clock.ts';
import { insertIfAbsent } from '../../../lib/insert-unless-there.ts';
import { consentId, type OAuthConsentDocument, OAuthConsentModel } from '../../../models/identity/oauth-consent.ts';
import { findLiveClient } from './clients.ts';
import { revokeGrants } from './revoke-grants.ts';

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

const remembered = z.strictObject({ ...who, orgId: z.string(), scopes });
type Remembered = z.output<typeof remembered>;

/**
 * `identity.oauth.consents.remember`, for the gateway: a user has allowed a client these scopes, in addition to
 * previous ones.
 */
export const rememberConsent = defineAction({
  summary: "Store a user's consent to a client",
  permission: 'internal',
  input: { body: remembered },
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
  input: { body: remembered },
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

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.oauth.consents.find': typeof findConsent;
    'identity.oauth.consents.remember': typeof rememberConsent;
    'identity.oauth.consents.imply': typeof implyConsent;
  }
}
