import type { MailContent } from './mail-content.ts';

/** To an address that a user added to their account: proves that it is theirs. */
export function emailVerification({ link }: { link: string }): MailContent {
  return {
    subject: 'Confirm this email address',
    heading: 'Confirm this email address',
    paragraphs: [
      'This email address was added to an account. To confirm that it is yours, open the link and log in to that account.',
    ],
    button: { label: 'Confirm this address', link },
    unasked: 'If you did not add it, do nothing: without the confirmation it stays unconfirmed.',
  };
}
