import { z } from 'zod';

const message = 'Must be an origin such as https://shop.example.com, or https://*.example.com for all subdomains.';
const wildcardLabel = 'wildcard-label';
/**
 * Stricter than URLs, which allow hosts with a semicolon, for example; it would end the directive that lists the
 * origins.
 */
const plainOrigin = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;
/** The pattern in the API document. */
const pattern = '^https?://(\\*\\.)?([a-z0-9-]+(\\.[a-z0-9-]+)*|\\[[0-9a-f:.]+\\])(:[0-9]{1,5})?$';

/** An origin of pages that may embed the widget. */
export const allowedOrigin = z
  .string()
  .max(300)
  .refine((text) => {
    const isWildcard = /^https?:\/\/\*\./.test(text);
    const plain = isWildcard ? text.replace('*', wildcardLabel) : text;
    const url = URL.parse(plain);
    if (url === null || url.origin !== plain || !plainOrigin.test(plain)) return false;
    // A wildcard for a whole top-level domain is a mistake.
    return !isWildcard || url.hostname.split('.').length >= 3;
  }, message)
  .meta({ pattern });

/** One or more complete host labels: no user name, port, path or empty label. */
const labels = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/;

/** Whether an origin is allowed. A wildcard matches one or more labels, as in `frame-ancestors`. */
export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  return allowed.some((one) => {
    if (!one.includes('*')) return one === origin;
    const [scheme = '', rest = ''] = one.split('*');
    if (!origin.startsWith(scheme) || !origin.endsWith(rest)) return false;
    return labels.test(origin.slice(scheme.length, origin.length - rest.length));
  });
}
