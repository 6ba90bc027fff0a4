import { hkdfSync, randomBytes } from 'node:crypto';
import type { Collection } from 'mongodb';
import mongoose from 'mongoose';
import { hashJson } from '../data/canonical-json.ts';
import { day, fromNow, leaseNow, minute, now, second } from '../data/clock.ts';
import { removeAcrossTenants } from '../data/collection.ts';
import { isDuplicateKey } from '../data/database-errors.ts';
import { idFrom, idRandomBytes, randomId } from '../data/ids.ts';
import { type Lease, newLease, renewLease } from '../data/lease.ts';
import { decrypt, encrypt } from '../security/encryption.ts';
import type { Ctx } from './context.ts';
import { apiError, errorCatalogue, errorCode } from './errors.ts';

/**
 * The identity of a request's work across its retries. A retry with the same Idempotency-Key is the same operation: it
 * gets the same ids and secrets, so its inserts conflict with the inserts of an earlier run, and it can return the same
 * answer.
 */
export type Operation = {
  /**
   * Stored with work that has another id than the operation, to find it again. It reveals no secret of the operation.
   */
  key: string;
  /** Whether a retry continues the operation; false for a request without an Idempotency-Key. */
  isKeyed: boolean;
  /** The operation's id with this prefix. A further id needs a label. */
  newId: (prefix: string, label?: string) => string;
  /** `count` unpredictable bytes for one purpose, such as a token. */
  secretBytes: (purpose: string, count: number) => Buffer;
};

export const operationSeedBytes = 32;
const keyBytes = 16;

/** The operation of a seed, from which its ids and secrets are derived (HKDF-SHA-256), and of its start. */
export function operationOf(seed: Buffer, startedAt: Date): Operation {
  return derive(() => seed, startedAt, true);
}

/** The operation of a request without retries: its ids are random, because they are never looked up again. */
export function newOperation(): Operation {
  const startedAt = now();
  const ids = new Map<string, string>();
  let seed: Buffer | undefined;
  // Lazy, because most requests need no seed.
  const lazySeed = () => {
    seed ??= randomBytes(operationSeedBytes);
    return seed;
  };
  return Object.assign(derive(lazySeed, startedAt, false), {
    newId(prefix: string, label = ''): string {
      const name = `${prefix} ${label}`;
      const id = ids.get(name) ?? randomId(prefix, startedAt);
      ids.set(name, id);
      return id;
    },
  });
}

function derive(seed: () => Buffer, startedAt: Date, isKeyed: boolean): Operation {
  const bytes = (info: string, count: number) => Buffer.from(hkdfSync('sha256', seed(), 'operation', info, count));
  return {
    get key() {
      return bytes('key', keyBytes).toString('base64url');
    },
    isKeyed,
    newId: (prefix, label = '') => idFrom(prefix, startedAt, bytes(`id ${prefix} ${label}`, idRandomBytes)),
    secretBytes: (purpose, count) => bytes(`secret ${purpose}`, count),
  };
}

/** The work of an action, and its recovery after a run whose outcome is unknown. */
export type Work = {
  run: (operation: Operation) => Promise<unknown>;
  /**
   * Finds the documents of an earlier run, completes it and returns the answer; null proves that nothing was stored.
   */
  resume: (operation: Operation) => Promise<unknown>;
  /** The HTTP status of the answer. */
  status: number;
  /** Whether the scope of a key is the user instead of the organization. */
  isPersonal: boolean;
};

/**
 * `running`: a run holds the lease, or died while it held it. `unknown`: a run has ended with an unknown outcome.
 * `done`: `answer` is replayed.
 */
type IdempotencyRecord = Lease & {
  _id: string;
  requestHash: string;
  state: 'running' | 'unknown' | 'done';
  /** The seed of the operation's ids and secrets, encrypted. */
  seed: string;
  startedAt: Date;
  /** How many runs have started. */
  runs: number;
  /** {@link Answer} as JSON, encrypted, because it may hold a secret. */
  answer: string | null;
  expiresAt: Date;
};

type Answer = { status: number; headers: Record<string, string>; body: unknown };

const purposes = { seed: 'idempotency.seed', answer: 'idempotency' };
const lease = 30 * second;
const renewEvery = 10 * second;
/** The maximum time of a run. A run that hangs loses its lease. */
const maxRunTime = 5 * minute;

/**
 * Runs a request once for its Idempotency-Key and replays the first answer to every retry within 24 hours. The scope of
 * a key is the organization and the action. The caller and its scopes are part of the compared request, so that an
 * answer is never replayed to a caller who might have been refused.
 *
 * A refusal that changed nothing frees the key. After any other failure the record is kept: the next retry recovers the
 * operation, which returns the answer of the completed work, or runs it again with the same ids.
 *
 * @throws IDEMPOTENCY_MISMATCH the key was used with another request; IDEMPOTENCY_IN_PROGRESS a run holds the lease.
 */
export async function replayOrRun(ctx: Ctx, input: object, work: Work): Promise<unknown> {
  const { idempotencyKey, caller } = ctx.meta;
  if (!idempotencyKey || !caller) return work.run(newOperation());
  const { isPersonal } = work;
  // The scope of a caller without an organization is the caller.
  const owner = isPersonal ? caller.id : (caller.orgId ?? caller.id);
  const _id = `${owner}:${hashJson([ctx.action?.name, idempotencyKey])}`;
  const requestHash = hashJson([caller.type, caller.id, isPersonal ? [] : caller.scopes, input]);
  const { record, isClaimed } = await claim(_id, requestHash);
  if (record.requestHash !== requestHash) throw apiError('IDEMPOTENCY_MISMATCH');
  if (record.answer !== null) return replay(ctx, work, record.answer);
  if (!isClaimed) throw inProgress(record);
  return await runLeased(ctx, record, work);
}

function replay(ctx: Ctx, work: Work, sealed: string): unknown {
  const { status, headers, body } = JSON.parse(decrypt(purposes.answer, sealed)) as Answer;
  ctx.meta.$responseHeaders = { ...headers, 'Idempotency-Replayed': 'true' };
  // The record was written by another version of the action.
  if (status !== work.status) ctx.meta.$statusCode = status;
  return body;
}

/** Retry-After is the remaining time of the lease when it is no longer renewed, otherwise one second. */
function inProgress({ leaseUntil }: IdempotencyRecord): Error {
  const remaining = leaseUntil.getTime() - leaseNow().getTime();
  const seconds = remaining > lease - 2 * renewEvery ? 1 : Math.ceil(remaining / second);
  return apiError('IDEMPOTENCY_IN_PROGRESS', { headers: { 'Retry-After': `${Math.max(1, seconds)}` } });
}

type Claim = { record: IdempotencyRecord; isClaimed: boolean };

/**
 * Claims the lease of a new record, of an expired record or of a record whose lease has expired; otherwise returns the
 * record.
 */
async function claim(_id: string, requestHash: string): Promise<Claim> {
  const leased = { state: 'running' as const, ...newLease(lease) };
  const fresh = { requestHash, ...leased, ...newSeed(), runs: 1, answer: null, expiresAt: fromNow(day) };
  if (await insert({ _id, ...fresh })) return { record: { _id, ...fresh }, isClaimed: true };
  const found = await records().findOne({ _id });
  if (!found) return claim(_id, requestHash);
  // The driver retries an insert whose answer was lost, so the conflict may be with this very insert.
  if (found.leaseOwner === leased.leaseOwner) return { record: found, isClaimed: true };
  const { leaseOwner, leaseUntil, expiresAt } = found;
  const hasEnded = leaseUntil <= leaseNow() && found.state !== 'done' && found.requestHash === requestHash;
  if (!hasEnded && expiresAt > now()) return { record: found, isClaimed: false };
  const update = expiresAt > now() ? { $set: leased, $inc: { runs: 1 } } : { $set: fresh };
  const isSame = { _id, leaseOwner, leaseUntil, state: found.state };
  const claimed = await records().findOneAndUpdate(isSame, update, { returnDocument: 'after' });
  return claimed ? { record: claimed, isClaimed: true } : claim(_id, requestHash);
}

function newSeed(): Pick<IdempotencyRecord, 'seed' | 'startedAt'> {
  return { seed: encrypt(purposes.seed, randomBytes(operationSeedBytes).toString('base64')), startedAt: now() };
}

async function insert(record: IdempotencyRecord): Promise<boolean> {
  try {
    await records().insertOne(record);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

type Outcome = { answer: unknown; isRecovered: boolean } | { refusal: unknown };

async function runLeased(ctx: Ctx, record: IdempotencyRecord, work: Work): Promise<unknown> {
  const operation = operationOf(Buffer.from(decrypt(purposes.seed, record.seed), 'base64'), record.startedAt);
  const renewing = renew(record);
  const outcome = await runOnce(work, operation, record.runs > 1)
    .catch(async (error) => {
      await release(record);
      throw error;
    })
    .finally(() => clearInterval(renewing));
  if ('refusal' in outcome) {
    // An earlier run may still be in flight. Its writes must stay with this operation, so the key is kept.
    await (record.runs === 1 ? free(record) : release(record));
    throw outcome.refusal;
  }
  const answer = { status: work.status, headers: ctx.meta.$responseHeaders ?? {}, body: outcome.answer ?? null };
  await remember(ctx, record, answer);
  if (outcome.isRecovered) ctx.meta.$responseHeaders = { ...answer.headers, 'Idempotency-Replayed': 'true' };
  return outcome.answer;
}

/** After a refusal, `resume` proves whether the work was done. Throws when that remains unknown. */
async function runOnce(work: Work, operation: Operation, isRetry: boolean): Promise<Outcome> {
  try {
    const recovered = isRetry ? await work.resume(operation) : null;
    if (recovered !== null) return { answer: recovered, isRecovered: true };
    return { answer: await work.run(operation), isRecovered: false };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const recovered = await work.resume(operation);
    return recovered === null ? { refusal: error } : { answer: recovered, isRecovered: isRetry };
  }
}

function isRefusal(error: unknown): boolean {
  const code = errorCode(error);
  return code !== null && errorCatalogue[code].status < 500;
}

const ownedBy = ({ _id, leaseOwner }: IdempotencyRecord) => ({ _id, leaseOwner });

function renew(record: IdempotencyRecord): NodeJS.Timeout {
  const endsAt = performance.now() + maxRunTime;
  const extend = () => {
    if (performance.now() > endsAt) return clearInterval(renewing);
    // A failed renewal is ignored: the next one comes before the lease expires.
    const held = { ...ownedBy(record), state: 'running' as const };
    renewLease<IdempotencyRecord>({ collection: records() }, held, lease).catch(() => undefined);
  };
  const renewing = setInterval(extend, renewEvery).unref();
  return renewing;
}

/** Stores the answer. A failure is only logged, because the work is done and a retry recovers it. */
async function remember(ctx: Ctx, record: IdempotencyRecord, answer: Answer): Promise<void> {
  const sealed = encrypt(purposes.answer, JSON.stringify(answer));
  try {
    await records().updateOne(ownedBy(record), { $set: { state: 'done', answer: sealed } });
  } catch (error) {
    ctx.broker.logger.warn('Could not store the answer for its Idempotency-Key', {
      requestId: ctx.requestID,
      error,
    });
  }
}

async function free(record: IdempotencyRecord): Promise<void> {
  await records()
    .deleteOne(ownedBy(record))
    .catch(() => undefined);
}

/** Releases the lease for the next retry. If this write fails, the retry waits until the lease expires. */
async function release(record: IdempotencyRecord): Promise<void> {
  const released = { state: 'unknown' as const, leaseUntil: leaseNow() };
  await records()
    .updateOne({ ...ownedBy(record), state: 'running' }, { $set: released })
    .catch(() => undefined);
}

/** The index of expired records. It is passed to the database's lifecycle like a model. */
export const idempotencyIndexes = { createIndexes: () => records().createIndex({ expiresAt: 1 }) };

/** Deletes expired records and returns how many; for the scheduled sweep. */
export function sweepIdempotencyRecords(_period?: Date, signal?: AbortSignal): Promise<number> {
  return removeAcrossTenants({ collection: records() }, { expiresAt: { $lte: now() } }, signal);
}

function records(): Collection<IdempotencyRecord> {
  return mongoose.connection.collection<IdempotencyRecord>('idempotency_records');
}
