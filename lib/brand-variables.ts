import { z } from 'zod';
import { singleLine } from './text.ts';

/** The environment variables of the brand that people see on pages and in mails. */
export const brandVariables = {
  BRAND_NAME: {
    about: 'Name of your product on pages and in mails.',
    example: 'Acme',
    schema: singleLine(60).default('Platform'),
  },
  BRAND_LOGO: {
    about: 'Image file that replaces the name on pages: SVG, PNG or WebP, at most 200 KiB; read by gateways.',
    example: './logo.svg',
    schema: z
      .string()
      .regex(/\.(?:svg|png|webp)$/i, 'must be the path of a file that ends in .svg, .png or .webp')
      .optional(),
  },
  BRAND_COLOR: {
    about: 'Colour of buttons and links. Its lightness is adjusted where the contrast would be too low.',
    example: '#0b57d0',
    schema: z
      .string()
      .regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #0b57d0')
      .optional(),
  },
};
