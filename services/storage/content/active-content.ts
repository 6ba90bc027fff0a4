import { canonicalType, parseType } from './media-type.ts';

/** Canonical types of scripts, browser programs and containers of pages. XML is detected by its suffix. */
const activeTypes = new Set([
  'application/hta',
  'application/signed-exchange',
  'application/wasm',
  'application/x-chrome-extension',
  'application/x-java-applet',
  'application/x-mimearchive',
  'application/x-shockwave-flash',
  'application/x-silverlight-app',
  'application/x-xpinstall',
  'application/xml',
  'application/xml-dtd',
  'message/rfc822',
  'multipart/related',
  'multipart/x-mixed-replace',
  'text/cache-manifest',
  'text/html',
  'text/javascript',
  'text/mathml',
  'text/vbscript',
  'text/x-component',
  'text/xsl',
]);

/**
 * Whether browsers may run content of this type, or render it as a document that runs scripts. Such content is served
 * as an attachment. Every XML type is active, because XML may contain a style sheet or XHTML elements. So is a
 * malformed type.
 *
 * PDF is not active: viewers run its scripts isolated from pages. Serve it without the directive `sandbox` in
 * `Content-Security-Policy`, which disables the viewer of Chromium.
 */
export function isActive(type: string): boolean {
  const parsed = parseType(type);
  if (parsed === null) return true;
  return parsed.endsWith('+xml') || activeTypes.has(canonicalType(parsed));
}

/**
 * Whether a media type matches a list of types such as `image/png` and ranges such as `image/*`, case-insensitively.
 * Aliases of a type are equal, and a range contains the types whose canonical name it matches. An empty list matches
 * nothing.
 */
export function matchesType(type: string, patterns: readonly string[]): boolean {
  const canonicalName = canonicalOf(type);
  if (canonicalName === null) return false;
  return patterns.some((pattern) => {
    const [, range] = /^([^/*]+\/)\*$/.exec(pattern) ?? [];
    return range === undefined ? canonicalOf(pattern) === canonicalName : canonicalName.startsWith(range.toLowerCase());
  });
}

function canonicalOf(type: string): string | null {
  const parsed = parseType(type);
  return parsed && canonicalType(parsed);
}
