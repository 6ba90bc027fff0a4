/** A type, `/`, a subtype (RFC 6838, section 4.2), and parameters, without control characters. */
export const typePattern =
  /^[ \t]*([A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}\/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126})[ \t]*(?:;[^\p{Cc}]*)?$/u;

/**
 * The media type of a `Content-Type` (RFC 9110, section 8.3.1) in lower case, without parameters; null if malformed.
 */
export function parseType(text: string): string | null {
  return typePattern.exec(text)?.[1]?.toLowerCase() ?? null;
}

/** Aliases of types, which programs and operating systems send as often as the registered names. */
const aliases: Record<string, readonly string[]> = {
  'application/gzip': ['application/x-gzip'],
  'application/json': ['text/json', 'application/x-json'],
  'application/octet-stream': ['binary/octet-stream'],
  'application/pdf': ['application/x-pdf'],
  'application/rtf': ['text/rtf', 'application/x-rtf'],
  'application/vnd.microsoft.portable-executable': [
    'application/x-msdownload',
    'application/x-dosexec',
    'application/x-ms-dos-executable',
  ],
  'application/vnd.rar': ['application/x-rar', 'application/x-rar-compressed'],
  'application/vnd.sqlite3': ['application/x-sqlite3'],
  'application/x-bzip2': ['application/bzip2', 'application/x-bzip'],
  'application/x-ndjson': ['application/ndjson', 'application/jsonl', 'application/x-jsonlines'],
  'application/x-shockwave-flash': ['application/vnd.adobe.flash.movie'],
  'application/xml': ['text/xml'],
  'application/yaml': ['application/x-yaml', 'text/yaml', 'text/x-yaml'],
  'application/zip': ['application/x-zip', 'application/x-zip-compressed'],
  'application/zstd': ['application/x-zstd'],
  'audio/aac': ['audio/aacp', 'audio/x-aac', 'audio/x-hx-aac-adts'],
  'audio/aiff': ['audio/x-aiff'],
  'audio/flac': ['audio/x-flac'],
  'audio/midi': ['audio/mid', 'audio/x-midi'],
  'audio/mp4': ['audio/m4a', 'audio/x-m4a'],
  'audio/mpeg': ['audio/mp3', 'audio/mpeg3', 'audio/x-mp3', 'audio/x-mpeg'],
  'audio/wav': ['audio/vnd.wave', 'audio/wave', 'audio/x-wav'],
  'font/otf': ['application/vnd.ms-opentype', 'application/x-font-otf'],
  'font/ttf': ['application/x-font-truetype', 'application/x-font-ttf'],
  'font/woff': ['application/font-woff', 'application/x-font-woff'],
  'font/woff2': ['application/font-woff2', 'application/x-font-woff2'],
  'image/bmp': ['image/x-bmp', 'image/x-ms-bmp'],
  'image/jpeg': ['image/jpg', 'image/pjpeg'],
  'image/png': ['image/x-png'],
  'image/tiff': ['image/tif'],
  'image/vnd.adobe.photoshop': ['application/x-photoshop', 'image/x-photoshop'],
  'image/vnd.microsoft.icon': ['image/ico', 'image/x-icon'],
  'text/csv': ['application/csv', 'text/comma-separated-values', 'text/x-csv'],
  // RFC 9239, section 6, and the JavaScript types of WHATWG MIME Sniffing, section 4.6.
  'text/javascript': [
    'application/ecmascript',
    'application/javascript',
    'application/x-ecmascript',
    'application/x-javascript',
    'text/ecmascript',
    'text/jscript',
    'text/livescript',
    'text/x-ecmascript',
    'text/x-javascript',
    ...['1.0', '1.1', '1.2', '1.3', '1.4', '1.5'].map((version) => `text/javascript${version}`),
  ],
  'text/markdown': ['text/x-markdown'],
  'video/mp4': ['video/x-m4v'],
  'video/x-matroska': ['video/matroska'],
  'video/x-msvideo': ['video/avi', 'video/msvideo', 'video/vnd.avi'],
};

const canonicalTypes = new Map(
  Object.entries(aliases).flatMap(([type, others]) => others.map((other) => [other, type])),
);

/** The canonical name of a type: `image/jpeg` for `image/jpg`. Expects the result of {@link parseType}. */
export function canonicalType(type: string): string {
  return canonicalTypes.get(type) ?? type;
}

const textualApplicationTypes = new Set([
  'application/graphql',
  'application/hta',
  'application/json',
  'application/sql',
  'application/toml',
  'application/x-httpd-php',
  'application/x-mimearchive',
  'application/x-ndjson',
  'application/x-sh',
  'application/x-subrip',
  'application/x-www-form-urlencoded',
  'application/xml',
  'application/yaml',
]);

/** Whether content of this canonical type is text. */
export function isTextual(type: string): boolean {
  return /^(?:text|message|multipart)\/|\+(?:json|xml|yaml)$/.test(type) || textualApplicationTypes.has(type);
}

/** Whether content of this canonical type is JSON, which never begins like HTML or XML. */
export function isJson(type: string): boolean {
  return type.endsWith('+json') || type === 'application/json' || type === 'application/x-ndjson';
}

const openDocument = 'application/vnd.oasis.opendocument';
const openXml = 'application/vnd.openxmlformats-officedocument';

/** The types that are ZIP archives of certain files, by file extension. */
export const zipTypes: Record<string, string> = {
  apk: 'application/vnd.android.package-archive',
  docx: `${openXml}.wordprocessingml.document`,
  epub: 'application/epub+zip',
  jar: 'application/java-archive',
  odp: `${openDocument}.presentation`,
  ods: `${openDocument}.spreadsheet`,
  odt: `${openDocument}.text`,
  pptx: `${openXml}.presentationml.presentation`,
  xlsx: `${openXml}.spreadsheetml.sheet`,
};

/** The types of Office before 2007, by file extension. */
export const compoundTypes: Record<string, string> = {
  doc: 'application/msword',
  msg: 'application/vnd.ms-outlook',
  msi: 'application/x-msi',
  ppt: 'application/vnd.ms-powerpoint',
  xls: 'application/vnd.ms-excel',
};

/** Excludes SVG: it always begins with identifiable markup. */
const textTypes: Record<string, string> = {
  cjs: 'text/javascript',
  css: 'text/css',
  csv: 'text/csv',
  geojson: 'application/geo+json',
  htm: 'text/html',
  html: 'text/html',
  ics: 'text/calendar',
  js: 'text/javascript',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  log: 'text/plain',
  markdown: 'text/markdown',
  md: 'text/markdown',
  mjs: 'text/javascript',
  ndjson: 'application/x-ndjson',
  srt: 'application/x-subrip',
  toml: 'application/toml',
  tsv: 'text/tab-separated-values',
  txt: 'text/plain',
  vcf: 'text/vcard',
  vtt: 'text/vtt',
  webmanifest: 'application/manifest+json',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
};

const typesByExtension = new Map(Object.entries({ ...zipTypes, ...compoundTypes, ...textTypes }));

/** The extension of a file name in lower case, without the dot; empty if none. */
export function extensionOf(fileName: string | null): string {
  return /\.([^./\\]+)$/.exec(fileName ?? '')?.[1]?.toLowerCase() ?? '';
}

/** The type of a file name's extension if bytes alone cannot show it; otherwise null. */
export function typeByName(fileName: string | null): string | null {
  return typesByExtension.get(extensionOf(fileName)) ?? null;
}

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
