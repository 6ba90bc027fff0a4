import { exportJWK, generateKeyPair } from 'jose';
import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { day, fromNow, hour, minute, now, second } from '../../../lib/data/clock.ts';
import { insertIfAbsent, nativeCollection } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { encrypt } from '../../../lib/security/encryption.ts';
import { type AuditRecordDocument, AuditRecordModel, platformLog } from '../../../models/identity/audit-record.ts';
import { type SigningKeyDocument, SigningKeyModel } from '../../../models/identity/signing-key.ts';

/** The purpose under which `lib/security/encryption.ts` seals the private keys. */
const sealPurpose = 'oauth.signing-key';
/** The lifetime of a token, plus clock skew. */
const maxUseTime = hour + 5 * minute;
const oldestAge = 90 * day;
/** Clients fetch the published keys again for an unknown one, but not more often than every half minute. */
export const defaultLeadSeconds = 60;

type Published = SigningKeyDocument & { publishedUntil: Date | null };

/** The keys to publish, the newest last; on an empty database the first is made, once in the whole pool. */
export async function readSigningKeys(): Promise<Published[]> {
  const keys = await allKeys();
  if (keys.length > 0) return keys.filter(isPublished);
  await insertKey(1, now());
  return readSigningKeys();
}

/**
 * Creates a new key, which is published immediately and signs after the lead time, when all verifiers have it. One of
 * concurrent rotations creates the key, and the others return it.
 */
export async function rotateSigningKeys(leadSeconds: number): Promise<SigningKeyDocument> {
  const previous = (await readSigningKeys()).at(-1);
  const earliest = fromNow(leadSeconds * second);
  const signsFrom = previous && previous.signsFrom > earliest ? previous.signsFrom : earliest;
  const key = await insertKey((previous?.sequence ?? 0) + 1, signsFrom);
  if (!key) return (await readSigningKeys()).at(-1) as SigningKeyDocument;
  await recordRotation(key, previous?._id ?? null);
  return key;
}

/** Rotates when the newest key is 90 days old; for the schedule. */
export async function rotateOldSigningKeys(): Promise<void> {
  const newest = (await readSigningKeys()).at(-1);
  if (newest && newest.createdAt <= fromNow(-oldestAge)) await rotateSigningKeys(defaultLeadSeconds);
}

/** Removes the keys whose last token has expired. */
export async function sweepSigningKeys(): Promise<void> {
  const retired = (await allKeys()).filter((key) => !isPublished(key)).map(({ _id }) => _id);
  if (retired.length > 0) await SigningKeyModel.deleteMany({ _id: { $in: retired } });
}

/** A key signs until the next one does, so the next one determines when it is retired. */
async function allKeys(): Promise<Published[]> {
  const keys = await SigningKeyModel.find().sort({ sequence: 1 }).lean<SigningKeyDocument[]>();
  return keys.map((key, index) => {
    const next = keys[index + 1];
    return { ...key, publishedUntil: next ? new Date(next.signsFrom.getTime() + maxUseTime) : null };
  });
}

function isPublished({ publishedUntil }: Published): boolean {
  return publishedUntil === null || publishedUntil > now();
}

/** The new key; null when another node made one of that number. */
async function insertKey(sequence: number, signsFrom: Date): Promise<SigningKeyDocument | null> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const kid = newId('sgk');
  const names = { kid, alg: 'RS256', use: 'sig' };
  const sealed = encrypt(sealPurpose, JSON.stringify({ ...(await exportJWK(privateKey)), ...names }));
  const published = { ...(await exportJWK(publicKey)), ...names };
  const key = { _id: kid, sequence, sealed, publicKey: published, signsFrom, createdAt: now() };
  return (await insertIfAbsent<SigningKeyDocument>(SigningKeyModel, key)) ? key : null;
}

/** Records without a caller: the platform's schedule rotates, or its operator on the command line. */
async function recordRotation({ _id, signsFrom, createdAt }: SigningKeyDocument, previous: string | null) {
  const record: AuditRecordDocument = {
    _id: newId('aud'),
    orgId: platformLog,
    action: 'signing-key.rotated',
    actor: { type: 'system', id: null, credentialId: null },
    target: { type: 'signing-key', id: _id },
    address: null,
    userAgent: null,
    requestId: null,
    before: previous === null ? null : { kid: previous },
    after: { kid: _id, signsFrom: signsFrom.toISOString() },
    createdAt,
  };
  await nativeCollection<AuditRecordDocument>(AuditRecordModel).insertOne(record);
}

/** `identity.oauth.signing-keys`, for gateways: the keys to publish, the newest last, the private ones sealed. */
export const listSigningKeys = defineAction({
  summary: 'List the signing keys',
  permission: 'internal',
  safe: true,
  input: {},
  output: z.strictObject({
    keys: z.array(z.strictObject({ kid: z.string(), sealed: z.string(), signsFrom: z.string() })),
  }),
  async handler() {
    const keys = await readSigningKeys();
    return {
      keys: keys.map(({ _id, sealed, signsFrom }) => ({ kid: _id, sealed, signsFrom: signsFrom.toISOString() })),
    };
  },
});
