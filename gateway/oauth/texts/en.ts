import { type Html, html } from '../../../web/html.ts';

type Request = { application: string; organization: string; email: string };

/** The English texts of the pages of OAuth. */
export const en = {
  consent: {
    title: (application: string): string => `Allow ${application}`,
    heading: (application: string): string => `Allow ${application}?`,
    request: ({ application, organization, email }: Request): Html =>
      html`<strong>${application}</strong> of <strong>${organization}</strong> wants to act for you
(${email}). It would be able to:`,
    bounds: (organization: string): Html =>
      html`Within ${organization} it can do what your role there allows, and nothing anywhere else. You can take
this back at any time in <a href="/account">your account</a>.`,
    allow: 'Allow',
    deny: 'Do not allow',
  },
  logout: {
    title: 'Log out',
    heading: 'Log out?',
    askedBy: (application: string): Html => html`<strong>${application}</strong> asks to log you out.`,
    asked: 'You are about to log out.',
    effect: 'You will be logged out of the platform in this browser, and of the applications you use through it.',
    confirm: 'Log out',
    cancel: 'Stay logged in',
  },
  loggedOut: {
    title: 'Logged out',
    heading: 'You are logged out',
    next: html`You can close this window, or <a href="/self-service/login/browser">log in again</a>.`,
  },
  errors: {
    title: 'That did not work',
    byCode: {
      invalid_client: 'The application that sent you here is not known to us, or not any more.',
      invalid_redirect_uri: 'The application asked us to send you to an address that is not registered for it.',
      invalid_request: 'The application that sent you here asked in a way that we do not understand, or too long ago.',
      server_error: 'Something failed on our side. Try again in a moment.',
    },
    other: 'We cannot do what the application that sent you here asked for.',
    next: 'Go back to the application and start again. If it happens again, tell the people who make it.',
    forDevelopers: (code: string, description: string | undefined): Html =>
      html`For them: <code>${code}</code>${description && html`, ${description}`}`,
  },
};
