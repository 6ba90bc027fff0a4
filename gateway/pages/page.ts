import type { GatewayResponse } from '../exchange.ts';
import { type Html, html } from './html.ts';
import { styleHref } from './style.ts';

export type Page = {
  /** The title, for the browser's tab and history. */
  title: string;
  /** The content of the main landmark; it begins with the only `h1`. */
  body: Html;
  /** Links between pages that belong together. */
  navigation?: Html;
  status?: number;
  headers?: Record<string, string>;
};

/**
 * Only the platform's own styles and images are allowed, no scripts and no framing. There is no
 * `form-action`: browsers apply it to the redirects after a form too, and those lead to the clients' own origins.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Sends a page in the common layout. It must not be cached. */
export function sendPage(response: GatewayResponse, { status = 200, headers = {}, ...page }: Page): void {
  const text = layOut(page).toString();
  response.writeHead(status, {
    ...headers,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Content-Security-Policy': contentSecurityPolicy,
    'Cache-Control': 'no-store',
    // With `no-referrer` browsers post a form with `Origin: null`, which cannot be checked (Fetch, section 3.2.5).
    'Referrer-Policy': 'same-origin',
  });
  response.end(text);
}

/** Redirects the browser with 303: the next request is a GET for any method of this one (RFC 9110 section 15.4.4). */
export function redirect(response: GatewayResponse, location: string): void {
  response.writeHead(303, { Location: location, 'Content-Length': 0, 'Cache-Control': 'no-store' });
  response.end();
}

function layOut({ title, body, navigation }: Page): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Platform</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${styleHref}">
</head>
<body>
<header><a class="brand" href="/account">Platform</a>${navigation}</header>
<main${navigation && html` class="account"`}>
${body}
</main>
</body>
</html>
`;
}
