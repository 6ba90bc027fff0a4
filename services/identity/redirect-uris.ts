import { z } from 'zod';

const maxLength = 2048;
const maxCount = 50;
const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Addresses to which a browser may be sent back, kept as they are written because they are compared character by
 * character (RFC 9700, 2.1). Checks here need no knowledge of the client.
 */
export const redirectUris = z
  .array(z.string().max(maxLength, `Must be at most ${maxLength} characters.`).superRefine(rejectUnusable))
  .max(maxCount, `Must have at most ${maxCount} addresses.`)
  .transform((uris) => [...new Set(uris)]);

/** Whether an address has a private-use scheme (RFC 8252, 7.1), which only an app on a device can claim. */
export function isPrivateUse(uri: string): boolean {
  const url = URL.parse(uri);
  return url !== null && !isWeb(url) && url.protocol.includes('.');
}

/** The distinct origins of the addresses; omits addresses without one. */
export function originsOf(uris: string[]): string[] {
  const urls = uris.map((uri) => new URL(uri)).filter(isWeb);
  return [...new Set(urls.map(({ origin }) => origin))];
}

function rejectUnusable(uri: string, ctx: z.RefinementCtx): void {
  const problem = problemOf(uri);
  if (problem) ctx.addIssue({ code: 'custom', message: problem });
}

function problemOf(uri: string): string | null {
  // Parsers disagree about spaces and control characters, backslashes, and letters beyond ASCII.
  if (!/^[\x21-\x7e]+$/.test(uri) || /[\\"<>^`{|}]/.test(uri)) return 'Must be ASCII: percent-encode other characters.';
  if (uri.includes('*')) return 'Must be a complete address: wildcards are not supported.';
  if (uri.includes('#')) return 'Must not have a fragment.';
  const url = URL.parse(uri);
  if (!url) return 'Must be an absolute address, such as https://app.example.com/callback.';
  return isWeb(url) ? problemOfWeb(uri, url) : problemOfScheme(url);
}

function problemOfWeb(uri: string, url: URL): string | null {
  // WHATWG reads `https:host` and `https:///host` as `https://host`; others do not.
  if (!/^https?:\/\/[^/]/i.test(uri)) return 'Must be an absolute address, such as https://app.example.com/callback.';
  if (/^https?:\/\/[^/?]*@/i.test(uri)) return 'Must not have a user name or password.';
  if (url.protocol === 'https:' || loopbackHosts.has(url.hostname)) return null;
  return 'Must be https; http is only for localhost, 127.0.0.1 and [::1].';
}

function problemOfScheme({ protocol, username, password }: URL): string | null {
  if (!protocol.includes('.')) return "Must be https, or your app's scheme such as com.example.app:/callback.";
  return username || password ? 'Must not have a user name or password.' : null;
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}
