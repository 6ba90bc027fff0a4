import { z } from 'zod';
import { settings } from '../lib/settings/settings.ts';
import { logoPath } from './brand.ts';
import { pageCookie } from './browser.ts';
import { language } from './catalogue.ts';
import { type Content, type Html, html } from './html.ts';
import { inboxStyleHref, styleHref } from './style.ts';

export type Page = {
  /** The title, for the browser's tab and history. */
  title: string;
  /** Content of the main landmark; it begins with the only `h1`. */
  body: Html;
  /** Links between related pages. */
  navigation?: Html;
  /** `inbox`: panes side by side across the window, kept up to date by a script. */
  layout?: 'inbox';
  status?: number;
  headers?: Record<string, string>;
  /** Whether the page embeds documents of this origin in frames. */
  hasFrames?: boolean;
  /** Whether the response to a form of the page may redirect to the origin of a client or a payment provider. */
  formsLeave?: boolean;
};

/** Output of `answers: 'html'` as it crosses the broker: a whole document, or a redirect with an empty one. */
export const pageOutput = z.strictObject({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  cookies: z.array(pageCookie),
  html: z.string(),
});

export type PageAnswer = z.output<typeof pageOutput>;

/** Allows only the platform's own styles, images and scripts, no inline scripts and no framing. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const storageOrigin = new URL(settings.STORAGE_URL).origin;

/**
 * Content security policy of a page. A page that a script keeps up to date sends requests to the platform, and files to
 * its storage. Forms submit to the platform only; browsers also apply `form-action` to the redirects after a form, so
 * pages with `formsLeave` do not have it.
 */
function policyOf({ layout, hasFrames = false, formsLeave = false }: Omit<Page, 'body'>): string {
  return [
    contentSecurityPolicy,
    ...(formsLeave ? [] : ["form-action 'self'"]),
    ...(layout === 'inbox' ? [`connect-src 'self' ${storageOrigin}`] : []),
    ...(hasFrames ? ["frame-src 'self'"] : []),
  ].join('; ');
}

/** Renders a page in the common layout. It must not be cached. */
export function renderPage(page: Page): PageAnswer {
  const { status = 200, headers = {} } = page;
  return {
    status,
    headers: {
      ...headers,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policyOf(page),
      'Cache-Control': 'no-store',
      // With `no-referrer` browsers post a form with `Origin: null`, which cannot be checked (Fetch, section 3.2.5).
      'Referrer-Policy': 'same-origin',
    },
    cookies: [],
    html: layOut(page).toString(),
  };
}

/** Redirects the browser with 303: the next request is a GET for any method of this one (RFC 9110 section 15.4.4). */
export function redirectTo(location: string): PageAnswer {
  return { status: 303, headers: { Location: location, 'Cache-Control': 'no-store' }, cookies: [], html: '' };
}

const brand: Content = settings.BRAND_LOGO
  ? html`<img src="${logoPath}" alt="${settings.BRAND_NAME}">`
  : settings.BRAND_NAME;

function layOut({ title, body, navigation, layout }: Omit<Page, 'status' | 'headers' | 'hasFrames'>): Html {
  const kind = layout ?? (navigation && 'account');
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${settings.BRAND_NAME}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${styleHref}">
${layout === 'inbox' && html`<link rel="stylesheet" href="${inboxStyleHref}">`}
</head>
<body>
<header><a class="brand" href="/account">${brand}</a>${navigation}</header>
<main${kind && html` class="${kind}"`}>
${body}
</main>
</body>
</html>
`;
}
