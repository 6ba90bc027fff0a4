import type { MailContent } from './mail-content.ts';

/** A notice to the owner of an account, in case an attacker made the change. */
export function passwordChanged({ recoveryLink }: { recoveryLink: string }): MailContent {
  return {
    subject: 'Your password was changed',
    heading: 'Your password was changed',
    paragraphs: ['The password of your account was changed just now. If that was you, there is nothing to do.'],
    button: { label: 'It was not me: choose a new password', link: recoveryLink },
    unasked: 'If it was not you, choose a new password at once: that logs everybody out of your account.',
  };
}
