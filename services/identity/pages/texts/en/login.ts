import { html } from '../../../../../web/html.ts';

/** The login page. */
export const login = {
  title: 'Log in',
  continueTo: (application: string, organization: string) =>
    html`to continue to <strong>${application}</strong> of <strong>${organization}</strong>`,
  submit: 'Log in',
  forgotPassword: 'I forgot my password',
  register: (href: string) => html`New here? <a href="${href}">Make an account</a>`,
  passwordMissing: 'Type your password.',
  wrong: 'The email address or the password is wrong. Check both and try again.',
  repeated: 'Log in again, so that we know that it is you.',
  notices: {
    'logged-out': 'You are logged out.',
    'password-changed': 'Your password is changed. Log in with the new one.',
    'account-deleted': 'Your account is deleted.',
  },
};

/** The logout page. */
export const logout = {
  title: 'Log out',
  lead: 'You will be logged out of this browser.',
  submit: 'Log out',
};

/** The page that asks before a redirect to an unknown site. */
export const leave = {
  title: 'You are leaving this site',
  lead: (origin: string | null) =>
    html`You were asked to continue to <strong>${origin}</strong>. This site does not belong to us, and we have not checked it.`,
  advice:
    'Continue only if you know it and expected to go there. Never enter the password you use here on another site.',
  submit: (origin: string | null) => html`Continue to ${origin}`,
  stay: 'Stay here',
  refused:
    'The address to return to (return_to) is not one of this platform or of an application that is registered here, ' +
    'so nothing was done.',
};

/** The pages on which users who forgot their password choose a new one. */
export const recovery = {
  title: 'Choose a new password',
  lead: 'Tell us the address you log in with. We send you a link for choosing a new password.',
  submit: 'Send the link',
  backToLogin: 'Back to the login',
  mailed: (to: string) => html`If <strong>${to}</strong> has an account, a mail is on its way there. Open the link in it
within an hour to choose a new password.`,
  resetLead: 'All browsers that are logged in with the old one will be logged out.',
  askAgain: 'Ask for another link',
};
