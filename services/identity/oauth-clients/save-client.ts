import { day, fromNow, now } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { insertIfAbsent } from '../../../lib/insert-unless-there.ts';
import type { Operation } from '../../../lib/operation.ts';
import { type LimitsNow, requireRoom } from '../../../lib/plan-limits.ts';
import { type OAuthClientDocument, OAuthClientModel } from '../../../models/identity/oauth-client.ts';
import { requireApplication } from '../applications/applications.ts';
import { insertWithinLimit } from '../reservations.ts';
import type { OAuthClientInput } from './client-input.ts';
import { originsOf } from './redirect-uris.ts';

/** How long a replaced secret keeps working. */
const grace = day;
const maxSecrets = 10;
const maxOperations = 50;
const maxAttempts = 40;

type NewState = OAuthClientInput & {
  orgId: string;
  applicationId: string;
  secretHash: string | null;
  operation: Operation;
};
type Saved = { before: OAuthClientDocument | null; after: OAuthClientDocument };

/**
 * Creates the client of an application or changes the existing one, with a new secret; null for a client without one.
 * Concurrent changes are applied one after the other, so that no answered secret is lost. An operation sets it once.
 *
 * @throws NOT_FOUND the application was deleted concurrently; PLAN_LIMIT_EXCEEDED it would be one client too many;
 * CONFLICT too many concurrent changes, or an earlier run of the operation made its change.
 */
export async function saveClient(state: NewState, limits: LimitsNow): Promise<Saved> {
  const { orgId, applicationId } = state;
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const before = await OAuthClientModel.findOne({ orgId, applicationId }).lean<OAuthClientDocument>();
    if (before?.operations?.includes(state.operation.key)) throw apiError('CONFLICT');
    const after = before ? await replace(before, state) : await insert(state, limits);
    if (!after) continue;
    await removeIfOrphan(after);
    return { before, after };
  }
  throw apiError('CONFLICT');
}

async function insert(state: NewState, limits: LimitsNow): Promise<OAuthClientDocument | null> {
  const { orgId, applicationId, secretHash, operation } = state;
  const createdAt = now();
  const secrets = secretHash ? [{ hash: secretHash, expiresAt: null }] : [];
  const client = {
    _id: operation.newId('cli'),
    orgId,
    applicationId,
    ...fieldsOf(state),
    secrets,
    operations: [operation.key],
    createdAt,
    updatedAt: createdAt,
  };
  const isInserted = await insertWithinLimit({
    holderId: orgId,
    kind: 'oauthClients',
    resourceId: client._id,
    count: (except) => OAuthClientModel.countDocuments({ orgId, _id: { $nin: except } }),
    requireRoom: (present) => requireRoom(limits, { orgId, name: 'oauthClients', present }),
    insert: () => insertIfAbsent<OAuthClientDocument>(OAuthClientModel, client),
    remove: () => OAuthClientModel.deleteOne({ orgId, _id: client._id }),
  });
  return isInserted ? client : null;
}

async function replace(before: OAuthClientDocument, state: NewState): Promise<OAuthClientDocument | null> {
  const operations = [state.operation.key, ...(before.operations ?? [])].slice(0, maxOperations);
  const secrets = rotate(before, state.secretHash);
  const changes = { ...fieldsOf(state), secrets, operations, updatedAt: after(before.updatedAt) };
  const { _id, orgId, updatedAt } = before;
  const { matchedCount } = await OAuthClientModel.updateOne({ orgId, _id, updatedAt }, { $set: changes });
  return matchedCount === 1 ? { ...before, ...changes } : null;
}

/** Each change has a distinct time, so that the time identifies the version. */
function after(previous: Date): Date {
  return new Date(Math.max(now().getTime(), previous.getTime() + 1));
}

function rotate({ secrets }: OAuthClientDocument, secretHash: string | null): OAuthClientDocument['secrets'] {
  if (!secretHash) return [];
  const previous = secrets
    .map(({ hash, expiresAt }) => ({ hash, expiresAt: expiresAt ?? fromNow(grace) }))
    .filter(({ expiresAt }) => expiresAt > now());
  return [{ hash: secretHash, expiresAt: null }, ...previous].slice(0, maxSecrets);
}

function fieldsOf({ grantTypes, redirectUris, postLogoutRedirectUris, scopes, tokenEndpointAuthMethod }: NewState) {
  const redirectOrigins = originsOf(redirectUris);
  return { grantTypes, redirectUris, postLogoutRedirectUris, redirectOrigins, scopes, tokenEndpointAuthMethod };
}

/** A deletion of the application that began before the client was made has not seen it. */
export async function removeIfOrphan({ orgId, applicationId, _id }: OAuthClientDocument): Promise<void> {
  try {
    await requireApplication(orgId, applicationId);
  } catch (error) {
    await OAuthClientModel.deleteOne({ orgId, _id });
    throw error;
  }
}
