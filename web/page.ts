import { z } from 'zod';
import { settings } from '../lib/settings/settings.ts';
import { accentHref, type BrandedOrganization, logoPath, logoSource } from './brand.ts';
import { pageCookie } from './browser.ts';
import { pageLanguage } from './catalogue.ts';
import { downloadOutput } from './download.ts';
import { type Content, type Html, html } from './html.ts';
import { pageContext } from './page-context.ts';
import { type Crumbs, type Place, renderOtherLanguages, renderShell, type Shell } from './shell.ts';
import { renderShortcuts, type Shortcut } from './shortcuts.ts';
import { docsStyleHref, fontHref, inboxStyleHref, screensStyleHref, styleHref } from './style.ts';
import { texts } from './texts.ts';

export type Page = {
  /** The title, for the browser's tab and history. */
  title: string;
  /** Content of the main landmark; it begins with the only `h1`. */
  body: Html;
  /** The frame of the console and the account. Other pages are a sheet in the middle: log in, consent, errors. */
  frame?: Frame;
  /** On a sheet: a sentence with a link below the form. */
  under?: Content;
  /** On a sheet: the organization that the visitor deals with. Its brand is shown in addition to the platform's. */
  organization?: BrandedOrganization | null | undefined;
  /**
   * `inbox`: panes side by side across the window, kept up to date by a script. `wide`: without a frame, a document as
   * wide as the window allows. `docs`: the documentation, and `front`: the page at the platform's address; the body of
   * both brings its own navigation.
   */
  layout?: 'inbox' | 'wide' | 'docs' | 'front';
  status?: number;
  headers?: Record<string, string>;
  /** Whether the page embeds documents of this origin in frames. */
  hasFrames?: boolean;
  /** Whether a script asks for newer parts of the page: {@link renderFragment}. */
  isLive?: boolean;
  /** Whether the page shows files of the storage, and has forms and scripts that upload to it. */
  usesStorage?: boolean;
  /** Whether the response to a form of the page may redirect to the origin of a client or a payment provider. */
  formsLeave?: boolean;
};

/** The frame of a page, where in it the page is, and the keys that this page adds to the window of all keys. */
export type Frame = { shell: Shell; place: Place; parents?: Crumbs; keys?: readonly Shortcut[] };

/** Output of `answers: 'html'` as it crosses the broker: a whole document; an empty one for a redirect and a download. */
export const pageOutput = z.strictObject({
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  cookies: z.array(pageCookie),
  html: z.string(),
  download: downloadOutput.optional(),
  /** The error of an error page, for the log of failed requests. */
  error: z
    .strictObject({
      error: z.string(),
      message: z.string(),
      details: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
    })
    .optional(),
});

export type PageAnswer = z.output<typeof pageOutput>;

const storageOrigin = new URL(settings.STORAGE_URL).origin;
/** The origins that files are read from. */
const fileOrigins = [...new Set([storageOrigin, new URL(settings.CDN_URL).origin])].join(' ');

/** Allows only the platform's own styles, images and scripts, no inline scripts and no framing. */
const contentSecurityPolicy = (images: string): string[] => [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  `img-src 'self' data:${images}`,
  "font-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

/** The platform's sign before its name, where no logo is set. */
const mark = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><g fill="currentColor"><rect x="4" y="4" width="5.6" height="5.6" rx="1.5"/><rect x="10.75" y="4" width="5.6" height="5.6" rx="1.5"/><rect x="17.5" y="4" width="5.6" height="5.6" rx="1.5"/><rect x="4" y="10.75" width="5.6" height="5.6" rx="1.5"/><rect x="17.5" y="10.75" width="5.6" height="5.6" rx="1.5"/><rect x="4" y="17.5" width="5.6" height="5.6" rx="1.5"/><rect x="10.75" y="17.5" width="5.6" height="5.6" rx="1.5"/><rect x="17.5" y="17.5" width="5.6" height="5.6" rx="1.5"/></g><circle class="core" cx="13.55" cy="13.55" r="2.6"/></svg>`;

/**
 * Content security policy of a page. A page that a script keeps up to date sends requests to the platform, and files to
 * its storage; so does the reference of the endpoints. Forms submit to the platform only; browsers also apply `form-action` to the redirects after a form, so
 * pages with `formsLeave` do not have it.
 */
function policyOf({
  layout,
  frame,
  hasFrames = false,
  isLive = false,
  usesStorage = false,
  formsLeave = false,
}: Omit<Page, 'title' | 'body'>): string {
  const isConnected = layout === 'inbox' || layout === 'docs' || usesStorage;
  return [
    ...contentSecurityPolicy(usesStorage ? ` ${fileOrigins}` : ''),
    ...(formsLeave ? [] : [`form-action 'self'${usesStorage ? ` ${storageOrigin}` : ''}`]),
    ...(isConnected ? [`connect-src 'self' ${storageOrigin}`] : []),
    // The palette of the frame searches.
    ...(!isConnected && (frame || isLive) ? ["connect-src 'self'"] : []),
    ...(usesStorage ? [`media-src ${fileOrigins}`] : []),
    ...(hasFrames ? ["frame-src 'self'"] : []),
  ].join('; ');
}

/** Renders a page in the common layout. It must not be cached. */
export function renderPage(page: Page): PageAnswer {
  return answerWith(page, layOut(page));
}

/** Renders a part of a page for the script that replaces it. */
export function renderFragment(part: Html): PageAnswer {
  return answerWith({}, part);
}

function answerWith(page: Omit<Page, 'title' | 'body'>, content: Html): PageAnswer {
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
    html: content.toString(),
  };
}

/** Redirects the browser with 303: the next request is a GET for any method of this one (RFC 9110 section 15.4.4). */
export function redirectTo(location: string): PageAnswer {
  return { status: 303, headers: { Location: location, 'Cache-Control': 'no-store' }, cookies: [], html: '' };
}

/** The logo of the operator, or the platform's sign and name. */
export const brand: Content = settings.BRAND_LOGO
  ? html`<img src="${logoPath}" alt="${settings.BRAND_NAME}">`
  : html`${mark}${settings.BRAND_NAME}`;

function layOut(page: Omit<Page, 'status' | 'headers' | 'hasFrames' | 'isLive' | 'usesStorage'>): Html {
  const { title, frame, layout, organization } = page;
  const { theme } = pageContext();
  return html`<!doctype html>
<html lang="${pageLanguage()}"${theme && html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${frame ? ownerOf(frame) : settings.BRAND_NAME}</title>
<link rel="icon" href="data:,">
<link rel="preload" href="${fontHref}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${styleHref}">
${(frame || isOpen(layout)) && html`<link rel="stylesheet" href="${screensStyleHref}">`}
${layout === 'inbox' && html`<link rel="stylesheet" href="${inboxStyleHref}">`}
${layout === 'docs' && html`<link rel="stylesheet" href="${docsStyleHref}">`}
${organization?.brand.color && html`<link rel="stylesheet" href="${accentHref(organization.brand.color)}">`}
</head>
${frame ? layOutFrame(page, frame) : isOpen(layout) ? layOutOpen(page) : layOutSheet(page)}
</html>
`;
}

/** The name of the organization whose console shows the page, otherwise of the platform. */
function ownerOf({ shell, place }: Frame): string {
  const organization = 'operator' in place ? null : shell.organization;
  return organization?.name ?? settings.BRAND_NAME;
}

function layOutFrame({ title, body, layout }: Page, { shell, place, parents = [], keys }: Frame): Html {
  const isInbox = layout === 'inbox';
  const main = html`<main class="main${isInbox && ' flush inbox'}" id="main">
${body}
</main>`;
  return html`<body class="app${isInbox && ' fixed'}">
${renderShell(shell, place, title, parents, main)}
${renderShortcuts(keys)}
</body>`;
}

/** Whether the body of a page brings its own navigation. */
const isOpen = (layout: Page['layout']): boolean => layout === 'docs' || layout === 'front';

function layOutOpen({ body, layout }: Page): Html {
  return html`<body class="${layout === 'docs' ? 'app' : 'front'}">
<a class="skip" href="#main">${texts().console.skip}</a>
${body}
</body>`;
}

function layOutSheet({ body, layout, under, organization }: Page): Html {
  return html`<body class="hosted${layout === 'wide' && ' wide'}">
<a class="skip" href="#main">${texts().console.skip}</a>
<header><a class="brandmark" href="/console">${brand}</a></header>
<main id="main">
<div class="sheet"><div class="in">
${organization && renderBranded(organization)}
${body}
</div>${under && html`<p class="under">${under}</p>`}</div>
</main>
${renderOtherLanguages()}
</body>`;
}

/** The brand of an organization, always with its name and the platform's, so that it cannot pass for another site. */
function renderBranded({ name, brand: { logoUrl, color } }: BrandedOrganization): Html | null {
  if (logoUrl === null && color === null) return null;
  return html`<div class="branded">${logoUrl && html`<img src="${logoSource(logoUrl)}" alt="">`}<p><b class="clip"><bdi>${name}</bdi></b><span>${texts().brandedBy(settings.BRAND_NAME)}</span></p></div>`;
}
