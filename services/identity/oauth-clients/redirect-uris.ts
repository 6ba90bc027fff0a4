import { z } from 'zod';

const maxLength = 2048;
const maxCount = 50;
const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Addresses to which a browser may be sent back, kept as they are written because they are compared character by
 * character (RFC 9700, 2.1). Checks here need no knowledge of the client.
 */
export const redirectUris = z
  .array(z.string().max(maxLength, `Send at most ${maxLength} characters.`).superRefine(refuseUnusable))
  .max(maxCount, `Send at most ${maxCount} addresses.`)
  .transform((uris) => [...new Set(uris)]);

/** Whether an address has a private-use scheme (RFC 8252, 7.1), which only an app on a device can claim. */
export function isPrivateUse(uri: string): boolean {
  const url = URL.parse(uri);
  return url !== null && !isWeb(url) && url.protocol.includes('.');
}

/** The origins of those addresses that have one, each once. */
export function originsOf(uris: string[]): string[] {
  const urls = uris.map((uri) => new URL(uri)).filter(isWeb);
  return [...new Set(urls.map(({ origin }) => origin))];
}

function refuseUnusable(uri: string, ctx: z.RefinementCtx): void {
  const problem = problemOf(uri);
  if (problem) ctx.addIssue({ code: 'custom', message: problem });
}

function problemOf(uri: string): string | null {
  // What parsers disagree about: spaces and control characters, backslashes, letters beyond ASCII.
  if (!/^[\x21-\x7e]+$/.test(uri) || /[\\"<>^`{|}]/.test(uri)) return 'Send an address of ASCII, percent-encoded.';
  if (uri.includes('*')) return 'Send the whole address: there are no wildcards.';
  if (uri.includes('#')) return 'Send an address without a fragment.';
  const url = URL.parse(uri);
  if (!url) return 'Send an absolute address, such as https://app.example.com/callback.';
  return isWeb(url) ? problemOfWeb(uri, url) : problemOfScheme(url);
}

function problemOfWeb(uri: string, url: URL): string | null {
  // WHATWG reads `https:host` and `https:///host` as `https://host`; others do not.
  if (!/^https?:\/\/[^/]/i.test(uri)) return 'Send an absolute address, such as https://app.example.com/callback.';
  if (/^https?:\/\/[^/?]*@/i.test(uri)) return 'Send an address without user name and password.';
  if (url.protocol === 'https:' || loopbackHosts.has(url.hostname)) return null;
  return 'Send https; http is for localhost, 127.0.0.1 and [::1] alone.';
}

function problemOfScheme({ protocol, username, password }: URL): string | null {
  if (!protocol.includes('.')) return 'Send https, or a scheme of your own app such as com.example.app:/callback.';
  return username || password ? 'Send an address without user name and password.' : null;
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}
