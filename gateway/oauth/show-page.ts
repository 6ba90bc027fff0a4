import type { KoaContextWithOIDC } from 'oidc-provider';
import type { GatewayResponse } from '../exchange.ts';
import { type Page, sendPage } from '../pages/page.ts';

/** Shows a page of the platform from within the provider, which sets its cookies before the answer is sent. */
export function showPage(ctx: KoaContextWithOIDC, page: Page): void {
  const response = {
    writeHead(status: number, headers: Record<string, string>) {
      ctx.status = status;
      ctx.set(headers);
    },
    end(text: string) {
      ctx.body = text;
    },
  };
  sendPage(response as unknown as GatewayResponse, page);
}
