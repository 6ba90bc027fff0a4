import { settings } from '../../lib/settings.ts';
import { type Html, html } from '../html.ts';

/** The English texts that pages of all services share. */
export const en = {
  /** The locale in which `Intl` writes dates. */
  dateLocale: 'en-GB',
  time: {
    inUtc: (time: string): string => `${time} UTC`,
    seconds: (count: number): string => (count === 1 ? 'a second' : `${count} seconds`),
    minutes: (count: number): string => (count === 1 ? 'a minute' : `${count} minutes`),
  },
  forms: {
    /** The title of a page whose form was refused. */
    refusedTitle: (title: string): string => `Error: ${title}`,
    optional: '(optional)',
    checkMarked: (count: number): string =>
      count === 1 ? 'Check the marked field.' : `Check the ${count} marked fields.`,
    tooManyAttempts: (wait: string): string => `There were too many attempts. Try again in ${wait}.`,
    noCookie: 'Your browser did not send our cookie. Allow cookies for this page and try again.',
    openTooLong: 'This page was open for too long. Try again.',
    otherSession: 'You have logged in anew since this page was opened. Look whether all is right, and try again.',
  },
  dialog: { cancel: 'Cancel' },
  copy: {
    copy: (name: string): string => `Copy the ${name}`,
    copied: 'Copied.',
    failed: 'Your browser did not allow it. Select the text and copy it.',
  },
  scopes: {
    known: {
      openid: 'Know that it is you',
      profile: 'See your profile: your name, picture, gender, birth date and addresses',
      email: 'See your email address and, together with your profile, your contacts',
      offline_access: 'Do all this also while you are away, until you take it back',
      'svc:read': 'Read everything in the services of the organization',
      'svc:write': 'Read and change everything in the services of the organization',
      'svc:admin': 'Do everything in the organization, its administration included',
    },
    other: (scope: string): Html => html`Use the permission <code>${scope}</code>`,
  },
  /** What is said below prices, by their tax behavior. */
  taxes: { inclusive: 'Prices include all taxes.' },
  errors: {
    /** For people, where the message of the error is for developers. */
    byCode: {
      RATE_LIMITED: {
        title: 'Too many requests',
        words: 'This went a little too fast for us. Wait a moment, then go back and try again.',
      },
      ORIGIN_REFUSED: {
        title: 'This form came from elsewhere',
        words: `Only a form on our own pages can be sent here. Open ${settings.PUBLIC_URL} and try again from there.`,
      },
      CONTENT_TYPE_UNSUPPORTED: { title: 'We cannot read this', words: 'What was sent is not a form of this page.' },
      BODY_TOO_LARGE: { title: 'This is too large', words: 'What was sent is larger than any form of this page.' },
      CREDENTIAL_INVALID: {
        title: 'You are logged out',
        words: 'Your session has ended meanwhile. Log in again to go on.',
      },
      ROUTE_NOT_FOUND: {
        title: 'Page not found',
        words: 'There is no page at this address. Check it, or go on from your account.',
      },
      NOT_FOUND: { title: 'Not found', words: 'What you are looking for is not here, or not any more.' },
      INTERNAL: { title: 'Something went wrong', words: 'Something failed on our side. Try again in a moment.' },
      MAIL_DISABLED: {
        title: 'Mail is turned off',
        words: 'This platform does not send mail, so this page is not available. Contact the operator of the platform.',
      },
      PAYMENTS_DISABLED: {
        title: 'Payments are turned off',
        words: 'Plans cannot be bought on this platform. Contact its operator to change your plan.',
      },
      UNAVAILABLE: {
        title: 'Back in a moment',
        words: 'A part of the platform does not answer. Try again in a moment.',
      },
    },
    otherTitle: 'That did not work',
    report: (requestId: string): Html => html`If it happens again, tell us the number <code>${requestId}</code>.`,
    toAccount: 'Go to your account',
  },
};
