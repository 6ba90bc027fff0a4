import { catalogue } from '../../web/catalogue.ts';
import { type Html, html } from '../../web/html.ts';
import { de } from './texts-de.ts';

type Request = { application: string; organization: string; email: string };

/** The English texts of the pages of OAuth. */
export const en = {
  consent: {
    title: (application: string): string => `Allow ${application}`,
    heading: (application: string): string => `Allow ${application} to access your account?`,
    request: ({ application, organization, email }: Request): Html =>
      html`<strong>${application}</strong> by <strong>${organization}</strong> wants to access your account
(${email}). It will be able to:`,
    bounds: (organization: string): Html =>
      html`In ${organization}, it can only do what your role allows. It has no access to other organizations.`,
    removal: html`You can remove its access at any time in <a href="/account">your account</a>.`,
    allow: 'Allow',
    deny: 'Deny',
  },
  account: {
    title: 'Choose an account',
    heading: 'Choose an account',
    request: ({ application, organization }: Omit<Request, 'email'>): Html =>
      html`to continue to <strong>${application}</strong> by <strong>${organization}</strong>`,
    current: (email: string): string => `Continue as ${email}`,
    other: 'Use another account',
  },
  logout: {
    title: 'Log out',
    heading: 'Log out?',
    askedBy: (application: string): Html => html`<strong>${application}</strong> wants to log you out.`,
    asked: 'You are about to log out.',
    effect: 'This logs you out of the platform in this browser and of the applications you use with it.',
    confirm: 'Log out',
    cancel: 'Stay logged in',
  },
  loggedOut: {
    title: 'Logged out',
    heading: 'You are logged out',
    next: html`You can close this window, or <a href="/self-service/login/browser">log in again</a>.`,
  },
  errors: {
    title: 'Something went wrong',
    byCode: {
      invalid_client: 'The application that sent you here is unknown, or it was removed.',
      invalid_redirect_uri: 'The application asked us to send you to an address that it has not registered.',
      invalid_request: 'The request of the application that sent you here is invalid or has expired.',
      server_error: 'There is a problem on our side. Try again in a moment.',
    },
    other: 'We could not complete the request of the application that sent you here.',
    next: 'Go back to the application and start again. If this keeps happening, contact its developer.',
    forDevelopers: (code: string, description: string | undefined): Html =>
      html`Details for the developer: <code>${code}</code>${description && html`, ${description}`}`,
  },
};

/** The texts of the pages of OAuth: consent, logout and errors. */
export const texts = catalogue({ en, de });
