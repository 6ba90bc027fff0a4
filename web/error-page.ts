import type { RenderedError } from '../lib/render-error.ts';
import { settings } from '../lib/settings.ts';
import { type Html, html } from './html.ts';
import { type PageAnswer, showPage } from './page.ts';

/** The texts for people, where the catalogue's message is for developers. */
const wordings: Record<string, { title: string; words: string }> = {
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
  UNAVAILABLE: { title: 'Back in a moment', words: 'A part of the platform does not answer. Try again in a moment.' },
};

/** Shows an error of the catalogue to a person, with the status and headers of the API's answer to the same error. */
export function showErrorPage({ status, headers, body }: RenderedError): PageAnswer {
  const { title, words } = wordings[body.error] ?? { title: 'That did not work', words: body.message };
  const isFailure = status >= 500 && !body.error.endsWith('_DISABLED');
  return showPage({ title, status, headers, body: describe(title, words, isFailure ? body.requestId : null) });
}

function describe(title: string, words: string, requestId: string | null): Html {
  return html`<h1>${title}</h1>
<p>${words}</p>
${requestId !== null && html`<p class="hint">If it happens again, tell us the number <code>${requestId}</code>.</p>`}
<p><a href="/account">Go to your account</a></p>`;
}
