import { html } from '../../../../web/html.ts';
import { type PageAnswer, renderPage } from '../../../../web/page.ts';
import { texts } from '../texts.ts';
import type { Checkout } from './checkout-page.ts';

type Ended = { title: string; words: string; status: number; link: string };

/** Shows the page of a checkout that has ended, with its outcome. */
export function renderEndedPage(checkout: Checkout): PageAnswer {
  const { title, words, status, link } = describe(checkout);
  const body = html`<h1>${title}</h1>
<p>${words}</p>
<p><a class="button" href="${link}">${texts().checkout.goOnLink}</a></p>`;
  return renderPage({ title, status, body });
}

function describe({ status, page, title, organizationName, successUrl, cancelUrl }: Checkout): Ended {
  const { paid, confirmed, expired, closed } = texts().checkout.ended;
  if (status === 'expired') return { ...expired, status: 410, link: cancelUrl };
  if (status === 'closed') return { ...closed, status: 410, link: cancelUrl };
  if (page === 'change') return { ...confirmed, status: 200, link: successUrl };
  return { title: paid.title, words: paid.words(organizationName, title), status: 200, link: successUrl };
}
