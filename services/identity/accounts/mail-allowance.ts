import type { RequestMeta } from '../../../lib/caller.ts';
import { day, hour } from '../../../lib/clock.ts';
import { apiError } from '../../../lib/errors.ts';
import { settings } from '../../../lib/settings.ts';
import type { MailedTokenKind } from '../../../models/identity/mailed-token.ts';
import { attemptsKey, type Bound, takeAllowance } from './attempts.ts';
import { clientNetworksIn } from './client-networks.ts';

const toAddress: Bound[] = [{ max: 5, milliseconds: hour }];
const ofUser: Bound[] = [
  { max: 20, milliseconds: hour },
  { max: 50, milliseconds: day },
];
const fromNetwork: Bound[] = [
  { max: 30, milliseconds: hour },
  { max: 100, milliseconds: day },
];
const fromRange: Bound[] = [
  { max: 120, milliseconds: hour },
  { max: 400, milliseconds: day },
];

/**
 * Counts a mail of this kind to an address, and returns whether it may be sent: five an hour, from any requester. An
 * excess request gets the normal answer, because a refusal would reveal the requests of others.
 */
export async function consumeMailQuota(kind: MailedTokenKind, email: string): Promise<boolean> {
  const { isAllowed } = await takeAllowance(attemptsKey(`mail.${kind}`, email), toAddress);
  return isAllowed;
}

/**
 * Counts a mail to an address that its recipient may not have requested, by the network of the client: 30 an hour and
 * 100 a day, of all kinds, and four times as many from the range of that network. It counts whether or not the address
 * has an account, so that a refusal does not reveal it.
 *
 * @throws RATE_LIMITED with the seconds until the next may be sent.
 */
export async function consumeMailQuotaOfNetwork(meta: RequestMeta): Promise<void> {
  if (settings.RATE_LIMIT_RPS === 0) return;
  const { network, range } = clientNetworksIn(meta);
  await requireMail(attemptsKey('mail.network', network), fromNetwork);
  await requireMail(attemptsKey('mail.range', range), fromRange);
}

/**
 * Counts a mail that a user has sent to an address of theirs that is not confirmed: 20 an hour and 50 a day.
 *
 * @throws RATE_LIMITED with the seconds until the next may be sent.
 */
export async function consumeMailQuotaOfUser(userId: string): Promise<void> {
  await requireMail(attemptsKey('mail.user', userId), ofUser);
}

/** @throws RATE_LIMITED with the seconds until one more mail is within these bounds. */
export async function requireMail(
  key: string,
  bounds: Bound[],
  message = 'Too many mails were requested; try again after the time in Retry-After.',
): Promise<void> {
  const taken = await takeAllowance(key, bounds);
  if (taken.isAllowed) return;
  throw apiError('RATE_LIMITED', { message, headers: { 'Retry-After': String(taken.retryAfterSeconds) } });
}
