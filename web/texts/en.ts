import { settings } from '../../lib/settings/settings.ts';
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
    tooManyAttempts: (wait: string): string => `Too many attempts. Try again in ${wait}.`,
    noCookie: 'Cookies are required. Allow cookies for this site and try again.',
    openTooLong: 'This page was open for too long. Try again.',
    otherSession: 'You logged in again after you opened this page. Check your changes and try again.',
  },
  dialog: { cancel: 'Cancel' },
  mailboxClosed: {
    title: 'Open the mailbox with its link',
    advice: 'The platform prints the link to this page with its token when it starts. Open it once in this browser.',
  },
  console: {
    navigation: 'Console',
    inbox: 'Inbox',
    websites: 'Websites',
    billing: 'Billing',
    account: 'Your account',
    organization: 'Organization',
  },
  copy: {
    copy: (name: string): string => `Copy ${name}`,
    copied: 'Copied.',
    failed: 'Your browser blocked copying. Select the text and copy it.',
  },
  scopes: {
    known: {
      openid: 'Verify your identity',
      profile: 'View your profile: name, picture, gender, date of birth and addresses',
      email: 'See your email address and contacts',
      offline_access: 'Stay connected when you’re not using it',
      'svc:read': 'Read all data in the services of the organization',
      'svc:write': 'Read and change all data in the services of the organization',
      'svc:admin': 'Full access to the organization, including its administration',
    },
    other: (scope: string): Html => html`Use the permission <code>${scope}</code>`,
  },
  /** The note below prices, by their tax behavior. */
  taxes: { inclusive: 'Prices include all taxes.' },
  errors: {
    /** Texts for users; the messages of the errors are for developers. */
    byCode: {
      RATE_LIMITED: {
        title: 'Too many requests',
        words: 'Too many requests in a short time. Wait a moment, then try again.',
      },
      ORIGIN_REFUSED: {
        title: 'This form came from another site',
        words: `We accept forms from our own pages only. Open ${settings.PUBLIC_URL} and try again.`,
      },
      CONTENT_TYPE_UNSUPPORTED: {
        title: 'Unsupported format',
        words: 'This page accepts its own form only. Go back and try again.',
      },
      METHOD_NOT_ALLOWED: {
        title: 'This page can’t be reloaded',
        words: 'It answered a form. Go back and start again.',
      },
      BODY_TOO_LARGE: { title: 'Too much data', words: 'The form is too large. Shorten your input and try again.' },
      CREDENTIAL_INVALID: {
        title: 'You are logged out',
        words: 'Your session has ended. Log in again to continue.',
      },
      ROUTE_NOT_FOUND: {
        title: 'Page not found',
        words: 'There is no page at this address. Check the address, or go to your account.',
      },
      NOT_FOUND: {
        title: 'Not found',
        words: 'This does not exist, or it was removed. Check the address, or go to your account.',
      },
      INTERNAL: { title: 'Something went wrong', words: 'There is a problem on our side. Try again in a moment.' },
      MAIL_DISABLED: {
        title: 'Email is turned off',
        words:
          'This page is not available because this platform does not send email. Contact the operator of the platform.',
      },
      PAYMENTS_DISABLED: {
        title: 'Payments are turned off',
        words: 'This platform does not accept payments. To change your plan, contact its operator.',
      },
      UNAVAILABLE: {
        title: 'Temporarily unavailable',
        words: 'A part of the platform is not responding. Try again in a moment.',
      },
    },
    otherTitle: 'Something went wrong',
    report: (requestId: string): Html =>
      html`If this keeps happening, contact us with the request ID <code>${requestId}</code>.`,
    toAccount: 'Go to your account',
  },
};
