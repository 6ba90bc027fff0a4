/**
 * The exclusive upper bound of the texts with a prefix, in code point order, which is equal to the order of UTF-8 bytes.
 * Null if every later text has the prefix. The prefix must be well formed.
 */
export function prefixEnd(prefix: string): string | null {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  const last = points.findLastIndex((point) => point < 0x10ffff);
  if (last === -1) return null;
  return String.fromCodePoint(...points.slice(0, last), nextPoint(points[last] ?? 0));
}

type Start = { $gte: string } | { $gt: string };

/** The condition of the texts with a prefix, as a range of an index; from a later place of it where one is given. */
export function prefixRange(prefix: string, start: Start = { $gte: prefix }): Start & { $lt?: string } {
  const end = prefixEnd(prefix);
  return { ...start, ...(end !== null && { $lt: end }) };
}

/** The next code point, skipping surrogates. */
function nextPoint(point: number): number {
  return point === 0xd7ff ? 0xe000 : point + 1;
}
