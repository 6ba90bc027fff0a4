import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { html } from '../../web/html.ts';
import { renderPageIn } from './show-page.ts';
import { texts } from './texts.ts';

/**
 * Renders the error of an authorization whose redirect address is not verified. A redirect to it would make the
 * platform an open redirector.
 */
export function renderError(ctx: KoaContextWithOIDC, { error, error_description: description }: ErrorOut): void {
  const { title, byCode, other, next, forDevelopers } = texts().errors;
  const known: Record<string, string | undefined> = byCode;
  const isOurs = error === 'server_error';
  renderPageIn(ctx, {
    title,
    status: ctx.status,
    body: html`<h1>${title}</h1>
<p>${known[error] ?? other}</p>
<p>${next}</p>
${!isOurs && html`<p class="hint">${forDevelopers(error, description)}</p>`}`,
  });
}
