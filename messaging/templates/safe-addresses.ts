/** The allowed schemes of links and images in a message; other addresses must be relative. */
const allowedSchemes = new Set(['http', 'https', 'mailto', 'tel', 'sms']);

const attributes =
  'href|src|srcset|action|formaction|background|poster|cite|data|longdesc|lowsrc|dynsrc|manifest|ping|srcdoc';
const addressAttribute = new RegExp(`(\\b(?:xlink:)?(?:${attributes})\\s*=\\s*)("[^"]*"|'[^']*'|[^\\s"'>]+)`, 'gi');
const addressInStyle = /(url\(\s*)("[^"]*"|'[^']*'|&(?:quot|#34|#39|apos);.*?&(?:quot|#34|#39|apos);|[^)]*)/gi;

/** Whether an attribute holds an address that a mail program opens or loads. */
export function isAddressAttribute(name: string): boolean {
  return new RegExp(`^(?:xlink:)?(?:${attributes})$`, 'i').test(name);
}

/**
 * Replaces every address in rendered HTML whose scheme is not allowed, such as `javascript:` or `data:`, with `#`.
 * Covers the whole text, including comments, which some mail programs render.
 */
export function withSafeAddresses(html: string): string {
  const replaceUnsafe = (all: string, before: string, value: string) =>
    areSafe(before, withoutQuotes(value)) ? all : `${before}${quoteOf(value)}#${quoteOf(value)}`;
  return html.replace(addressAttribute, replaceUnsafe).replace(addressInStyle, replaceUnsafe);
}

/** Whether HTML contains an address that {@link withSafeAddresses} would replace. */
export function hasUnsafeAddress(html: string): boolean {
  return withSafeAddresses(html) !== html;
}

function quoteOf(value: string): string {
  return value.startsWith('"') ? '"' : value.startsWith("'") ? "'" : '';
}

function withoutQuotes(value: string): string {
  return value.replace(/^(?:["']|&(?:quot|#34|#39|apos);)|(?:["']|&(?:quot|#34|#39|apos);)$/g, '');
}

/** The attribute `srcset` contains several addresses, each with a size. */
function areSafe(before: string, value: string): boolean {
  const addresses = /^srcset/i.test(before) ? value.split(',') : [value];
  return addresses.every(isSafeAddress);
}

/**
 * Whether an address is relative or of an allowed scheme, as browsers read it: they decode character references, and
 * ignore control characters, spaces before it, and line breaks and tabs in it (URL Standard, section 4.4).
 */
export function isSafeAddress(address: string): boolean {
  const head = decodeReferences(address)
    .replace(/[\p{Cc}\s]/gu, '')
    .split(/[/?#]/, 1)[0];
  if (head === undefined || head === '') return true;
  // A character reference that is not decoded here could be a colon.
  if (/&(?!amp;)[a-z]+;?/i.test(head)) return false;
  const colon = head.indexOf(':');
  return colon < 0 || allowedSchemes.has(head.slice(0, colon).toLowerCase());
}

function decodeReferences(text: string): string {
  return text
    .replace(/&(?:tab|newline|nbsp|zerowidthspace);/gi, '')
    .replace(/&colon;/gi, ':')
    .replace(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));?/gi, (_all, hex?: string, decimal?: string) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : '';
    });
}
