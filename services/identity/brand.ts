import { z } from 'zod';
import { settings } from '../../lib/settings/settings.ts';
import type { OrganizationDocument } from '../../models/identity/organization.ts';

/** A colour of a brand, parsed into lower case. */
export const brandColor = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, 'Must be a colour such as #0b57d0.')
  .toLowerCase();

/** The brand of an organization in answers. */
export const brandOutput = z
  .strictObject({
    logoUrl: z
      .string()
      .nullable()
      .describe('The public address of the logo, a PNG. It changes with the image; null without one.'),
    color: z.string().nullable().describe('The colour as `#rrggbb` in lower case; null without one.'),
  })
  .meta({ id: 'Brand' });

export type Brand = z.output<typeof brandOutput>;

/** An organization without a logo and a colour. */
export const noBrand: Brand = { logoUrl: null, color: null };

/** The fields of an organization's document that {@link toBrand} reads. */
export type Branded = Pick<OrganizationDocument, 'slug' | 'suspension' | 'logoId' | 'brandColor'>;
export const brandedFields = { slug: 1, suspension: 1, logoId: 1, brandColor: 1 } as const;

/** The brand of an organization as a field of an answer, where it has one. */
export function toBrandField(organization: Branded): { brand?: Brand } {
  const brand = toBrand(organization);
  return brand.logoUrl === null && brand.color === null ? {} : { brand };
}

/** The brand of an organization. A suspended one has none, because its logo is not served. */
export function toBrand({ slug, suspension, logoId, brandColor: color }: Branded): Brand {
  if (suspension) return noBrand;
  const logoUrl = logoId ? `${settings.PUBLIC_URL}/organizations/${slug}/logo/${logoId}` : null;
  return { logoUrl, color: color ?? null };
}
