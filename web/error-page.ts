import type { RenderedError } from '../lib/contract/render-error.ts';
import { type Html, html } from './html.ts';
import { type PageAnswer, renderPage } from './page.ts';
import { texts } from './texts.ts';

/** Shows an error of the catalogue to a person, with the status and headers of the API's answer to the same error. */
export function renderErrorPage({ status, headers, body }: RenderedError): PageAnswer {
  const { errors, refusals } = texts();
  const wordsByCode: Record<string, { title: string; words: string } | undefined> = errors.byCode;
  const other = { title: errors.otherTitle, words: refusals.message(body.error, body.message) };
  const { title, words } = wordsByCode[body.error] ?? other;
  const isFailure = status >= 500 && !body.error.endsWith('_DISABLED');
  return renderPage({ title, status, headers, body: describe(title, words, isFailure ? body.requestId : null) });
}

function describe(title: string, words: string, requestId: string | null): Html {
  const { report, toAccount } = texts().errors;
  return html`<h1>${title}</h1>
<p>${words}</p>
${requestId !== null && html`<p class="hint">${report(requestId)}</p>`}
<p><a href="/account">${toAccount}</a></p>`;
}
