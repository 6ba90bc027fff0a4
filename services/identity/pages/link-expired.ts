import { html } from '../../../web/html.ts';
import { type PageAnswer, renderPage } from '../../../web/page.ts';
import { texts } from './texts.ts';

/** Shows the page of an expired mailed link (410), with the way to get a new one. */
export function renderLinkExpired(again: string, href: string): PageAnswer {
  const t = texts().linkExpired;
  return renderPage({
    title: t.title,
    status: 410,
    body: html`<h1>${t.title}</h1>
<p>${t.lead}</p>
<p><a href="${href}">${again}</a></p>`,
  });
}
