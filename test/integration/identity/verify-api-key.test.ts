import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ServiceBroker } from 'moleculer';
import mongoose from 'mongoose';
import { setClock } from '../../../lib/data/clock.ts';
import { nativeCollection } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { newApiKeyToken } from '../../../lib/security/api-key.ts';
import { hashToken } from '../../../lib/security/token-hash.ts';
import { type ApiKeyDocument, ApiKeyModel } from '../../../models/identity/api-key.ts';
import { toApiKeyDocument } from '../../../services/identity/new-api-key.ts';
import { lastUses, verifyApiKey } from '../../../services/identity/verify-api-key.ts';
import { connectOwnDatabase, type OwnDatabase } from '../../support/own-database.ts';
import { eventually, until } from '../../support/until.ts';

/** The action alone, over a database of its own and a clock that the tests turn. */
const start = Date.parse('2030-01-01T00:00:00.000Z');
const second = 1000;
const minute = 60 * second;
const broker = new ServiceBroker({ logger: false, validator: false });
let database: OwnDatabase;
let instant = start;
/** By how much the clock goes on each time it is read. */
let tick = 0;
let restoreClock = (): void => undefined;
/** What was written, by the driver's request id; `written` is null until the answer. */
const writes = new Map<number, { keyId: string; collection: string; written: number | null }>();

beforeAll(async () => {
  database = await connectOwnDatabase(ApiKeyModel);
  const client = mongoose.connection.getClient();
  client.on('commandStarted', ({ requestId, command }) => {
    const [update] = (command.updates ?? []) as { q: { _id: string } }[];
    const [document] = (command.documents ?? []) as { _id: string }[];
    const keyId = update?.q._id ?? document?._id;
    const collection = String(command.update ?? command.insert);
    if (keyId !== undefined) writes.set(requestId, { keyId, collection, written: null });
  });
  client.on('commandSucceeded', ({ requestId, reply }) => {
    const write = writes.get(requestId);
    const { n, nModified } = reply as { n: number; nModified?: number };
    if (write) write.written = nModified ?? n;
  });
  broker.createService({ name: 'identity', actions: { 'api-keys.verify': verifyApiKey } });
  await broker.start();
  restoreClock = setClock(() => {
    instant += tick;
    return new Date(instant);
  });
});

afterAll(async () => {
  restoreClock();
  await broker.stop();
  await database.close();
});

beforeEach(() => {
  instant = start;
  tick = 0;
});

async function storeKey(change: Partial<ApiKeyDocument> = {}): Promise<ApiKeyDocument> {
  const names = { _id: newId('key'), orgId: newId('org'), applicationId: newId('app'), name: 'Key' };
  const key = { ...toApiKeyDocument({ ...names, scopes: ['svc:read'], token: newApiKeyToken() }), ...change };
  await nativeCollection<ApiKeyDocument>(ApiKeyModel).insertOne(key);
  return key;
}

function verify({ tokenHash }: { tokenHash: string }): Promise<{ caller: object | null }> {
  return broker.call('identity.api-keys.verify', { body: { tokenHash } });
}

/** How many documents each write about the use of a key wrote; null for one that is not answered yet. */
function usesWritten({ _id }: ApiKeyDocument): (number | null)[] {
  const ofKey = [...writes.values()].filter(({ keyId, collection }) => keyId === _id && /uses$/.test(collection));
  return ofKey.map(({ written }) => written);
}

async function lastUsedAt({ orgId, _id }: ApiKeyDocument): Promise<number | undefined> {
  return (await lastUses(orgId, [_id])).get(_id)?.getTime();
}

describe('whom an API key belongs to', () => {
  test('is its application, organization and scopes', async () => {
    const key = await storeKey();
    const { _id: keyId, applicationId: id, orgId, scopes } = key;
    expect(await verify(key)).toEqual({ caller: { type: 'application', id, orgId, scopes, keyId } });
  });

  test('is nobody for an unknown key and for a revoked one', async () => {
    expect(await verify({ tokenHash: hashToken(newApiKeyToken()) })).toEqual({ caller: null });
    expect(await verify(await storeKey({ revokedAt: new Date(start) }))).toEqual({ caller: null });
  });

  test('ends exactly at the instant of its expiry', async () => {
    const key = await storeKey({ expiresAt: new Date(start + minute) });
    instant = start + minute - 1;
    expect(await verify(key)).toMatchObject({ caller: { keyId: key._id } });
    instant = start + minute;
    expect(await verify(key)).toEqual({ caller: null });
    instant = start + 100 * minute;
    expect(await verify(key)).toEqual({ caller: null });
  });

  test.each(['', 'x', 'A'.repeat(64), `${'a'.repeat(64)}\n`, { $ne: '' }, null])(
    'is not asked by %j in the place of a hash',
    async (tokenHash) => {
      await expect(verify({ tokenHash: tokenHash as string })).rejects.toMatchObject({ type: 'INPUT_INVALID' });
    },
  );
});

describe('the last use of an API key', () => {
  test('is written at once for a key that was never used', async () => {
    const key = await storeKey();
    await verify(key);
    await until(async () => (await lastUsedAt(key)) === start);
  });

  test('is written once a minute, and not before', async () => {
    const key = await storeKey();
    await verify(key);
    await until(async () => (await lastUsedAt(key)) === start);
    for (const later of [1, 30 * second, minute - 1]) {
      instant = start + later;
      await verify(key);
      expect(await lastUsedAt(key)).toBe(start);
    }
    instant = start + minute;
    await verify(key);
    await until(async () => (await lastUsedAt(key)) === start + minute);
    expect(usesWritten(key).filter((written) => written !== 0)).toHaveLength(2);
  });

  test('is written once for many uses at once', async () => {
    const key = await storeKey();
    tick = 1;
    await Promise.all(Array.from({ length: 30 }, () => verify(key)));
    await until(async () => (await lastUsedAt(key)) !== undefined);
    // The write can be seen before its answer was noted.
    await eventually(() => expect(usesWritten(key)).toEqual([1]));
  });

  test('never writes the document of the key', async () => {
    const key = await storeKey();
    instant = start + minute;
    await verify(key);
    await until(async () => (await lastUsedAt(key)) === instant);
    const stored = await ApiKeyModel.findOne({ orgId: key.orgId, _id: key._id }).lean<ApiKeyDocument>();
    expect(stored).toEqual(key);
    const ofKey = [...writes.values()].filter(({ keyId }) => keyId === key._id);
    expect(ofKey.map(({ collection }) => collection)).toEqual(['identity_api_keys', 'identity_api_key_uses']);
  });

  test('is not written for a key that is refused', async () => {
    const revoked = await storeKey({ revokedAt: new Date(start) });
    const expired = await storeKey({ expiresAt: new Date(start) });
    await verify(revoked);
    await verify(expired);
    expect([...usesWritten(revoked), ...usesWritten(expired)]).toEqual([]);
    expect([await lastUsedAt(revoked), await lastUsedAt(expired)]).toEqual([undefined, undefined]);
  });
});
