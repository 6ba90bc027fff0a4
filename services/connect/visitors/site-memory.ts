import { type SiteDocument, SiteModel } from '../../../models/connect/site.ts';

/** How long a site is remembered, in milliseconds: its switch takes effect within a second. */
const maxAge = 500;
const maxRemembered = 5000;

type Entry = { readAt: number; site: Promise<SiteDocument | null> };

const entries = new Map<string, Entry>();

/**
 * A site for requests of visitors; null when there is none. Remembered for half a second, so that the checks of many idle
 * streams read it once.
 */
export function rememberedSite(orgId: string, siteId: string): Promise<SiteDocument | null> {
  const known = entries.get(keyOf(orgId, siteId));
  if (known && performance.now() - known.readAt < maxAge) return known.site;
  return currentSite(orgId, siteId);
}

/** The same as it is now. */
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
