import { z } from 'zod';
import { defineAction } from '../../../lib/action.ts';
import { exampleId } from '../../../lib/examples.ts';
import { exampleSite } from '../sites/sites.ts';
import { requireOpen, visitHeaders } from '../visitors/visit.ts';
import { findFrameSite } from './frame.ts';
import { launcherAppearance, lookOutput } from './look.ts';

const look = { accent: '#0b57d0', onAccent: '#ffffff' };

/**
 * GET /v1/widget/site: the appearance of a site's widget launcher, for a page that may embed it. Pages that may not,
 * and pages of disabled sites, show none.
 */
export const readWidgetSite = defineAction({
  rest: 'GET /v1/widget/site',
  summary: "Read how a site's widget looks",
  permission: 'public',
  input: {
    query: z.strictObject({ tenantId: z.string().max(100), siteId: z.string().max(100).optional() }),
    headers: visitHeaders.pick({ origin: true }),
  },
  output: z.strictObject({ name: z.string(), ...lookOutput }),
  errors: ['NOT_FOUND', 'ORIGIN_REFUSED', 'SITE_DISABLED'],
  // A page that may not embed the widget must be able to read the reason.
  exposure: { cors: 'any' },
  example: {
    headers: { origin: 'https://shop.example.com' },
    query: { tenantId: exampleId('org'), siteId: exampleSite.siteId },
    output: { name: exampleSite.name, light: look, dark: { accent: '#8ab4f8', onAccent: '#0a0d12' } },
  },
  async handler({ query: { tenantId, siteId }, headers: { origin }, ctx }) {
    const site = await findFrameSite(tenantId, siteId);
    requireOpen(ctx, site, origin);
    return { name: site.name, ...launcherAppearance(site) };
  },
});

declare module '../../../lib/calls.ts' {
  interface Calls {
    'connect.widget.read-site': typeof readWidgetSite;
  }
}
