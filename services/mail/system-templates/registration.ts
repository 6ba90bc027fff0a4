import type { MailContent } from './mail-content.ts';

/** To a new registration: proves that the address belongs to the user. */
export function registration({ link }: { link: string }): MailContent {
  return {
    subject: 'Confirm your email address',
    heading: 'Welcome',
    paragraphs: ['Please confirm your email address, and your account is ready.', 'The link works for 24 hours.'],
    button: { label: 'Confirm my address', link },
    unasked: 'If you did not register, do nothing: without the confirmation there is no account.',
  };
}
