import { z } from 'zod';
import type { SiteDocument } from '../../../models/connect/site.ts';
import { accentOn } from '../../../web/theme.ts';

const accent = z.strictObject({ accent: z.string(), onAccent: z.string() });

/** The site's colour adjusted for widgets: readable on the background, with a text colour for it. */
export const lookOutput = { light: accent, dark: accent };

/** The backgrounds of the frame: `--sheet` of widget/style/base.css. */
const lightSheet = '#ffffff';
const darkSheet = '#191e25';

export function launcherAppearance({ colour }: Pick<SiteDocument, 'colour'>): z.output<z.ZodObject<typeof lookOutput>> {
  return { light: accentOn(lightSheet, colour), dark: accentOn(darkSheet, colour) };
}
