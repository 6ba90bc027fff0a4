import { LRUCache } from 'lru-cache';
import { limitsOf } from '../../../lib/clients/plan-limits.ts';
import type { CallContext } from '../../../lib/contract/context.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { day, hour, now, second } from '../../../lib/data/clock.ts';
import { isDuplicateKey } from '../../../lib/data/database-errors.ts';
import { normalizeEmail } from '../../../lib/format/email-address.ts';
import { sign } from '../../../lib/security/encryption.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { RecipientCountModel } from '../../../models/mail/recipient-count.ts';

/** The number of mails per address and hour that a process counts in memory, because most addresses get few. */
const countedInMemory = 5;

/** Counts by hour and address. */
const counts = new LRUCache<string, number>({ max: 50_000 });

/**
 * Counts a mail of an organization to an address. All organizations share the hourly limit, so that several of them
 * cannot flood a stranger. Each process may exceed the limit by the {@link countedInMemory} mails that it counts in
 * memory.
 *
 * @throws RATE_LIMITED with the seconds until the hour ends.
 */
export async function takeMailTo(address: string): Promise<void> {
  const limit = settings.MAIL_RECIPIENT_LIMIT;
  if (limit === 0) return;
  const recipient = normalizeEmail(address);
  const present = Math.floor(now().getTime() / hour);
  const key = `${present} ${recipient}`;
  const own = (counts.get(key) ?? 0) + 1;
  counts.set(key, own);
  if (own <= Math.min(countedInMemory, limit)) return;
  const end = (present + 1) * hour;
  const _id = sign('mail.recipient', JSON.stringify([recipient, present]));
  if (limit > countedInMemory && (await countShared(_id, new Date(end), limit - countedInMemory))) return;
  throw tooMany('Too many mails to this address within an hour; try again later.', end);
}

/**
 * Counts a mail of an organization to an address that it suppresses, which uses no quota unit. The daily limit allows
 * one mail to each address that the plan lets it suppress.
 *
 * @throws RATE_LIMITED with the seconds until the day ends; UNAVAILABLE
 */
export async function takeSuppressedMail(ctx: CallContext, orgId: string): Promise<void> {
  const limits = await limitsOf(ctx, orgId);
  if (limits === 'unknown') throw apiError('UNAVAILABLE');
  const end = (Math.floor(now().getTime() / day) + 1) * day;
  const _id = sign('mail.suppressed', JSON.stringify([orgId, end]));
  if (await countShared(_id, new Date(end), limits.suppressions)) return;
  throw tooMany('The organization sends too many mails to suppressed addresses today.', end);
}

function tooMany(message: string, until: number): Error {
  const seconds = Math.ceil((until - now().getTime()) / second);
  return apiError('RATE_LIMITED', { message, headers: { 'Retry-After': String(Math.max(1, seconds)) } });
}

/** Increments the counter shared by all processes; false when the limit is reached. */
async function countShared(_id: string, expiresAt: Date, limit: number): Promise<boolean> {
  try {
    const below = { _id, count: { $lt: limit } };
    await RecipientCountModel.updateOne(below, { $inc: { count: 1 }, $setOnInsert: { expiresAt } }, { upsert: true });
    return true;
  } catch (error) {
    // The counter has reached the limit, or a concurrent request inserted it first.
    if (!isDuplicateKey(error)) throw error;
    const { matchedCount } = await RecipientCountModel.updateOne(
      { _id, count: { $lt: limit } },
      { $inc: { count: 1 } },
    );
    return matchedCount === 1;
  }
}
