import { type SiteDocument, SiteModel } from '../../../models/connect/site.ts';

/** How long a site is cached, in milliseconds: turning it off takes effect within a second. */
const maxAge = 500;
const maxRemembered = 5000;

type Entry = { readAt: number; site: Promise<SiteDocument | null> };

const entries = new Map<string, Entry>();

/**
 * Returns a site for requests of visitors; null if it does not exist. Cached for half a second, so that the checks of
 * many idle streams share a read.
 */
export function rememberedSite(orgId: string, siteId: string): Promise<SiteDocument | null> {
  const cached = entries.get(keyOf(orgId, siteId));
  if (cached && performance.now() - cached.readAt < maxAge) return cached.site;
  return currentSite(orgId, siteId);
}

/** Reads a site without the cache. */
export function currentSite(orgId: string, siteId: string): Promise<SiteDocument | null> {
  const key = keyOf(orgId, siteId);
  const site = SiteModel.findOne({ orgId, _id: siteId }).lean<SiteDocument>().exec();
  entries.delete(key);
  entries.set(key, { readAt: performance.now(), site });
  site.catch(() => entries.delete(key));
  for (const [oldest] of entries) {
    if (entries.size <= maxRemembered) break;
    entries.delete(oldest);
  }
  return site;
}

const keyOf = (orgId: string, siteId: string): string => `${orgId}:${siteId}`;
