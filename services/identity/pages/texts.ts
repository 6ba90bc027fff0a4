import type { SystemRole } from '../../../lib/contract/authorize.ts';
import { catalogue } from '../../../web/catalogue.ts';
import { type Content, html } from '../../../web/html.ts';
import {
  addresses,
  applications,
  contacts,
  data,
  loginEmail,
  organizations,
  password,
  profile,
  sessions,
} from './texts-account.ts';
import { consoleApplications } from './texts-applications.ts';
import { overview, search } from './texts-console.ts';
import { de } from './texts-de.ts';
import { logs } from './texts-logs.ts';
import { operatorConsole } from './texts-operator.ts';
import { consoleSettings } from './texts-settings.ts';
import { people } from './texts-users.ts';

/** The fields that several pages have. */
const fields = {
  email: 'Email address',
  emailMissing: 'Enter your email address.',
  password: 'Password',
  currentPassword: 'Current password',
  currentPasswordMissing: 'Enter your current password.',
  newPassword: 'New password',
  newPasswordHint: 'At least 8 characters. Several words in a row are easy to remember and hard to guess.',
  firstName: 'First name',
  lastName: 'Last name',
  kind: 'Type',
};

/** The buttons that several pages have. */
const buttons = {
  add: 'Add',
  save: 'Save',
  remove: 'Remove',
  changePassword: 'Change password',
};

/** The accessible name of one of several equal buttons or links, with the item that it is for. */
const nameOfButton = (button: string, item: string) => `${button}: ${item}`;

/** The roles of a member of an organization. */
const roles = { owner: 'owner', admin: 'admin', member: 'member' };

/** The names of browsers on devices. */
const devices = {
  on: (browser: string, system: string) => `${browser} on ${system}`,
  unknown: 'Unknown device',
};

/** The gallery of components, for development. */
const gallery = { title: 'Components' };

/** The login page. */
const login = {
  title: 'Log in',
  continueTo: (application: string, organization: string) =>
    html`to continue to <strong>${application}</strong> by <strong>${organization}</strong>`,
  submit: 'Log in',
  forgotPassword: 'Forgot password?',
  register: (href: string) => html`New here? <a href="${href}">Create an account</a>`,
  passwordMissing: 'Enter your password.',
  wrong: 'Incorrect email address or password. Check both and try again.',
  repeated: 'Log in again to confirm that it is you.',
  notices: {
    'logged-out': 'You are logged out.',
    'other-account': 'Log in with the account that you want to use.',
    'password-changed': 'Password changed. Log in with your new password.',
    'account-deleted': 'Your account was deleted.',
    'session-too-old': 'This organization asks its members to log in again from time to time.',
  },
};

/** The logout page. */
const logout = {
  title: 'Log out',
  lead: 'You will be logged out of this browser.',
  submit: 'Log out',
};

/** The page that asks before a redirect to an unknown site. */
const leave = {
  title: 'You are leaving this site',
  lead: (origin: string | null) =>
    html`You are about to continue to <strong>${origin}</strong>. We do not own this site and have not checked it.`,
  advice:
    'Continue only if you know this site and expected to go there. Never enter your password for this platform elsewhere.',
  submit: (origin: string | null) => html`Continue to ${origin}`,
  stay: 'Stay here',
  refused:
    'The address to return to (return_to) does not belong to this platform or to a registered application. ' +
    'Go back and try again.',
};

/** The pages on which users who forgot their password choose a new one. */
const recovery = {
  title: 'Reset your password',
  lead: 'Enter your email address and we will send you a link to reset your password.',
  submit: 'Send reset link',
  backToLogin: 'Back to login',
  mailed: (
    to: string,
  ) => html`If <strong>${to}</strong> has an account, we sent an email to this address. Open the link in it
within an hour to reset your password.`,
  resetLead: 'Changing your password logs you out of all browsers.',
  askAgain: 'Request another link',
};

/** The page that a mail is on its way. */
const mailed = {
  title: 'Check your email',
  again: (href: string) =>
    html`No email after a few minutes? Check your spam folder, or <a href="${href}">try again</a>.`,
  mailbox: (href: string) => html`This platform does not send email yet. Find your email in the
<a href="${href}">mailbox for development</a>. Open it for the first time with the mailbox link that the platform prints
when it starts.`,
};

/** The page of a mailed link that is no longer valid. */
const linkExpired = {
  title: 'This link has expired',
  lead: 'It is too old, incomplete or was already used. Each link works once.',
};

/** The pages of a mailed link that confirms an address. */
const confirmation = {
  title: 'Confirm your email address',
  submit: 'Confirm',
};

/** The pages of a mailed link that confirms a contact. */
const contactConfirmation = {
  lead: (email: string) =>
    html`Confirm that <strong>${email}</strong> is your address. It becomes a confirmed contact of your account.`,
  doneTitle: 'Confirmed',
  done: 'Your email address is confirmed.',
  contacts: 'Go to your contacts',
  otherTitle: 'This link belongs to another account',
  other: (
    email: Content,
  ) => html`You are logged in as <strong>${email}</strong>, but another account requested this link.
To confirm the address, log in with that account.`,
  notAsked: 'If you do not know who requested it, close this page. The address will not be confirmed.',
  logOut: 'Log out and continue',
  askAgain: 'Request another email in your contacts',
};

/** The pages on which an account is made. */
const registration = {
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
  limited: 'Use the email address of your organization. Other addresses need an invitation.',
  closed: {
    title: 'Accounts are by invitation',
    lead: 'New accounts on this platform need an invitation.',
    ask: 'If you were invited, open the link in your invitation email. Otherwise, ask an owner or admin of your organization to invite you.',
  },
};

const asRole: Record<SystemRole, string> = { owner: 'an owner', admin: 'an admin', member: 'a member' };

/** The pages of an invitation to an organization. */
const invitations = {
  title: (organization: string) => `Join ${organization}`,
  lead: (inviter: string | null, email: string, organization: string, role: SystemRole) =>
    inviter === null
      ? html`<strong>${email}</strong> is invited to join <strong>${organization}</strong> as ${asRole[role]}.`
      : html`<strong>${inviter}</strong> invited <strong>${email}</strong> to join <strong>${organization}</strong>
as ${asRole[role]}.`,
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
  acceptedTitle: 'Invitation accepted',
  accepted: (organization: string) => html`This invitation to <strong>${organization}</strong> was accepted.`,
  organizations: 'Go to your organizations',
};

/** The English texts of identity's pages. */
export const en = {
  addresses,
  applications,
  buttons,
  consoleApplications,
  consoleSettings,
  operatorConsole,
  confirmation,
  contactConfirmation,
  contacts,
  data,
  devices,
  fields,
  gallery,
  invitations,
  leave,
  linkExpired,
  login,
  loginEmail,
  logout,
  logs,
  mailed,
  nameOfButton,
  organizations,
  overview,
  password,
  people,
  profile,
  recovery,
  registration,
  roles,
  search,
  sessions,
};

/** The texts of identity's pages. */
export const texts = catalogue({ en, de });
