import { apiError } from '../../../lib/errors.ts';
import { settings } from '../../../lib/settings.ts';
import type { SiteDocument } from '../../../models/connect/site.ts';
import { findFirstSite } from '../sites/sites.ts';
import { rememberedSite } from '../visitors/site-memory.ts';

/**
 * The policy of the frame's document in addition to `frame-ancestors`: own scripts and styles, and requests to the
 * platform and to its file storage.
 */
const framePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  `connect-src 'self' ${new URL(settings.STORAGE_URL).origin}`,
  "img-src 'self' https: data:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/**
 * Returns the site of a widget's frame, by default the organization's first one.
 *
 * @throws NOT_FOUND, SITE_DISABLED
 */
export async function findFrameSite(tenantId: string, siteId: string | undefined): Promise<SiteDocument> {
  const site = siteId === undefined ? await findFirstSite(tenantId) : await rememberedSite(tenantId, siteId);
  if (!site) throw apiError('NOT_FOUND', { message: 'The site does not exist.' });
  if (!site.enabled) throw apiError('SITE_DISABLED');
  return site;
}

/**
 * The headers of a site's widget frame, for an action that returns `html` with `exposure: { framing: [...] }`, which
 * drops `X-Frame-Options`: only pages of the site's allowed origins may embed it.
 */
export function frameHeaders({ allowedOrigins }: Pick<SiteDocument, 'allowedOrigins'>): Record<string, string> {
  const ancestors = allowedOrigins.length > 0 ? allowedOrigins.join(' ') : "'none'";
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': `${framePolicy}; frame-ancestors ${ancestors}`,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
  };
}
