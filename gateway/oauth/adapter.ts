import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { call } from '../../lib/calls.ts';
import { hashToken } from '../../lib/token-hash.ts';
import { type Clients, metadataOf } from './clients.ts';
import { currentExchange } from './exchange.ts';
import { successorOf } from './models.ts';
import { decryptPayload, encryptPayload } from './sealed.ts';

const stored = ['Session', 'Interaction', 'Grant', 'AuthorizationCode', 'RefreshToken'] as const;
export type Stored = (typeof stored)[number];

/**
 * The storage adapter of the provider. The identity service stores the objects; it gets only the hashes of the
 * identifiers, and encrypted contents. Access tokens are not stored.
 */
export function createAdapterFactory(clients: Clients): (name: string) => Adapter {
  return (name) => {
    if (name === 'Client') return { ...nothing, find: async (id) => findMetadata(clients, id) };
    return isStored(name) ? artifacts(name) : nothing;
  };
}

function isStored(name: string): name is Stored {
  return (stored as readonly string[]).includes(name);
}

async function findMetadata(clients: Clients, id: string): Promise<AdapterPayload | undefined> {
  const { ctx, meter } = currentExchange();
  const client = await clients.find(ctx, id);
  // A public client does not authenticate, so its request is counted by address before it is answered.
  if (client?.tokenEndpointAuthMethod === 'none') await meter.countAddress();
  return client ? metadataOf(client) : undefined;
}

const nothing: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
};

function artifacts(kind: Stored): Adapter {
  return {
    ...nothing,
    upsert: (id, payload, expiresIn = 0) => store(kind, id, payload, expiresIn),
    async find(id) {
      const { artifact } = await call(currentExchange().ctx, 'identity.oauth.artifacts.find', {
        body: { kind, hash: hashToken(id) },
      });
      return decryptPayload(artifact);
    },
    async findByUid(uid) {
      const { artifact } = await call(currentExchange().ctx, 'identity.oauth.artifacts.find-by-uid', {
        body: { kind, uid: hashToken(uid) },
      });
      return decryptPayload(artifact);
    },
    async consume(id) {
      const { consumed } = await call(currentExchange().ctx, 'identity.oauth.artifacts.consume', {
        body: { kind, hash: hashToken(id), successor: kind === 'RefreshToken' ? hashToken(successorOf(id)) : null },
      });
      if (!consumed) throw new errors.InvalidGrant('it was used already');
    },
    async destroy(id) {
      await call(currentExchange().ctx, 'identity.oauth.artifacts.destroy', { body: { kind, hash: hashToken(id) } });
    },
    async revokeByGrantId(grantId) {
      await call(currentExchange().ctx, 'identity.oauth.artifacts.revoke-grant', {
        body: { hash: hashToken(grantId) },
      });
    },
  };
}

async function store(kind: Stored, id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
  const { uid, grantId, accountId, clientId } = payload;
  const madeInSessionId = kind === 'Grant' ? await currentSessionId() : null;
  await call(currentExchange().ctx, 'identity.oauth.artifacts.upsert', {
    body: {
      kind,
      hash: hashToken(id),
      uid: uid === undefined ? null : hashToken(uid),
      grantId: grantId === undefined ? null : hashToken(grantId),
      accountId: accountId ?? null,
      clientId: clientId ?? null,
      sessionId: outlivesSession(payload) ? null : madeInSessionId,
      madeInSessionId,
      sealed: encryptPayload(payload),
      expiresInSeconds: Math.max(1, Math.floor(expiresIn)),
    },
  });
}

/** A grant with `offline_access` outlives the session in which it was created; any other ends with the session. */
function outlivesSession(payload: AdapterPayload): boolean {
  const { openid } = payload as { openid?: { scope?: string } };
  return openid?.scope?.split(' ').includes('offline_access') ?? false;
}

async function currentSessionId(): Promise<string | null> {
  return (await currentExchange().platformSession())?.sessionId ?? null;
}
