import { hour, now } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import { insertIfAbsent } from '../../../lib/insert-unless-there.ts';
import { networkOf } from '../../../lib/network.ts';
import { removeAcrossTenants } from '../../../lib/remove-up-to.ts';
import { sign } from '../../../lib/signature.ts';
import { type AuditRecordDocument, AuditRecordModel } from '../../../models/identity/audit-record.ts';
import { type AuditWindowDocument, AuditWindowModel } from '../../../models/identity/audit-window.ts';

const windowMilliseconds = hour;
/** The maximum for one action in one log and window. */
const maxRecords = 100;

/** The target of a record that counts acts on many targets. */
const manyTargets = { type: 'various', id: 'various' };

type AnonymousEvent = Omit<AuditRecordDocument, '_id' | 'count' | 'lastAt'>;

/**
 * Adds an act of a caller without a credential to a log: acts of one kind on one target from one network within an hour
 * are one record that counts them. A log takes 100 such records of an action an hour; one more counts all others. So
 * unauthenticated callers add a bounded number of records, and every act is counted.
 */
export async function recordAnonymousEvent(act: AnonymousEvent): Promise<void> {
  const { orgId, action, target, address } = act;
  const start = Math.floor(act.createdAt.getTime() / windowMilliseconds) * windowMilliseconds;
  const expiresAt = new Date(start + 2 * windowMilliseconds);
  const keyOf = (...what: unknown[]): string =>
    sign('identity.audit-window', JSON.stringify([orgId, action, start, ...what]));
  const own = keyOf('record', target.type, target.id, networkOf(address ?? ''));
  const existingId = await findRecordId(own);
  const isOwn = existingId !== null || (await takePlace(keyOf('places'), expiresAt));
  const recordId = existingId ?? (await nameRecord(isOwn ? own : keyOf('others'), expiresAt));
  await count(recordId, isOwn ? act : { ...act, target: manyTargets, address: null, userAgent: null, requestId: null });
}

/** Removes past windows; for the scheduled sweep. */
export async function sweepAuditWindows(signal?: AbortSignal): Promise<void> {
  await removeAcrossTenants(AuditWindowModel, { expiresAt: { $lte: now() } }, signal);
}

/** Reserves a place for one more record; false when the maximum is reached. */
async function takePlace(_id: string, expiresAt: Date): Promise<boolean> {
  const first = { _id, recordId: null, records: 1, expiresAt };
  if (await insertIfAbsent<AuditWindowDocument>(AuditWindowModel, first)) return true;
  const mayTake = { _id, records: { $lt: maxRecords } };
  const { modifiedCount } = await AuditWindowModel.updateOne(mayTake, { $inc: { records: 1 } });
  return modifiedCount === 1;
}

/** The id of the record that counts under a key: the same on every node. */
async function nameRecord(_id: string, expiresAt: Date): Promise<string> {
  const recordId = newId('aud');
  const isFirst = await insertIfAbsent<AuditWindowDocument>(AuditWindowModel, {
    _id,
    recordId,
    records: 0,
    expiresAt,
  });
  return isFirst ? recordId : ((await findRecordId(_id)) ?? recordId);
}

async function findRecordId(_id: string): Promise<string | null> {
  const window = await AuditWindowModel.findOne({ _id }, { recordId: 1 }).lean();
  return window?.recordId ?? null;
}

/** Inserts the record or increments its count in one write, so that a crash cannot lose a count. */
async function count(_id: string, act: AnonymousEvent): Promise<void> {
  const { orgId, createdAt: lastAt } = act;
  if (await insertIfAbsent<AuditRecordDocument>(AuditRecordModel, { _id, ...act, count: 1, lastAt })) return;
  await AuditRecordModel.updateOne({ orgId, _id }, { $inc: { count: 1 }, $set: { lastAt } });
}
