import { canonicalType, parseType } from './media-type.ts';

/** Canonical types of scripts, programs in browsers, and containers of pages. XML is recognised by its suffix. */
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
 * Whether browsers may run content of this type, or show it as a document that runs scripts: it is served as an
 * attachment. Every XML type is active, because XML may have a style sheet or elements of XHTML. So is a malformed type.
 *
 * PDF is not active: viewers run its scripts apart from pages. Serve it without the directive `sandbox` in
 * `Content-Security-Policy`, which stops the viewer of Chromium.
 */
export function isActive(type: string): boolean {
  const parsed = parseType(type);
  if (parsed === null) return true;
  return parsed.endsWith('+xml') || activeTypes.has(canonicalType(parsed));
}

/**
 * Whether a media type is in a list of types such as `image/png` and of ranges such as `image/*`, in any case. Other
 * names of a type are equal to it, and a range contains the types whose canonical name it matches. An empty list
 * contains nothing.
 */
export function matchesType(type: string, patterns: readonly string[]): boolean {
  const wanted = canonicalOf(type);
  if (wanted === null) return false;
  return patterns.some((pattern) => {
    const [, range] = /^([^/*]+\/)\*$/.exec(pattern) ?? [];
    return range === undefined ? canonicalOf(pattern) === wanted : wanted.startsWith(range.toLowerCase());
  });
}

function canonicalOf(type: string): string | null {
  const parsed = parseType(type);
  return parsed && canonicalType(parsed);
}
