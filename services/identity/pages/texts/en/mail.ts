import { type Content, html } from '../../../../../web/html.ts';

/** The page that a mail is on its way. */
export const mailed = {
  title: 'Look into your mail',
  again: (href: string) =>
    html`Nothing there after a few minutes? Look into the folder for spam, or <a href="${href}">try again</a>.`,
  mailbox: (href: string) => html`This platform does not send mail yet: what it writes is in the
<a href="${href}">mailbox for development</a>.`,
};

/** The page of a mailed link that is not valid any more. */
export const linkExpired = {
  title: 'This link has expired',
  lead: 'It was used already, it is too old, or it was cut off on its way. Mailed links work once.',
};

/** The pages of a mailed link that confirms an address. */
export const confirmation = {
  title: 'Confirm your email address',
  submit: 'Confirm',
};

/** The pages of a mailed link that confirms a contact. */
export const contactConfirmation = {
  lead: (email: string) =>
    html`Confirm that <strong>${email}</strong> is your address. It is then a confirmed contact of your account.`,
  doneTitle: 'Confirmed',
  done: 'Thank you, the address is yours.',
  contacts: 'Go to your contacts',
  otherTitle: 'This link belongs to another account',
  other: (
    email: Content,
  ) => html`You are logged in as <strong>${email}</strong>, and this account did not ask for the link.
To confirm the address, log in with the account that did.`,
  notAsked: 'If you do not know who asked for it, close this page. The address stays unconfirmed.',
  logOut: 'Log out and continue',
  askAgain: 'Ask for another mail in your contacts',
};
