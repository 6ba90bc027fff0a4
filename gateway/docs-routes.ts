import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ServiceBroker } from 'moleculer';
import type { HttpListener, OwnHandler, Route } from '../http/dispatch.ts';
import { type HttpRequest, type HttpResponse, readCookie } from '../http/request.ts';
import { sendPage } from '../http/send-page.ts';
import { sendShared, sharedDocument } from '../http/shared-document.ts';
import type { PageAnswer } from '../web/page.ts';
import { runInPageContext, themeOf } from '../web/page-context.ts';
import type { Site } from './docs/site.ts';
import { servedOpenApi } from './openapi.ts';

const compress = promisify(gzip);

/** The documentation. Its code, its texts and the packages for them are loaded at the first request. */
export const docsRoutes: Record<string, OwnHandler> = {
  'GET /docs': sendDocs,
  'GET /docs/:page': sendDocs,
  'GET /docs/api/:tag': sendDocs,
};

/** A page as it is stored. Most clients accept the compressed one. */
type Stored = { headers: PageAnswer['headers']; status: number; html: string; gzipped: Promise<Buffer> };

/** The documentation of a list of routes: moleculer-web creates a new list when services start or stop. */
const sites = new WeakMap<Route[], Promise<Site>>();
/** The requested pages of a site, by theme and path. */
const pages = new WeakMap<Site, Map<string, Stored>>();

async function sendDocs(this: HttpListener, request: HttpRequest, response: HttpResponse): Promise<void> {
  const site = await siteOf(this.routes(), this.broker);
  const path = (request.url ?? '').replace(/\?.*$/, '').replace(/\/$/, '');
  const { q } = request.query;
  const page = pageOf(site, path, typeof q === 'string' ? q : '', readCookie(request, 'theme'));
  if (page.status !== 200) return sendPage(response, { ...page, cookies: [] });
  const isCompressed = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  const bytes = isCompressed ? await page.gzipped : Buffer.from(page.html);
  const headers = {
    ...page.headers,
    Vary: 'Accept-Encoding, Cookie',
    ...(isCompressed && { 'Content-Encoding': 'gzip' }),
  };
  await sendShared(
    this.tools.limit,
    request,
    response,
    () => sharedDocument(bytes, 'text/html; charset=utf-8'),
    headers,
  );
}

function siteOf(routes: Route[], broker: ServiceBroker): Promise<Site> {
  const known = sites.get(routes);
  if (known) return known;
  const site = import('./docs/site.ts').then(({ docsSite }) => docsSite(servedOpenApi(broker)));
  sites.set(routes, site);
  site.catch(() => sites.delete(routes));
  return site;
}

/** Renders a page, or takes the stored one. Results of a search are not stored, because their number has no limit. */
function pageOf(site: Site, path: string, query: string, themeCookie: string | undefined): Stored {
  const theme = themeOf(themeCookie);
  const known = pages.get(site) ?? new Map<string, Stored>();
  pages.set(site, known);
  const key = `${theme} ${path}`;
  const found = known.get(key);
  if (found) return found;
  const { status, headers, html } = runInPageContext({ language: 'en', theme }, () => site.page(path, query));
  const page = { status, headers, html, gzipped: compress(html) };
  if (site.has(path)) known.set(key, page);
  return page;
}
