import type { MailContent } from './mail-content.ts';

/** To a registration for an address that has an account: only the owner of the address learns that it exists. */
export function registrationExisting(links: { loginLink: string; recoveryLink: string }): MailContent {
  return {
    subject: 'You already have an account',
    heading: 'You already have an account',
    paragraphs: [
      'Someone, probably you, tried to register with this email address. It has an account, so just log in.',
    ],
    button: { label: 'Log in', link: links.loginLink },
    alternative: { label: 'If you do not remember your password, choose a new one:', link: links.recoveryLink },
    unasked: 'If this was not you, do nothing: your account has not changed.',
  };
}
