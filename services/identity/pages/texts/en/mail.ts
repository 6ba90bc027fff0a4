import { type Content, html } from '../../../../../web/html.ts';

/** The page that a mail is on its way. */
export const mailed = {
  title: 'Check your email',
  again: (href: string) =>
    html`No email after a few minutes? Check your spam folder, or <a href="${href}">try again</a>.`,
  mailbox: (href: string) => html`This platform does not send email yet. Find your email in the
<a href="${href}">mailbox for development</a>.`,
};

/** The page of a mailed link that is no longer valid. */
export const linkExpired = {
  title: 'This link has expired',
  lead: 'It is too old, incomplete or was already used. Each link works once.',
};

/** The pages of a mailed link that confirms an address. */
export const confirmation = {
  title: 'Confirm your email address',
  submit: 'Confirm',
};

/** The pages of a mailed link that confirms a contact. */
export const contactConfirmation = {
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
