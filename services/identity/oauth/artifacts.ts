import { z } from 'zod';
import { recordAuditEvent } from '../../../lib/clients/audit.ts';
import type { Ctx } from '../../../lib/contract/context.ts';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { fromNow, now, second } from '../../../lib/data/clock.ts';
import { insertIfAbsent, nativeCollection } from '../../../lib/data/collection.ts';
import { tokenHashInput } from '../../../lib/security/token-hash.ts';
import {
  type ArtifactKind,
  artifactId,
  artifactKinds,
  type OAuthArtifactDocument,
  OAuthArtifactModel,
} from '../../../models/identity/oauth-artifact.ts';
import { consentId, OAuthConsentModel } from '../../../models/identity/oauth-consent.ts';
import { SessionModel } from '../../../models/identity/session.ts';
import { findLiveClient } from './clients.ts';

/** The artifact with the identifier of this hash; null when there is none, or its grant has ended. */
export async function findLiveArtifact(kind: ArtifactKind, hash: string): Promise<OAuthArtifactDocument | null> {
  const artifact = await OAuthArtifactModel.findOne({ _id: artifactId(kind, hash) }).lean<OAuthArtifactDocument>();
  if (!artifact || artifact.expiresAt <= now()) return null;
  return kind !== 'Grant' || (await isGrantLive(artifact)) ? artifact : null;
}

/**
 * A grant ends at the moment when the user withdraws their consent, or its session ends. It is removed then too, but
 * not in one step, and a concurrent grant would be missed.
 */
async function isGrantLive({ accountId, clientId, sessionId }: OAuthArtifactDocument): Promise<boolean> {
  const [consent, session] = await Promise.all([
    OAuthConsentModel.exists({ _id: consentId(accountId ?? '', clientId ?? '') }),
    sessionId === null || SessionModel.exists({ _id: sessionId, expiresAt: { $gt: now() } }),
  ]);
  return Boolean(consent && session);
}

/**
 * Removes a grant with its codes and refresh tokens; its access tokens are refused from then on. Of concurrent calls
 * one finds the grant, and records it.
 */
async function removeGrant(ctx: Ctx, grantHash: string): Promise<void> {
  const artifacts = nativeCollection<OAuthArtifactDocument>(OAuthArtifactModel);
  const grant = await artifacts.findOneAndDelete({ _id: artifactId('Grant', grantHash) });
  await artifacts.deleteMany({ grantId: grantHash });
  if (!grant?.accountId || !grant.clientId) return;
  const client = await findLiveClient(grant.clientId);
  await recordAuditEvent(ctx, {
    action: 'grant.revoked',
    ...(client && { orgId: client.orgId }),
    actor: { type: 'application', id: client?.applicationId ?? null },
    target: { type: 'oauth-client', id: grant.clientId },
    before: { userId: grant.accountId },
  });
}

/** How long a used refresh token may be sent again, by a client that did not get the answer. */
const reuseGrace = 30 * second;

/** Whether a refresh token was used so recently that sending it again returns the same successor once more. */
function isInGrace({ kind, consumedAt }: Pick<OAuthArtifactDocument, 'kind' | 'consumedAt'>): boolean {
  return kind === 'RefreshToken' && consumedAt !== null && consumedAt > fromNow(-reuseGrace);
}

/**
 * `identity.oauth.artifacts.consume`: consumes a code or refresh token. Of concurrent attempts one gets true; a refresh
 * token may be sent again for a moment, until its successor is used. Any other second use revokes the grant, because
 * one of the two senders is an attacker (RFC 6749 section 4.1.2, RFC 9700 section 4.14.2).
 */
export const consumeArtifact = defineAction({
  summary: 'Use up an artifact of the OpenID provider',
  permission: 'internal',
  input: {
    body: z.strictObject({
      kind: z.enum(artifactKinds),
      hash: tokenHashInput,
      /** The hash of the refresh token that replaces this one; null for other artifacts. */
      successor: tokenHashInput.nullable(),
    }),
  },
  output: z.strictObject({ consumed: z.boolean() }),
  async handler({ body: { kind, hash, successor }, ctx }) {
    const _id = artifactId(kind, hash);
    const unused = { _id, consumedAt: null, expiresAt: { $gt: now() } };
    const { modifiedCount } = await OAuthArtifactModel.updateOne(unused, { $set: { consumedAt: now() } });
    if (modifiedCount === 1) return { consumed: true };
    const artifact = await OAuthArtifactModel.findOne({ _id }).lean<OAuthArtifactDocument>();
    if (!artifact) return { consumed: false };
    if (isInGrace(artifact) && !(await isUsed(successor))) return { consumed: true };
    if (artifact.consumedAt && artifact.grantId) await removeGrant(ctx, artifact.grantId);
    return { consumed: false };
  },
});

/** A client that uses a refresh token has received it, so it has no reason to send the previous one again. */
async function isUsed(hash: string | null): Promise<boolean> {
  if (hash === null) return false;
  const _id = artifactId('RefreshToken', hash);
  return (await OAuthArtifactModel.exists({ _id, consumedAt: { $ne: null } })) !== null;
}

/** `identity.oauth.artifacts.destroy`: removes the provider's artifact with the identifier of this hash. */
export const destroyArtifact = defineAction({
  summary: 'Remove an artifact of the OpenID provider',
  permission: 'internal',
  input: { body: z.strictObject({ kind: z.enum(artifactKinds), hash: tokenHashInput }) },
  output: z.void(),
  async handler({ body: { kind, hash }, ctx }) {
    if (kind === 'Grant') await removeGrant(ctx, hash);
    else await OAuthArtifactModel.deleteOne({ _id: artifactId(kind, hash) });
  },
});

/** `identity.oauth.artifacts.revoke-grant`: removes a grant with its codes and refresh tokens. */
export const revokeGrant = defineAction({
  summary: 'Revoke a grant with its tokens',
  permission: 'internal',
  input: { body: z.strictObject({ hash: tokenHashInput }) },
  output: z.void(),
  handler: ({ body: { hash }, ctx }) => removeGrant(ctx, hash),
});

const artifactOutput = z.strictObject({ sealed: z.string(), isConsumed: z.boolean() }).nullable();

/**
 * `identity.oauth.artifacts.find`: the provider's artifact with the identifier of this hash. A refresh token that was
 * used a moment ago does not count as used.
 */
export const findArtifact = defineAction({
  summary: 'Find an artifact of the OpenID provider',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ kind: z.enum(artifactKinds), hash: tokenHashInput }) },
  output: z.strictObject({ artifact: artifactOutput }),
  async handler({ body: { kind, hash } }) {
    return { artifact: toArtifactResponse(await findLiveArtifact(kind, hash)) };
  },
});

/** `identity.oauth.artifacts.find-by-uid`: the session of the provider's whose second identifier has this hash. */
export const findArtifactByUid = defineAction({
  summary: 'Find a session of the OpenID provider',
  permission: 'internal',
  safe: true,
  input: { body: z.strictObject({ kind: z.enum(artifactKinds), uid: tokenHashInput }) },
  output: z.strictObject({ artifact: artifactOutput }),
  async handler({ body: { kind, uid } }) {
    const filter = { uid, kind, expiresAt: { $gt: now() } };
    return { artifact: toArtifactResponse(await OAuthArtifactModel.findOne(filter).lean<OAuthArtifactDocument>()) };
  },
});

function toArtifactResponse(artifact: OAuthArtifactDocument | null): z.input<typeof artifactOutput> {
  if (!artifact) return null;
  return { sealed: artifact.sealed, isConsumed: artifact.consumedAt !== null && !isInGrace(artifact) };
}

/** These are updated; the others are written once, so that a used or removed one is not restored. */
const changing = new Set(['Session', 'Interaction']);

/** `identity.oauth.artifacts.upsert`, for the OpenID provider in the gateway: stores an artifact. */
export const upsertArtifact = defineAction({
  summary: 'Store an artifact of the OpenID provider',
  permission: 'internal',
  input: {
    body: z.strictObject({
      kind: z.enum(artifactKinds),
      hash: tokenHashInput,
      uid: tokenHashInput.nullable(),
      grantId: tokenHashInput.nullable(),
      accountId: z.string().nullable(),
      clientId: z.string().nullable(),
      sessionId: z.string().nullable(),
      /** The session of the platform in which a grant is made, also for a grant that outlives it. */
      madeInSessionId: z.string().nullable().default(null),
      sealed: z.string(),
      expiresInSeconds: z.int().positive(),
    }),
  },
  output: z.void(),
  errors: ['CREDENTIAL_INVALID'],
  async handler({ body: { hash, expiresInSeconds, madeInSessionId, ...body } }) {
    const _id = artifactId(body.kind, hash);
    const document = { ...body, expiresAt: fromNow(expiresInSeconds * second) };
    const artifact = { _id, ...document, consumedAt: null, createdAt: now() };
    if (await insertIfAbsent<OAuthArtifactDocument>(OAuthArtifactModel, artifact)) {
      return await removeIfOrphan(artifact, madeInSessionId);
    }
    if (!changing.has(body.kind)) return;
    await OAuthArtifactModel.updateOne({ _id }, { $set: document });
  },
});

/**
 * A grant that outlives its session must not be made after the session has ended: the change that ended it, such as a
 * new password, has removed the existing grants, and has not seen this one.
 */
async function removeIfOrphan({ _id }: OAuthArtifactDocument, sessionId: string | null): Promise<void> {
  if (sessionId === null || (await SessionModel.exists({ _id: sessionId }))) return;
  await OAuthArtifactModel.deleteOne({ _id });
  throw apiError('CREDENTIAL_INVALID');
}
