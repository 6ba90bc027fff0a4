import type { Logger } from 'moleculer';
import { fromNow, minute, now } from '../../../lib/clock.ts';
import { insertIfAbsent } from '../../../lib/insert-unless-there.ts';
import { type ApiKeyUseDocument, ApiKeyUseModel } from '../../../models/identity/api-key-use.ts';

/** The precision of the last use: a key in constant use is written once in this interval. */
const resolution = minute;
const maxCached = 10_000;

/** When this process last recorded a key's use, to spare the database. */
const noted = new Map<string, number>();

/** Records the use of a key. Never throws; the caller need not wait for it. */
export async function noteUse({ orgId, _id }: { orgId: string; _id: string }, logger: Logger): Promise<void> {
  const lastUsedAt = now();
  const stale = fromNow(-resolution);
  const lastNoted = noted.get(_id);
  if (lastNoted !== undefined && lastNoted > stale.getTime()) return;
  if (noted.size >= maxCached) noted.clear();
  noted.set(_id, lastUsedAt.getTime());
  try {
    if (await insertIfAbsent<ApiKeyUseDocument>(ApiKeyUseModel, { _id, orgId, lastUsedAt })) return;
    // The condition is part of the update: of concurrent requests, on any number of nodes, one writes.
    await ApiKeyUseModel.updateOne({ orgId, _id, lastUsedAt: { $lte: stale } }, { $set: { lastUsedAt } });
  } catch (error) {
    noted.delete(_id);
    logger.warn('Use of an API key could not be recorded', { keyId: _id, error });
  }
}

/** When keys of an organization were last used, by key; one that never was is absent. */
export async function lastUses(orgId: string, keyIds: string[]): Promise<Map<string, Date>> {
  const uses = await ApiKeyUseModel.find({ orgId, _id: { $in: keyIds } }).lean<ApiKeyUseDocument[]>();
  return new Map(uses.map(({ _id, lastUsedAt }) => [_id, lastUsedAt]));
}
