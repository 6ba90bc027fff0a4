import { z } from 'zod';
import { Secret } from '../security/secret.ts';

/** A port; 0 selects any free port. */
export const port = z.coerce
  .number('must be a whole number')
  .int('must be a whole number')
  .min(0)
  .max(65535, 'must be at most 65535');

/** An http or https URL to which paths are appended, without trailing slashes. */
export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine((url) => !hasMoreThanPath(url), 'must have no user, query or fragment')
  .transform((url) => url.replace(/\/+$/, ''));

/** The origin of a site that is used by the platform only, normalized as browsers write it. */
export const siteUrl = httpUrl
  .refine(isOrigin, 'must have no path: the platform needs its own host or port')
  .transform((url) => new URL(url).origin);

function hasMoreThanPath(url: string): boolean {
  return /[?#]/.test(url) || /^https?:[/\\]*[^/\\]*@/i.test(url);
}

function isOrigin(url: string): boolean {
  return !hasMoreThanPath(url) && URL.parse(url)?.pathname === '/';
}

/** A whole number from 0. */
export const count = z.coerce
  .number('must be a whole number')
  .int('must be a whole number')
  .min(0, 'must not be negative');

/** yes or no; default no. */
export const yesOrNo = z
  .enum(['yes', 'no'], 'must be yes or no')
  .default('no')
  .transform((answer) => answer === 'yes');

/** A secret text with a length between `least` and `most`; it prints as asterisks. */
export const secret = (least: number, most: number) =>
  z
    .string()
    .min(least, `must have at least ${least} characters`)
    .max(most, `must have at most ${most} characters`)
    .transform((value) => new Secret(value));

const natsUrl = z.url({ protocol: /^(nats|tls)$/, error: 'must be a nats:// or tls:// URL, or several with commas' });

/** The parts of a NATS URL that all servers of one cluster share. */
const natsLogin = (url: string): string => {
  const { protocol, username, password } = new URL(url);
  return [protocol, username, password].join(' ');
};

/** NATS URLs separated by commas, as one secret text; all must have the same protocol, user and password. */
export const natsUrls = z
  .string()
  .transform((urls) => urls.split(',').map((url) => url.trim()))
  .pipe(z.array(natsUrl))
  .pipe(
    z
      .array(z.string())
      .refine(
        (urls) => new Set(urls.map(natsLogin)).size === 1,
        'must have the same protocol, user and password in all its URLs',
      ),
  )
  .transform((urls) => new Secret(urls.join(',')));

/** Texts separated by commas. */
export const list = z.string().transform((items) =>
  items
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);

const noOrigin = 'must be a list of origins such as https://app.example.com';
const origin = z.url({ protocol: /^https?$/, error: noOrigin }).refine(isOrigin, noOrigin);

/** Origins of web pages, separated by commas. */
export const origins = list.pipe(z.array(origin.transform((url) => new URL(url).origin)));
