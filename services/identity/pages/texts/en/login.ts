import { html } from '../../../../../web/html.ts';

/** The login page. */
export const login = {
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
export const recovery = {
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
