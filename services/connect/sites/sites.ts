import { z } from 'zod';
import { apiError } from '../../../lib/contract/errors.ts';
import { exampleId, exampleInstant } from '../../../lib/contract/examples.ts';
import { optionalLines, pathId, singleLine, timestamp } from '../../../lib/contract/input.ts';
import { type SiteDocument, SiteModel } from '../../../models/connect/site.ts';
import { allowedOrigin } from './origins.ts';

/** Accepts any text in the path: an unknown site is 404, never 400. */
export const sitePath = z.strictObject({ siteId: pathId('site') });

const maxOrigins = 50;

/** The settings of a site. */
export const siteChoices = {
  name: singleLine(100),
  allowedOrigins: z
    .array(allowedOrigin)
    .max(maxOrigins, `Must have at most ${maxOrigins} origins.`)
    .transform((origins) => [...new Set(origins)]),
  greeting: optionalLines(500),
  colour: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'Must be a colour such as #0b57d0.')
    .transform((text) => text.toLowerCase()),
  logoUrl: z
    .url({ protocol: /^https$/, error: 'Must be an https URL, or null for none.' })
    .max(1000)
    .nullable(),
  enabled: z.boolean(),
};

/** A site in API responses. `hasSecret`: whether identities can be signed. */
export const siteOutput = z
  .strictObject({
    siteId: z.string(),
    name: z.string(),
    allowedOrigins: z.array(z.string()),
    greeting: z.string(),
    colour: z.string(),
    logoUrl: z.string().nullable(),
    enabled: z.boolean(),
    hasSecret: z.boolean().describe('Whether there is a secret that signs identities.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Site' });

export const exampleSite = {
  siteId: exampleId('site'),
  name: 'Acme Bikes',
  allowedOrigins: ['https://shop.example.com'],
  greeting: 'Hello! How can we help?',
  colour: '#0b57d0',
  logoUrl: null,
  enabled: true,
  hasSecret: true,
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
} satisfies z.input<typeof siteOutput>;

export function toSiteResponse(site: SiteDocument): z.output<typeof siteOutput> {
  const { _id: siteId, name, allowedOrigins, greeting, colour, logoUrl, enabled, sealedSecret } = site;
  return {
    siteId,
    name,
    allowedOrigins: [...allowedOrigins],
    greeting,
    colour,
    logoUrl,
    enabled,
    hasSecret: sealedSecret !== null,
    createdAt: site.createdAt.toISOString(),
    updatedAt: site.updatedAt.toISOString(),
  };
}

/** Reads a site of the organization; throws NOT_FOUND, also for another organization's. */
export async function findSite(orgId: string, siteId: string): Promise<SiteDocument> {
  const site = await SiteModel.findOne({ orgId, _id: siteId }).lean<SiteDocument>();
  if (!site) throw apiError('NOT_FOUND', { message: 'No site has this id.' });
  return site;
}

/** Finds the organization's oldest site; null if it has none. */
export function findFirstSite(orgId: string): Promise<SiteDocument | null> {
  return SiteModel.findOne({ orgId }).sort({ _id: 1 }).lean<SiteDocument>().exec();
}
