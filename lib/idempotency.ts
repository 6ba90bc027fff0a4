import type { Context } from 'moleculer';
import mongoose from 'mongoose';
import type { RequestMeta } from './caller.ts';
import { hashJson } from './canonical-json.ts';
import { day, fromNow, minute, now } from './clock.ts';
import { isDuplicateKey } from './database-errors.ts';
import { decrypt, encrypt } from './encryption.ts';
import { fail } from './errors.ts';

/** `leaseUntil` bounds how long a run that died keeps others waiting; `answer` is encrypted, for it may hold a secret. */
type IdempotencyRecord = {
  _id: string;
  requestHash: string;
  answer: string | null;
  leaseUntil: Date;
  expiresAt: Date;
};

const purpose = 'idempotency';
const lease = minute;

/**
 * Runs a request once for its Idempotency-Key and gives every repetition within 24 hours the first answer. Keys belong
 * to the organization and the action. Without a key the request just runs. Who asks and with what scopes is part of
 * the request: an answer is for nobody who might have been refused it. With `isPersonal` keys are the user's, and in
 * which organizations they are meanwhile, and as what, changes nothing.
 *
 * @throws IDEMPOTENCY_MISMATCH the key came with another request; IDEMPOTENCY_IN_PROGRESS the first still runs.
 */
export async function replayOrRun(
  ctx: Context<unknown, RequestMeta>,
  input: object,
  run: () => Promise<unknown>,
  isPersonal = false,
): Promise<unknown> {
  const { idempotencyKey, caller } = ctx.meta;
  if (!idempotencyKey || !caller) return run();
  // Who is in no organization has keys of their own.
  const owner = isPersonal ? caller.id : (caller.orgId ?? caller.id);
  const _id = `${owner}:${hashJson([ctx.action?.name, idempotencyKey])}`;
  const requestHash = hashJson([caller.type, caller.id, isPersonal ? [] : caller.scopes, input]);
  const former = await claim(_id, requestHash);
  if (!former) return runAndRemember(_id, run);
  if (former.requestHash !== requestHash) throw fail('IDEMPOTENCY_MISMATCH');
  if (former.answer === null) throw fail('IDEMPOTENCY_IN_PROGRESS');
  ctx.meta.$responseHeaders = { 'Idempotency-Replayed': 'true' };
  return JSON.parse(decrypt(purpose, former.answer));
}

/** Makes the key ours, or gives the record of whoever has it. A record that expired or whose run died is taken over. */
async function claim(_id: string, requestHash: string): Promise<IdempotencyRecord | null> {
  const fresh = { requestHash, answer: null, leaseUntil: fromNow(lease), expiresAt: fromNow(day) };
  const inserted = await records()
    .insertOne({ _id, ...fresh })
    .then(() => true)
    .catch((error) => {
      if (isDuplicateKey(error)) return false;
      throw error;
    });
  if (inserted) return null;
  const abandoned = { answer: null, requestHash, leaseUntil: { $lte: now() } };
  const takenOver = await records().updateOne(
    { _id, $or: [abandoned, { expiresAt: { $lte: now() } }] },
    { $set: fresh },
  );
  if (takenOver.modifiedCount === 1) return null;
  const former = await records().findOne({ _id });
  return former ?? claim(_id, requestHash);
}

async function runAndRemember(_id: string, run: () => Promise<unknown>): Promise<unknown> {
  const answer = await run().catch(async (error) => {
    // A refusal changed nothing, so the key is free for the corrected request.
    await records().deleteOne({ _id });
    throw error;
  });
  await records().updateOne({ _id }, { $set: { answer: encrypt(purpose, JSON.stringify(answer ?? null)) } });
  return answer;
}

/** What finds the expired records; given to the database's lifecycle like a model. */
export const idempotencyIndexes = { createIndexes: () => records().createIndex({ expiresAt: 1 }) };

/** Removes what has expired, and says how many records that were; for the scheduled sweep. */
export async function sweepIdempotencyRecords(): Promise<number> {
  const { deletedCount } = await records().deleteMany({ expiresAt: { $lte: now() } });
  return deletedCount;
}

function records(): mongoose.mongo.Collection<IdempotencyRecord> {
  return mongoose.connection.collection<IdempotencyRecord>('idempotency_records');
}
