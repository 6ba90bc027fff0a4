import { html } from '../../../../web/html.ts';
import { type PageAnswer, showPage } from '../../../../web/page.ts';
import type { Checkout } from './checkout-page.ts';

type Ended = { title: string; words: string; status: number; link: string };

/** Shows the page of a checkout that has ended, with its outcome. */
export function showEndedPage(checkout: Checkout): PageAnswer {
  const { title, words, status, link } = describe(checkout);
  const body = html`<h1>${title}</h1>
<p>${words}</p>
<p><a class="button" href="${link}">Go on</a></p>`;
  return showPage({ title, status, body });
}

function describe({ status, page, title, organizationName, successUrl, cancelUrl }: Checkout): Ended {
  if (status === 'completed') {
    const words = page === 'change' ? `This change is confirmed.` : `${organizationName} has the plan ${title}.`;
    return { title: page === 'change' ? 'Confirmed' : 'Paid', words, status: 200, link: successUrl };
  }
  if (status === 'expired') {
    const words = 'It took too long, and nothing was paid. Choose the plan again to begin anew.';
    return { title: 'This checkout has expired', words, status: 410, link: cancelUrl };
  }
  const words = 'Another one has taken its place, or it was given up. Nothing was paid with this one.';
  return { title: 'This checkout is closed', words, status: 410, link: cancelUrl };
}
