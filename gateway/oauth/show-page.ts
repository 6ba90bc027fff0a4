import type { KoaContextWithOIDC } from 'oidc-provider';
import { type Page, showPage } from '../../web/page.ts';

/** Shows a page of the platform from within the provider, which sets its cookies before the answer is sent. */
export function showPageIn(ctx: KoaContextWithOIDC, page: Page): void {
  const { status, headers, html } = showPage(page);
  ctx.status = status;
  ctx.set(headers);
  ctx.body = html;
}
