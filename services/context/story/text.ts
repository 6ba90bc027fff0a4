import { textOfWholeNumber } from '../../../lib/data/exact-json.ts';
import { cutText } from '../../../lib/format/graphemes.ts';
import { isMissingText } from './placeholders.ts';

/** Placeholders that programs write into a field without a value. */
const placeholders = new Set(['null', 'undefined', 'nan', 'none', 'nil', 'n/a', '-', '[object object]']);

/** Bidirectional overrides, zero-width marks, soft hyphens and tags: invisible, and able to disguise a text. */
const invisible = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]|\p{Cs}/gu;

/**
 * One printable line of at most `codePointsMax` code points, cut between characters with an ellipsis; `''` when there
 * is nothing to print. Accepts strings, finite numbers and whole numbers of any length only. The input is cut before it
 * is scanned, so its length costs nothing.
 */
export function cleanText(value: unknown, codePointsMax: number): string {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  if (typeof value !== 'string') return truncate(textOfWholeNumber(value) ?? '', codePointsMax);
  const line = value
    .slice(0, codePointsMax * 8)
    .replace(invisible, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return placeholders.has(line.toLowerCase()) || isMissingText(line) ? '' : truncate(line, codePointsMax);
}

function truncate(line: string, codePointsMax: number): string {
  const codePoints = [...line];
  if (codePoints.length <= codePointsMax) return line;
  const { length } = codePoints.slice(0, codePointsMax - 1).join('');
  return `${cutText(line, length).trimEnd()}…`;
}

/** `wishlist.itemAdded`, `wishlist_item-added` → `wishlist item added`. */
export function humanize(identifier: string): string {
  return snakeCase(identifier).replaceAll('_', ' ').trim();
}

const alreadySnake = /^[a-z\d]+(?:_[a-z\d]+)*$/;

/** `loggedIn`, `Logged-In`, `logged in` → `logged_in`. */
export function snakeCase(identifier: string): string {
  if (alreadySnake.test(identifier)) return identifier;
  return identifier
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[\s._-]+/g, '_')
    .toLowerCase();
}

/** Quoted as a text from outside the platform. */
export function quote(text: string): string {
  return `“${text}”`;
}

/** `5012` → `5,012`. */
export function groupThousands(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `a`, `a and b`, `a, b and c`. Omits empty parts. */
export function joinWithAnd(parts: string[]): string {
  const present = parts.filter((part) => part !== '');
  const last = present.at(-1) ?? '';
  if (present.length < 2) return last;
  return `${present.slice(0, -1).join(', ')} and ${last}`;
}

/** The first `maxShown` labels and the number of the others: `a, b and 3 more`. `''` when no label is printable. */
export function joinSome(labels: string[], total: number, maxShown: number): string {
  const shown = labels.filter((label) => label !== '').slice(0, maxShown);
  if (shown.length === 0) return '';
  const hidden = total - shown.length;
  return joinWithAnd(hidden > 0 ? [...shown, `${groupThousands(String(hidden))} more`] : shown);
}
