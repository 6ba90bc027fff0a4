import type { SystemRole } from '../../../../../lib/roles.ts';
import { html } from '../../../../../web/html.ts';

/** The pages on which an account is made. */
export const registration = {
  title: 'Make an account',
  emailHint: 'You log in with it, and we send mail there.',
  passwordMissing: 'Choose a password.',
  submit: 'Make the account',
  login: (href: string) => html`You have an account?
<a href="${href}">Log in</a>`,
  mailed: (email: string) =>
    html`We have sent a mail to <strong>${email}</strong>. Open the link in it within 24 hours to go on.`,
  confirmationLead: 'One more step, and your account is ready.',
  otherBrowser:
    'This is another browser than the one you began in. Type the password you have chosen, so that we know that it is you.',
  passwordWrong: 'This is not the password you have chosen.',
};

const asRole: Record<SystemRole, string> = { owner: 'an owner', admin: 'an admin', member: 'a member' };

/** The pages of an invitation to an organization. */
export const invitations = {
  title: (organization: string) => `Join ${organization}`,
  lead: (email: string, organization: string, role: SystemRole) =>
    html`<strong>${email}</strong> is invited to join <strong>${organization}</strong> as ${asRole[role]}.`,
  accept: 'Accept',
  decline: 'If you do not want to join, close this page.',
  otherTitle: 'This invitation is for someone else',
  loggedInAs: (email: string | null) => html`You are logged in as <strong>${email}</strong>.`,
  logOut: 'Log out and go on',
  accountExists: 'You have an account with this address. Log in with it to go on.',
  logIn: 'Log in',
  password: 'Choose a password',
  register: 'Make the account and join',
  expired: 'Go to your account',
};
