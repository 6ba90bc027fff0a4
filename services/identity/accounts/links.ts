import { settings } from '../../../lib/settings.ts';

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
