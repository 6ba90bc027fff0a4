import { z } from 'zod';
import { Secret } from './secret.ts';

/** A port; 0 is any that is free. */
export const port = z.coerce
  .number('must be a whole number')
  .int('must be a whole number')
  .min(0)
  .max(65535, 'must be at most 65535');

/** An http or https URL, without slashes at its end. */
export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .transform((url) => url.replace(/\/+$/, ''));

/** A whole number from 0. */
export const count = z.coerce
  .number('must be a whole number')
  .int('must be a whole number')
  .min(0, 'must not be negative');

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

const origin = z.url({ protocol: /^https?$/, error: 'must be a list of origins such as https://app.example.com' });

/** Origins of web pages, separated by commas. */
export const origins = list.pipe(z.array(origin.transform((url) => new URL(url).origin)));
