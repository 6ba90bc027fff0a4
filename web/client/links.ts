/** Part of a text; `href` is set for a link. */
export type Part = { text: string; href: string | null };

const address = /\bhttps?:\/\/[^\s<>"'`]+/gi;
const closing: Record<string, string> = { ')': '(', ']': '[', '}': '{' };

/** Splits a plain text into text and links. Only http and https URLs are linked; trailing punctuation is excluded. */
export function splitLinks(text: string): Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(address)) {
    const shown = withoutPunctuation(found);
    const href = hrefOf(shown);
    if (href === null) continue;
    if (index > end) parts.push({ text: text.slice(end, index), href: null });
    parts.push({ text: shown, href });
    end = index + shown.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), href: null });
  return parts;
}

function withoutPunctuation(found: string): string {
  let shown = found;
  for (;;) {
    const last = shown.at(-1) ?? '';
    const opening = closing[last];
    const isUnbalanced = opening !== undefined && count(shown, opening) < count(shown, last);
    if (!/[.,;:!?…]/.test(last) && !isUnbalanced) return shown;
    shown = shown.slice(0, -1);
  }
}

const count = (text: string, character: string): number => text.split(character).length - 1;

function hrefOf(text: string): string | null {
  try {
    const { protocol, hostname, username, password, href } = new URL(text);
    // A user name before the host can disguise where a link leads.
    const isPlain = username === '' && password === '';
    return /^https?:$/.test(protocol) && hostname !== '' && isPlain ? href : null;
  } catch {
    return null;
  }
}
