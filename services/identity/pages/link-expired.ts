import { html } from '../../../web/html.ts';
import { type PageAnswer, showPage } from '../../../web/page.ts';

/** Shows the page of an expired mailed link (410), with the way to get a new one. */
export function showLinkExpired(again: string, href: string): PageAnswer {
  return showPage({
    title: 'This link has expired',
    status: 410,
    body: html`<h1>This link has expired</h1>
<p>It was used already, it is too old, or it was cut off on its way. Mailed links work once.</p>
<p><a href="${href}">${again}</a></p>`,
  });
}
