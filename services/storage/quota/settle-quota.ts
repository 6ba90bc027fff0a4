import { defineAction } from '../../../lib/action.ts';
import { settlementInput, settlementOutput } from '../../../lib/quota-settlement.ts';
import { type ObjectDocument, ObjectModel } from '../../../models/storage/object.ts';
import { readKey } from './reserve-bytes.ts';

/**
 * `storage.quota.settle`, called by billing after a crash: counts the bytes stored with each reservation. Bandwidth of
 * a crashed process is not charged.
 */
export const settleQuota = defineAction({
  summary: 'Count the bytes that were stored with reservations of quota',
  permission: 'internal',
  input: settlementInput,
  output: settlementOutput,
  async handler({ body: { orgId, keys } }) {
    return { done: await Promise.all(keys.map(async (key) => ({ key, amount: await bytesOf(orgId, key) }))) };
  },
});

async function bytesOf(orgId: string, key: string): Promise<number> {
  const reservation = readKey(key);
  if (!reservation) return 0;
  const { version, chargedFor } = reservation;
  const object = await ObjectModel.findOne({ orgId, versions: version }).lean<ObjectDocument>();
  const found = object && [object, ...object.former].find((one) => one.version === version);
  return found ? chargedFor(found.size) : 0;
}

declare module '../../../lib/calls.ts' {
  interface Calls {
    'storage.quota.settle': typeof settleQuota;
  }
}
