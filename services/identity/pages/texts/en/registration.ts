import type { SystemRole } from '../../../../../lib/roles.ts';
import { html } from '../../../../../web/html.ts';

/** The pages on which an account is made. */
export const registration = {
  title: 'Create your account',
  emailHint: 'You log in with this address and receive our email there.',
  passwordMissing: 'Enter a password.',
  submit: 'Create account',
  login: (href: string) => html`Already have an account?
<a href="${href}">Log in</a>`,
  mailed: (email: string) =>
    html`We sent an email to <strong>${email}</strong>. Open the link in it within 24 hours to continue.`,
  confirmationLead: 'Confirm to finish creating your account.',
  otherBrowser: 'You started in another browser. Enter the password you chose to confirm that it is you.',
  passwordWrong: 'This is not the password you chose.',
};

const asRole: Record<SystemRole, string> = { owner: 'an owner', admin: 'an admin', member: 'a member' };

/** The pages of an invitation to an organization. */
export const invitations = {
  title: (organization: string) => `Join ${organization}`,
  lead: (email: string, organization: string, role: SystemRole) =>
    html`<strong>${email}</strong> is invited to join <strong>${organization}</strong> as ${asRole[role]}.`,
  accept: 'Accept invitation',
  decline: 'To decline, close this page.',
  otherTitle: 'This invitation is for someone else',
  loggedInAs: (email: string | null) => html`You are logged in as <strong>${email}</strong>.`,
  logOut: 'Log out and continue',
  accountExists: 'You already have an account with this address. Log in to continue.',
  logIn: 'Log in',
  password: 'Password',
  register: 'Create account and join',
  expired: 'Go to your account',
};
