import type { KoaContextWithOIDC } from 'oidc-provider';
import { type Page, renderPage } from '../../web/page.ts';

/** Shows a page of the platform from within the provider, which sets its cookies before the answer is sent. */
export function renderPageIn(ctx: KoaContextWithOIDC, page: Page): void {
  const { status, headers, html } = renderPage(page);
  ctx.status = status;
  ctx.set(headers);
  ctx.body = html;
}
