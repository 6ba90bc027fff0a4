import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { settings } from '../lib/settings/settings.ts';
import { StartError } from '../lib/settings/start-error.ts';

/** The address of the logo, which gateways serve. */
export const logoPath = '/self-service/logo';

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
