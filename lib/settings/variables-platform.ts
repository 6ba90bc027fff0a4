import { z } from 'zod';
import { singleLine } from '../contract/input.ts';
import { parseNetwork } from '../net/public-address.ts';
import { count, list, secret } from './setting-schemas.ts';

/** With the other parameters in `password.ts`, the strength that OWASP's password storage cheat sheet requires. */
export const minPasswordCost = 14;

/** The environment variables about accounts. */
export const accountVariables = {
  ADMIN_EMAIL: {
    about: 'Email of the first user, created on an empty database.',
    example: 'admin@example.com',
    schema: z
      .string()
      .regex(/^[^\s@]+@[^\s@]+$/, 'must be an email address')
      .default('admin@localhost'),
  },
  ADMIN_PASSWORD: {
    about: 'Password of the first user. Unset: generated and printed once.',
    example: 'correct horse battery staple',
    schema: secret(8, 256).optional(),
  },
  PASSWORD_COST: {
    about:
      'Cost of scrypt for new passwords, as a power of two; each increment doubles the time and memory of a hash. ' +
      `Below ${minPasswordCost} only for tests.`,
    example: '15',
    schema: count.min(8, 'must be at least 8').max(18, 'must be at most 18').default(minPasswordCost),
  },
  ORGANIZATIONS_PER_USER: {
    about: 'Maximum number of organizations that a user can create; deleted ones do not count.',
    example: '10',
    schema: count.max(100, 'must be at most 100').default(10),
  },
};

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

/** The environment variables that decide what is logged, and how it looks. */
export const logVariables = {
  LOG_LEVEL: {
    about: 'Minimum level that is logged.',
    example: 'info',
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
  },
  ACCESS_LOG_EVERY: {
    about: 'Log one in this many successful requests. Rejected and failed ones are always logged.',
    example: '10',
    schema: z.coerce
      .number('must be a number')
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(100_000, 'must be at most 100000')
      .default(1),
  },
  LOG_FORMAT: {
    about: 'json or text. Unset: text on a terminal and in development, json in production.',
    example: 'json',
    schema: z.enum(['json', 'text']).optional(),
  },
};

/** The environment variables of requests to other servers. */
export const outboundVariables = {
  EGRESS_ALLOW: {
    about:
      'Private networks that URLs of tenants, such as webhooks, may use, separated by commas; ' +
      'also by http and on any port. Unset: none.',
    example: '10.20.0.0/16,127.0.0.1',
    schema: list
      .transform((texts, context) =>
        texts.map((text) => {
          const network = parseNetwork(text);
          if (network) return network;
          context.addIssue({ code: 'custom', message: 'must be a list of networks such as 10.20.0.0/16' });
          return z.NEVER;
        }),
      )
      .default([]),
  },
};
