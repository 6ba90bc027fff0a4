const maxLength = 2048;
const printableAscii = /^[\x21-\x7e]+$/;
const encodedLineBreak = /%0[ad]/i;

/**
 * The origin of a `return_to`; null when it is not valid. A valid one is an absolute http or https URL, or a path with
 * one leading slash, whose origin is the platform's. Spellings that browsers and servers parse differently are
 * rejected: backslashes, user names, control characters and spaces, encoded line breaks, a missing or a second slash.
 *
 * @param ownUrl the platform's address
 */
export function originOfReturnTo(url: string, ownUrl: string): string | null {
  if (url.length > maxLength || !printableAscii.test(url)) return null;
  if (url.includes('\\') || encodedLineBreak.test(url)) return null;
  const own = new URL(ownUrl).origin;
  const isPath = /^\/(?!\/)/.test(url);
  if (!isPath && !/^https?:\/\/[^/?#@]+(?:[/?#]|$)/i.test(url)) return null;
  const written = isPath ? own + url : url;
  if (!URL.canParse(written)) return null;
  const parsed = new URL(written);
  // Dot segments can leave two leading slashes, and a browser would resolve such a path to another host.
  return parsed.pathname.startsWith('//') ? null : parsed.origin;
}
