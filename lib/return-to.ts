const maxLength = 2048;
const printableAscii = /^[\x21-\x7e]+$/;
const encodedLineBreak = /%0[ad]/i;

/**
 * The origin a browser is sent to by a `return_to`; null when it is none that may be. It is an address of http or https
 * written out, or a path that begins with one slash, which is the platform's own. Refused is every spelling that
 * browsers and servers read in different ways: backslashes, user names, control characters and spaces, encoded line
 * breaks, a missing or a second slash.
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
  // Dots may have moved a second slash to the front: as a path alone that is another host.
  return parsed.pathname.startsWith('//') ? null : parsed.origin;
}
