import type { Context } from 'moleculer';
import type { Caller, RequestMeta } from '../../../lib/caller.ts';
import { call } from '../../../lib/calls.ts';
import { hour, now, second } from '../../../lib/clock.ts';
import { fail, failInput, isError } from '../../../lib/errors.ts';
import { settings } from '../../../lib/settings.ts';
import { ApplicationModel } from '../../../models/identity/application.ts';
import type { InvitationDocument } from '../../../models/identity/invitation.ts';
import { UserModel } from '../../../models/identity/user.ts';
import { type Attempts, attemptsKey, countAttempt } from '../accounts/attempts.ts';
import { findOrganization } from '../organizations/organizations.ts';

const window = hour;
const mailsOfOrganizationMax = 100;
const mailsOfUserMax = 100;
const mailsToAddressMax = 5;

/**
 * Counts a mail before it is sent, so that nobody has the platform write to a thousand people: 100 an hour for an
 * organization and for a user in whatever organizations, 5 an hour from an organization to one address.
 *
 * @throws RATE_LIMITED with the seconds until the next may be sent.
 */
export async function takeInvitationMail(caller: Caller & { orgId: string }, email: string): Promise<void> {
  const { orgId, id, type } = caller;
  await take(attemptsKey('invitation.address', orgId, email), mailsToAddressMax);
  if (type === 'user') await take(attemptsKey('invitation.user', id), mailsOfUserMax);
  await take(attemptsKey('invitation.organization', orgId), mailsOfOrganizationMax);
}

async function take(key: string, mailsMax: number): Promise<void> {
  const next = (known: Attempts, at: Date): Attempts | null => {
    const lately = known.triedAt.filter((mailed) => mailed.getTime() > at.getTime() - window);
    if (lately.length >= mailsMax) return null;
    return { ...known, triedAt: [...lately, at], expiresAt: new Date(at.getTime() + window) };
  };
  const { isAllowed, attempts } = await countAttempt(key, next);
  if (isAllowed) return;
  const oldest = attempts.triedAt.at(-mailsMax) ?? now();
  const seconds = Math.max(1, Math.ceil((oldest.getTime() + window - now().getTime()) / second));
  const message = 'Too many invitations were mailed within the last hour; try again later.';
  throw fail('RATE_LIMITED', { message, headers: { 'Retry-After': String(seconds) } });
}

/**
 * Hands the mail with the link to the mail service, which has stored it when this resolves.
 *
 * @throws INPUT_INVALID on body.email when no mail can be sent to such an address.
 */
export async function mailInvitation(
  ctx: Context<unknown, RequestMeta>,
  invitation: InvitationDocument,
  token: string,
): Promise<void> {
  const { orgId, email, role, tokenHash } = invitation;
  const { name: organizationName } = await findOrganization(orgId);
  const variables = { link: linkOf(token), organizationName, inviterName: await nameOfInviter(ctx.meta, orgId), role };
  const mail = { key: `invitation:${tokenHash}`, to: email, orgId, template: 'invitation' as const, variables };
  try {
    await call(ctx, 'mail.system.send', { body: mail });
  } catch (error) {
    if (!isError(error, 'INPUT_INVALID')) throw error;
    throw failInput([{ path: 'body.email', message: 'Send an address that mail can be sent to.' }]);
  }
}

const linkOf = (token: string): string => `${settings.PUBLIC_URL}/self-service/invitations/accept?token=${token}`;

/** Who invites, as the invited person may know them. */
async function nameOfInviter({ caller }: RequestMeta, orgId: string): Promise<string> {
  if (caller?.type === 'application') {
    const application = await ApplicationModel.findOne({ orgId, _id: caller.id }, { name: 1 }).lean();
    return application?.name ?? 'An application';
  }
  const user = await UserModel.findOne({ _id: caller?.id }, { displayName: 1, email: 1 }).lean();
  return user?.displayName ?? user?.email ?? 'A member';
}
