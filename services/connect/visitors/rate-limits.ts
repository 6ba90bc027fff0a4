import type { Ctx } from '../../../lib/contract/context.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { day, minute, now, second } from '../../../lib/data/clock.ts';
import { removeAcrossTenants } from '../../../lib/data/collection.ts';
import { isDuplicateKey } from '../../../lib/data/database-errors.ts';
import { mebibyte } from '../../../lib/format/bytes.ts';
import { settings } from '../../../lib/settings/settings.ts';
import { type RateWindowDocument, RateWindowModel } from '../../../models/connect/rate-window.ts';
import { networkHashes } from './visitors.ts';

/** The limits per window. The gateway also limits all requests of an address. */
const limits = {
  messagesOfVisitor: { most: 30, window: minute },
  messagesFromNetwork: { most: 120, window: minute },
  messagesFromRange: { most: 480, window: minute },
  messagesToOrganization: { most: 1200, window: minute },
  sessionsFromNetwork: { most: 60, window: minute },
  sessionsFromRange: { most: 240, window: minute },
  sessionsToOrganization: { most: 3000, window: minute },
  filesOfVisitor: { most: 20, window: 10 * minute },
  filesFromNetwork: { most: 100, window: 10 * minute },
  filesFromRange: { most: 400, window: 10 * minute },
  filesToOrganization: { most: 2000, window: 10 * minute },
  bytesOfVisitor: { most: 100 * mebibyte, window: day },
  bytesFromNetwork: { most: 200 * mebibyte, window: day },
  bytesFromRange: { most: 800 * mebibyte, window: day },
  /** With less storage in the plan, visitors get a share of it: {@link visitorBytesOf}. */
  bytesToOrganization: { most: 20 * 1024 * mebibyte, window: day },
} as const;

type LimitName = keyof typeof limits;

/** The maximum of open visitor event streams on one gateway. A visitor has at most 20. */
const maxStreams = { network: 100, range: 400, organization: 5000 };

/** The maximum of bytes that visitors send to an organization in a day: a tenth of its plan's storage. */
export function visitorBytesOf(storageGb: number | null): number {
  const tenth = storageGb === null ? Number.POSITIVE_INFINITY : (storageGb * 1024 * mebibyte) / 10;
  return Math.min(tenth, limits.bytesToOrganization.most);
}

type Client = Ctx;
type RateLimitedAct = { orgId: string; visitorId: string | null; amount?: number; mostOfOrganization?: number };

/**
 * Counts an action of a visitor against the limits of the visitor, the network, the network's range and the
 * organization, narrowest first, so that a rejected action uses nothing of the limits shared with other networks.
 *
 * @throws RATE_LIMITED with the time until the window ends.
 */
export async function countVisitor(
  ctx: Client,
  what: 'messages' | 'sessions' | 'files' | 'bytes',
  { orgId, visitorId, amount = 1, mostOfOrganization }: RateLimitedAct,
): Promise<void> {
  if (settings.RATE_LIMIT_RPS === 0) return;
  const client = networkHashes(ctx);
  if (what !== 'sessions' && visitorId !== null) await consumeRateLimit(orgId, `${what}OfVisitor`, visitorId, amount);
  if (client) {
    await consumeRateLimit(orgId, `${what}FromNetwork`, client.network, amount);
    await consumeRateLimit(orgId, `${what}FromRange`, client.range, amount);
  }
  await consumeRateLimit(orgId, `${what}ToOrganization`, 'all', amount, mostOfOrganization);
}

/** The limits of a visitor's event stream. */
export function streamLimits(ctx: Client, orgId: string): { key: string; maximum: number }[] {
  if (settings.RATE_LIMIT_RPS === 0) return [];
  const organization = { key: `connect.organization:${orgId}`, maximum: maxStreams.organization };
  const client = networkHashes(ctx);
  if (!client) return [organization];
  return [
    { key: `connect.network:${client.network}`, maximum: maxStreams.network },
    { key: `connect.range:${client.range}`, maximum: maxStreams.range },
    organization,
  ];
}

/** Adds an amount to a limit shared by all nodes. A rejected amount is not counted, so a smaller one may still pass. */
async function consumeRateLimit(
  orgId: string,
  name: LimitName,
  key: string,
  amount: number,
  most: number = limits[name].most,
): Promise<void> {
  const { window } = limits[name];
  const at = now().getTime();
  const start = at - (at % window);
  const _id = `${orgId}:${name}:${key}:${start}`;
  const count = await increment(orgId, _id, amount, new Date(start + window));
  if (count <= most) return;
  await RateWindowModel.updateOne({ _id, orgId }, { $inc: { count: -amount } });
  const seconds = Math.max(1, Math.ceil((start + window - at) / second));
  throw apiError('RATE_LIMITED', { headers: { 'Retry-After': String(seconds) } });
}

/** Deletes ended windows; for the scheduled sweep. */
export async function sweepRateWindows(signal: AbortSignal): Promise<void> {
  await removeAcrossTenants(RateWindowModel, { expiresAt: { $lte: now() } }, signal);
}

async function increment(orgId: string, _id: string, amount: number, expiresAt: Date): Promise<number> {
  try {
    const counted = await RateWindowModel.findOneAndUpdate(
      { _id, orgId },
      { $inc: { count: amount }, $set: { expiresAt } },
      { upsert: true, returnDocument: 'after' },
    ).lean<RateWindowDocument>();
    return counted?.count ?? amount;
  } catch (error) {
    // Two requests began the window concurrently.
    if (isDuplicateKey(error)) return await increment(orgId, _id, amount, expiresAt);
    throw error;
  }
}
