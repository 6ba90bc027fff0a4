import { settings } from '../../../lib/settings.ts';

/** What the mail service takes. */
const maxLinkLength = 2000;

const at = (path: string): string => `${settings.PUBLIC_URL}/self-service/${path}`;

/** Where the pages of accounts are, for mails. */
export const loginLink = (): string => at('login/browser');
export const recoveryLink = (): string => at('recovery/browser');
export const confirmRegistrationLink = (token: string): string => at(`registration/confirm?token=${token}`);
export const confirmContactLink = (token: string): string => at(`contacts/confirm?token=${token}`);

/** Where a new password is chosen, and where the browser goes from there; a way back that is too long is left out. */
export function resetLink(token: string, returnTo: string | null): string {
  const link = at(`recovery/reset?token=${token}`);
  const back = returnTo === null ? '' : `&return_to=${encodeURIComponent(returnTo)}`;
  return link.length + back.length <= maxLinkLength ? link + back : link;
}
