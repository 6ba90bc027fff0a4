import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Ctx } from '../../../lib/contract/context.ts';
import type { Operation } from '../../../lib/contract/idempotency.ts';
import { day, fromNow, hour, leaseFromNow, leaseNow, minute, now, second } from '../../../lib/data/clock.ts';
import { insertIfAbsent, removeAcrossTenants } from '../../../lib/data/collection.ts';
import { decrypt, encrypt, sign } from '../../../lib/security/encryption.ts';
import { hashToken } from '../../../lib/security/token-hash.ts';
import { settings } from '../../../lib/settings/settings.ts';
import {
  type MailedTokenDocument,
  type MailedTokenKind,
  MailedTokenModel,
  type MailedTokenOf,
} from '../../../models/identity/mailed-token.ts';

/** The maximum length of a link that the mail service accepts. */
const maxLinkLength = 2000;

const at = (path: string): string => `${settings.PUBLIC_URL}/self-service/${path}`;

/** The addresses of the account pages, for mails. */
export const loginLink = (): string => at('login/browser');
export const recoveryLink = (): string => at('recovery/browser');
export const confirmRegistrationLink = (token: string): string => at(`registration/confirm?token=${token}`);
export const confirmContactLink = (token: string): string => at(`contacts/confirm?token=${token}`);

/**
 * The page that sets a new password and then redirects to `returnTo`, which is omitted if it makes the link too long.
 */
export function resetLink(token: string, returnTo: string | null): string {
  const link = at(`recovery/reset?token=${token}`);
  const back = returnTo === null ? '' : `&return_to=${encodeURIComponent(returnTo)}`;
  return link.length + back.length <= maxLinkLength ? link + back : link;
}

const tokenBytes = 24;

/** A token for a mailed link: 192 random bits in 32 characters. */
export function newRandomToken(): string {
  return randomBytes(tokenBytes).toString('base64url');
}

/** The token of the link that an operation mails; the same in every run of the operation. */
export function tokenOf(operation: Operation): string {
  return operation.secretBytes('mailed link', tokenBytes).toString('base64url');
}

const lifetimes = { registration: day, recovery: hour, 'email-verification': day } satisfies Record<
  MailedTokenKind,
  number
>;
/** How long only the process that stored a link mails it; then the sweep does. */
const mailGrace = minute / 2;
const lease = 30 * second;
const purpose = 'identity.mailed-token';
const never = new Date(0);

/** The token of a link as it was sent: any text, because an invalid token counts as expired. */
export const tokenTyped = z.string().max(1000, 'Must be at most 1000 characters.');

type Managed = '_id' | 'tokenHash' | 'sealedToken' | 'mailDueAt' | 'guesses' | 'leaseUntil' | 'createdAt' | 'expiresAt';
type Unmanaged<T> = T extends unknown ? Omit<T, Managed> : never;

/** The purpose of a link, and the address it goes to. */
export type MailedLink = Unmanaged<MailedTokenDocument>;

/** Stores a new link to be mailed; null when this request, or an earlier run of its operation, stored one before. */
export async function storeMailedToken(
  ctx: Ctx,
  link: MailedLink,
  operation?: Operation,
): Promise<MailedTokenDocument | null> {
  const keyed = operation?.isKeyed ? operation : null;
  const token = keyed ? tokenOf(keyed) : newRandomToken();
  const request = keyed?.key ?? ctx.requestID ?? token;
  const { language } = ctx.meta;
  const mailing = {
    sealedToken: encrypt(purpose, token),
    mailDueAt: fromNow(mailGrace),
    ...(language && { language }),
  };
  const stored: MailedTokenDocument = { ...newMailedToken(link, token, request), ...mailing };
  return (await insertIfAbsent<MailedTokenDocument>(MailedTokenModel, stored)) ? stored : null;
}

/** Stores a link that is not mailed: it counts where another link proves the address. */
export async function storeUnmailedToken(ctx: Ctx, link: MailedLink): Promise<void> {
  const token = newRandomToken();
  const stored: MailedTokenDocument = newMailedToken(link, token, ctx.requestID ?? token);
  await insertIfAbsent<MailedTokenDocument>(MailedTokenModel, stored);
}

/** A link that is not to be mailed. Its id is of the request, so that a repeated request stores no second one. */
function newMailedToken(link: MailedLink, token: string, request: string): MailedTokenDocument {
  return {
    _id: sign(purpose, JSON.stringify([request, link.kind, link.email])),
    tokenHash: hashToken(token),
    sealedToken: null,
    mailDueAt: null,
    guesses: 0,
    leaseUntil: never,
    createdAt: now(),
    expiresAt: fromNow(lifetimes[link.kind]),
    ...link,
  };
}

/** The newest registration of an email address by a browser; null without one. */
export async function findRegistration(
  email: string,
  browserHash: string,
): Promise<MailedTokenOf<'registration'> | null> {
  const own = { email, kind: 'registration' as const, 'registration.browserHash': browserHash };
  return await MailedTokenModel.findOne({ ...own, expiresAt: { $gt: now() } })
    .sort({ createdAt: -1 })
    .lean<MailedTokenOf<'registration'>>();
}

/** The token of a link that is still to be mailed; null afterwards. */
export function openToken({ sealedToken }: MailedTokenDocument): string | null {
  return sealedToken === null ? null : decrypt(purpose, sealedToken);
}

/** The link of this kind with this token; null when it is unknown, used or has expired. */
export async function findMailedToken<K extends MailedTokenKind>(
  kind: K,
  token: string,
): Promise<MailedTokenOf<K> | null> {
  const condition = { tokenHash: hashToken(token), kind, expiresAt: { $gt: now() } };
  return await MailedTokenModel.findOne(condition).lean<MailedTokenOf<K>>();
}

/** Claims a link for as long as its use may last; false when another request holds it or has used it. */
export async function claimMailedToken({ _id }: MailedTokenDocument): Promise<boolean> {
  const { modifiedCount } = await MailedTokenModel.updateOne(
    { _id, leaseUntil: { $lte: leaseNow() } },
    { $set: { leaseUntil: leaseFromNow(lease) } },
  );
  return modifiedCount === 1;
}

/** Releases the claim of a link that could not be used. */
export async function releaseMailedToken({ _id }: MailedTokenDocument): Promise<void> {
  await MailedTokenModel.updateOne({ _id }, { $set: { leaseUntil: never } });
}

/** Consumes a link; true for exactly one of concurrent calls. */
export async function consumeMailedToken({ _id }: MailedTokenDocument): Promise<boolean> {
  const { deletedCount } = await MailedTokenModel.deleteOne({ _id });
  return deletedCount === 1;
}

/** Invalidates all links of a kind to an address. */
export async function dropMailedTokens(kind: MailedTokenKind, email: string): Promise<void> {
  await MailedTokenModel.deleteMany({ email, kind });
}

/** Removes expired links; for the scheduled sweep. */
export async function sweepMailedTokens(signal?: AbortSignal): Promise<void> {
  await removeAcrossTenants(MailedTokenModel, { expiresAt: { $lte: now() } }, signal);
}
