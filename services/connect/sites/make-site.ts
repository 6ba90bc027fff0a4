import { requireActiveOrganization } from '../../../lib/clients/organizations.ts';
import { type LimitsNow, requireRoom } from '../../../lib/clients/plan-limits.ts';
import type { CallContext } from '../../../lib/contract/context.ts';
import { now } from '../../../lib/data/clock.ts';
import { insertIfAbsent } from '../../../lib/data/collection.ts';
import { newId } from '../../../lib/data/ids.ts';
import { type SiteDocument, SiteModel } from '../../../models/connect/site.ts';
import { findFirstSite } from './sites.ts';

export type Choices = Pick<SiteDocument, 'name' | 'allowedOrigins' | 'greeting' | 'colour' | 'logoUrl' | 'enabled'>;

/** A new site has no allowed origins, so its widget cannot be embedded yet. */
export const defaultChoices: Choices = {
  name: 'Website',
  allowedOrigins: [],
  greeting: '',
  colour: '#0b57d0',
  logoUrl: null,
  enabled: true,
};

/**
 * Creates a site, if the plan has room for another.
 *
 * @throws PLAN_LIMIT_EXCEEDED, UNAVAILABLE
 */
export async function makeSite(
  { orgId, id }: { orgId: string; id: string },
  choices: Choices,
  limits: LimitsNow,
): Promise<SiteDocument> {
  for (;;) {
    const sites = await SiteModel.find({ orgId }, { place: 1 }).lean();
    requireRoom(limits, { orgId, name: 'sites', present: sites.length });
    const site = newSite({ orgId, id, place: freePlace(sites.map(({ place }) => place)) }, choices);
    if (await insertIfAbsent<SiteDocument>(SiteModel, site)) return site;
    // Another request took the slot, or an earlier run of this one created the site.
    const same = await SiteModel.findOne({ orgId, _id: id }).lean<SiteDocument>();
    if (same) return same;
  }
}

/**
 * Returns the organization's first site; creates it on first use. Only one of concurrent requests creates it.
 *
 * @throws CREDENTIAL_INVALID the organization was deleted concurrently.
 */
export async function firstSite(ctx: CallContext, orgId: string): Promise<SiteDocument> {
  for (;;) {
    const found = await findFirstSite(orgId);
    if (found) return found;
    const site = newSite({ orgId, id: newId('site'), place: '0' }, defaultChoices);
    if (!(await insertIfAbsent<SiteDocument>(SiteModel, site))) continue;
    await requireActiveOrganization(ctx, orgId, () => SiteModel.deleteOne({ orgId, _id: site._id }));
  }
}

function newSite({ orgId, id, place }: { orgId: string; id: string; place: string }, choices: Choices): SiteDocument {
  const at = now();
  const withoutSecret = { sealedSecret: null, secretOperation: null, secretCreatedAt: null };
  return { _id: id, orgId, place, ...choices, ...withoutSecret, createdAt: at, updatedAt: at };
}

function freePlace(taken: string[]): string {
  const places = new Set(taken);
  let free = 0;
  while (places.has(String(free))) free += 1;
  return String(free);
}
