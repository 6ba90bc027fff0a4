import { z } from 'zod';

/**
 * Reserved words, which cannot be the slug of an organization or application: they are, or may become, paths next to
 * the slugs, or would allow impersonation of the platform.
 */
const reservedWords = new Set([
  'access',
  'account',
  'admin',
  'api',
  'applications',
  'assets',
  'billing',
  'cdn',
  'console',
  'dev',
  'docs',
  'events',
  'health',
  'help',
  'identity',
  'invitations',
  'login',
  'logout',
  'mail',
  'me',
  'metrics',
  'new',
  'oauth2',
  'openapi',
  'organizations',
  'platform',
  'root',
  'security',
  'self-service',
  'settings',
  'status',
  'storage',
  'support',
  'system',
  'v1',
  'widget',
  'www',
]);

/** The format of a slug. */
export const slugPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** The slug of a new organization or application: 1 to 63 of a-z, 0-9 and dashes within, and not a reserved word. */
export const newSlug = z
  .string()
  .regex(slugPattern, 'Must be 1 to 63 lower-case letters, digits and dashes, without a dash at the beginning or end.')
  .refine((slug) => !reservedWords.has(slug), 'This word is reserved; choose another slug.');
