import { pageLink } from '../../services/billing/checkouts/checkouts.ts';

/** What the link to the page of a checkout says. */
export function linkTo(sessionId: string): { sessionId: string; signature: string } {
  return { sessionId, signature: new URL(pageLink(sessionId)).searchParams.get('signature') ?? '' };
}

/** The path of a page with its query, as a browser asks for it. */
export function pathOf(checkoutUrl: string): string {
  const { pathname, search } = new URL(checkoutUrl);
  return pathname + search;
}
