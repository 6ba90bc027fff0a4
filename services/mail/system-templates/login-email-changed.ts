import type { MailContent } from './mail-content.ts';

/** A notice to the previous address of an account, in case an attacker made the change. */
export function loginEmailChanged({ newEmail }: { newEmail: string }): MailContent {
  return {
    subject: 'The email address you log in with was changed',
    heading: 'The email address you log in with was changed',
    paragraphs: [`From now on you log in to your account with ${newEmail}, and no longer with this address.`],
    unasked: 'If it was not you, please tell the people who run this platform at once, for you cannot log in here now.',
  };
}
