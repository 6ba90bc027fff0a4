import { z } from 'zod';
import { Secret } from './secret.ts';

/** A port; 0 is any that is free. */
export const port = z.coerce
  .number('must be a whole number')
  .int('must be a whole number')
  .min(0)
  .max(65535, 'must be at most 65535');

/** An http or https URL to which paths are appended, without slashes at its end. */
export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine((url) => !hasMoreThanPath(url), 'must have no user, query or fragment')
  .transform((url) => url.replace(/\/+$/, ''));

/** The address of a site whose paths are all the platform's, as browsers write its origin. */
export const siteUrl = httpUrl
  .refine(isOrigin, 'must have no path: the platform needs a host or port of its own')
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

/** yes or no; no unless it is set. */
export const yesOrNo = z
  .enum(['yes', 'no'], 'must be yes or no')
  .default('no')
  .transform((answer) => answer === 'yes');

/** A text of this length that prints as stars. */
export const secret = (least: number, most: number) =>
  z
    .string()
    .min(least, `must have at least ${least} characters`)
    .max(most, `must have at most ${most} characters`)
    .transform((value) => new Secret(value));

const natsUrl = z.url({ protocol: /^(nats|tls)$/, error: 'must be a nats:// or tls:// URL, or several with commas' });

/** What the servers of one NATS cluster have in common. */
const natsLogin = (url: string): string => {
  const { protocol, username, password } = new URL(url);
  return [protocol, username, password].join(' ');
};

/** NATS URLs separated by commas, as one secret text; all of them have one protocol, user and password. */
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
