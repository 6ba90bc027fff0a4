import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { settings } from '../lib/settings/settings.ts';
import { StartError } from '../lib/settings/start-error.ts';

/** The address of the logo of the platform, which gateways serve. */
export const logoPath = '/self-service/logo';

/** An organization as pages show it to people who may not know it yet. */
export type BrandedOrganization = { name: string; brand: { logoUrl: string | null; color: string | null } };

/** The source of an organization's logo on pages, which load images of the platform's origin only. */
export const logoSource = (logoUrl: string): string => new URL(logoUrl).pathname;

/** The route of the style sheets of organizations' colours, which gateways serve. */
export const accentRoute = '/self-service/accents/:color';

/** The address of the style sheet of a colour. */
export const accentHref = (color: string): string => accentRoute.replace(':color', `${color.slice(1)}.css`);

/** The colour of a style sheet by the last part of its address; null for an address that {@link accentHref} never gives. */
export function accentColorOf(name: string | undefined): string | null {
  const [, digits] = /^([0-9a-f]{6})\.css$/.exec(name ?? '') ?? [];
  return digits === undefined ? null : `#${digits}`;
}

const maxLogoBytes = 200 * 1024;
const types: Record<string, string> = { '.svg': 'image/svg+xml', '.png': 'image/png', '.webp': 'image/webp' };

/** The file of BRAND_LOGO; null without one. Throws a message for operators when it cannot be used. */
export function readLogo(): { bytes: Buffer; type: string } | null {
  const path = settings.BRAND_LOGO;
  if (path === undefined) return null;
  const bytes = read(path);
  if (bytes.length > maxLogoBytes)
    throw new StartError(`BRAND_LOGO is larger than ${maxLogoBytes / 1024} KiB: ${path}.`);
  return { bytes, type: types[extname(path).toLowerCase()] ?? 'application/octet-stream' };
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new StartError(`BRAND_LOGO cannot be read: ${path}.`);
  }
}
