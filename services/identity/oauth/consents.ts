import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { recordAct } from '../../../lib/audit.ts';
import { now } from '../../../lib/clock.ts';
import { insertUnlessThere } from '../../../lib/insert-unless-there.ts';
import { consentId, type OAuthConsentDocument, OAuthConsentModel } from '../../../models/identity/oauth-consent.ts';

const who = { userId: z.string(), clientId: z.string() };
const scopes = z.array(z.string());

/** `identity.oauth.consents.find`, for the gateway: the scopes a user has allowed a client; none is an empty list. */
export const findConsent = defineAction({
  summary: 'Find what a user has allowed a client',
  permission: 'internal',
  input: { body: z.strictObject(who) },
  output: z.strictObject({ scopes }),
  async handler({ body: { userId, clientId } }) {
    const _id = consentId(userId, clientId);
    const consent = await OAuthConsentModel.findOne({ _id }).lean<OAuthConsentDocument>();
    return { scopes: consent?.scopes ?? [] };
  },
});

/** `identity.oauth.consents.remember`, for the gateway: a user has allowed a client these scopes, beside former ones. */
export const rememberConsent = defineAction({
  summary: 'Remember what a user has allowed a client',
  permission: 'internal',
  input: { body: z.strictObject({ ...who, orgId: z.string(), scopes }) },
  output: z.void(),
  async handler({ body: { userId, clientId, orgId, scopes: allowed }, ctx }) {
    const _id = consentId(userId, clientId);
    const at = now();
    const isNew = await insertUnlessThere<OAuthConsentDocument>(OAuthConsentModel, {
      _id,
      userId,
      clientId,
      scopes: allowed,
      createdAt: at,
      updatedAt: at,
    });
    if (!isNew) {
      const addition = { $addToSet: { scopes: { $each: allowed } }, $set: { updatedAt: at } };
      await OAuthConsentModel.updateOne({ _id }, addition);
    }
    await recordAct(ctx, {
      action: 'consent.granted',
      orgId,
      actor: { type: 'user', id: userId },
      target: { type: 'oauth-client', id: clientId },
      after: { scopes: allowed },
    });
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'identity.oauth.consents.find': typeof findConsent;
    'identity.oauth.consents.remember': typeof rememberConsent;
  }
}
