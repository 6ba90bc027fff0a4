import type { GatewayResponse } from '../exchange.ts';
import { html } from './html.ts';
import { sendPage } from './page.ts';

/** Sends the page of an expired mailed link (410), with the way to get a new one. */
export function sendLinkExpired(response: GatewayResponse, again: string, href: string): void {
  sendPage(response, {
    title: 'This link has expired',
    status: 410,
    body: html`<h1>This link has expired</h1>
<p>It was used already, it is too old, or it was cut off on its way. Mailed links work once.</p>
<p><a href="${href}">${again}</a></p>`,
  });
}
