import type { MailContent } from './mail-content.ts';

/** To a user who cannot log in: the link lets them choose a new password. */
export function recovery({ link }: { link: string }): MailContent {
  return {
    subject: 'Choose a new password',
    heading: 'Choose a new password',
    paragraphs: [
      'Someone, probably you, asked for a new password for your account.',
      'The link works once, within one hour. Do not share it: anyone who has it can set your password.',
    ],
    button: { label: 'Choose a new password', link },
    unasked: 'If you did not ask for this, do nothing: your password stays as it is.',
  };
}
