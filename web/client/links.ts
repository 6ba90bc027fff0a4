/** A part of a text: `href` where it is an address to link to. */
export type Part = { text: string; href: string | null };

const address = /\bhttps?:\/\/[^\s<>"'`]+/gi;
const closing: Record<string, string> = { ')': '(', ']': '[', '}': '{' };

/** Splits a plain text at its addresses. Only http and https are linked; punctuation after an address is left out. */
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
    // A name before the host is how addresses pretend to lead elsewhere.
    const isPlain = username === '' && password === '';
    return /^https?:$/.test(protocol) && hostname !== '' && isPlain ? href : null;
  } catch {
    return null;
  }
}
