import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { html } from '../../web/html.ts';
import { showPageIn } from './show-page.ts';

const words: Record<string, string> = {
  invalid_client: 'The application that sent you here is not known to us, or not any more.',
  invalid_redirect_uri: 'The application asked us to send you to an address that is not registered for it.',
  invalid_request: 'The application that sent you here asked in a way that we do not understand, or too long ago.',
  server_error: 'Something failed on our side. Try again in a moment.',
};

/**
 * Shows an error of an authorization whose redirect address is not known to be the application's. A redirect to it
 * would make the platform an open redirector.
 */
export function showError(ctx: KoaContextWithOIDC, { error, error_description: description }: ErrorOut): void {
  const isOurs = error === 'server_error';
  showPageIn(ctx, {
    title: 'That did not work',
    status: ctx.status,
    body: html`<h1>That did not work</h1>
<p>${words[error] ?? 'We cannot do what the application that sent you here asked for.'}</p>
<p>Go back to the application and start again. If it happens again, tell the people who make it.</p>
${!isOurs && html`<p class="hint">For them: <code>${error}</code>${description && html`, ${description}`}</p>`}`,
  });
}
