import { type Caller, type Ctx, call, type RequestMeta } from '../../lib/contract/context.ts';
import { inputError, isError } from '../../lib/contract/errors.ts';
import { hour } from '../../lib/data/clock.ts';
import { settings } from '../../lib/settings/settings.ts';
import type { InvitationDocument } from '../../models/identity/invitation.ts';
import { attemptsKey, type Bound, clientNetworksIn, requireMail } from './accounts/attempts.ts';
import { toBrand } from './brand.ts';
import { nameOfInviter } from './invitations.ts';
import { findOrganization } from './organizations.ts';
import { languageOfRecipient } from './users.ts';

const perHour = (max: number): Bound[] => [{ max, milliseconds: hour }];
const fromOrganization = perHour(100);
const fromUser = perHour(100);
const fromNetwork = perHour(100);
const fromRange = perHour(400);
const toAddress = perHour(5);
const toAddressOfAll = perHour(10);

/**
 * Counts a mail before it is sent, so that the platform cannot be abused for bulk mail: 100 an hour for an
 * organization, for a user across organizations, and for the users' network, which may have many accounts there; 400
 * for the range of that network; 5 an hour from an organization to one address, and 10 from all organizations together.
 *
 * @throws RATE_LIMITED with the seconds until the next may be sent.
 */
export async function takeInvitationMail(
  caller: Caller & { orgId: string },
  meta: RequestMeta,
  email: string,
): Promise<void> {
  const { orgId, id, type } = caller;
  await take(attemptsKey('invitation.address', orgId, email), toAddress);
  await take(attemptsKey('invitation.recipient', email), toAddressOfAll);
  if (type === 'user') await take(attemptsKey('invitation.user', id), fromUser);
  if (type === 'user' && settings.RATE_LIMIT_RPS > 0) {
    const { network, range } = clientNetworksIn(meta);
    await take(attemptsKey('invitation.network', network), fromNetwork);
    await take(attemptsKey('invitation.range', range), fromRange);
  }
  await take(attemptsKey('invitation.organization', orgId), fromOrganization);
}

function take(key: string, bounds: Bound[]): Promise<void> {
  return requireMail(key, bounds, 'Too many invitations were mailed within the last hour; try again later.');
}

/**
 * Hands the mail with the link to the mail service, which has stored it when this resolves.
 *
 * @throws INPUT_INVALID on body.email when mail cannot be sent to such an address.
 */
export async function mailInvitation(ctx: Ctx, invitation: InvitationDocument, token: string): Promise<void> {
  const { orgId, email, role, tokenHash } = invitation;
  const organization = await findOrganization(orgId);
  const { name: organizationName } = organization;
  const inviterName = (await nameOfInviter(ctx.meta.caller ?? invitation.invitedBy)) ?? organizationName;
  const variables = { link: linkOf(token), organizationName, inviterName, role };
  const language = await languageOfRecipient(email, ctx.meta);
  const template = 'invitation' as const;
  const branded = { name: organizationName, ...toBrand(organization) };
  const mail = {
    key: `invitation:${tokenHash}`,
    to: email,
    orgId,
    language,
    organization: branded,
    template,
    variables,
  };
  try {
    await call(ctx, 'mail.system.send', { body: mail });
  } catch (error) {
    if (!isError(error, 'INPUT_INVALID')) throw error;
    throw inputError([{ path: 'body.email', message: 'Must be an address that can receive mail.' }]);
  }
}

const linkOf = (token: string): string => `${settings.PUBLIC_URL}/self-service/invitations/accept?token=${token}`;
