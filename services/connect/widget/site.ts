import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { apiError } from '../../../lib/contract/errors.ts';
import { exampleId } from '../../../lib/contract/examples.ts';
import { settings } from '../../../lib/settings/settings.ts';
import type { SiteDocument } from '../../../models/connect/site.ts';
import { accentOn } from '../../../web/theme.ts';
import { exampleSite, findFirstSite } from '../sites/sites.ts';
import { rememberedSite, requireOpen, visitHeaders } from '../visitors/visit.ts';

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

const accent = z
  .strictObject({
    accent: z.string().describe("The colour of the website, readable on the widget's background."),
    onAccent: z.string().describe('The colour of text on it.'),
  })
  .meta({ id: 'WidgetColours' });

/** The site's colour adjusted for widgets: readable on the background, with a text colour for it. */
export const lookOutput = {
  light: accent.describe('The colours on a light background.'),
  dark: accent.describe('The colours on a dark background.'),
};

/** The backgrounds of the frame: `--sheet` of widget/style/base.css. */
const lightSheet = '#ffffff';
const darkSheet = '#191e25';

export function launcherAppearance({ colour }: Pick<SiteDocument, 'colour'>): z.output<z.ZodObject<typeof lookOutput>> {
  return { light: accentOn(lightSheet, colour), dark: accentOn(darkSheet, colour) };
}

const look = { accent: '#0b57d0', onAccent: '#ffffff' };

/**
 * GET /v1/widget/site: the appearance of a site's widget launcher, for a page that may embed it. Pages that may not,
 * and pages of disabled sites, show none.
 */
export const readWidgetSite = defineAction({
  rest: 'GET /v1/widget/site',
  summary: "Read how a site's widget looks",
  description:
    "Returns the name and the colours of a website's widget. Pages that may not embed it get `ORIGIN_REFUSED`.",
  permission: 'public',
  input: {
    query: z.strictObject({
      tenantId: z.string().max(100),
      siteId: z
        .string()
        .max(100)
        .optional()
        .describe('The id of the website (`site_…`); by default the first one of the organization.'),
    }),
    headers: visitHeaders.pick({ origin: true }),
  },
  output: z.strictObject({ name: z.string(), ...lookOutput }).meta({ id: 'WidgetSite' }),
  errors: ['NOT_FOUND', 'ORIGIN_REFUSED', 'SITE_DISABLED', 'ORGANIZATION_SUSPENDED'],
  // A page that may not embed the widget must be able to read the reason.
  exposure: { cors: 'any' },
  example: {
    headers: { origin: 'https://shop.example.com' },
    query: { tenantId: exampleId('org'), siteId: exampleSite.siteId },
    output: { name: exampleSite.name, light: look, dark: { accent: '#8ab4f8', onAccent: '#0a0d12' } },
  },
  async handler({ query: { tenantId, siteId }, headers: { origin }, ctx }) {
    const site = await findFrameSite(tenantId, siteId);
    await requireOpen(ctx, site, origin);
    return { name: site.name, ...launcherAppearance(site) };
  },
});
