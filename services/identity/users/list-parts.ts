import { decodeCursor, type Page, toPage } from '../../../lib/page.ts';

/** One page of parts of a user's document, the oldest first. Ids begin with their time of creation. */
export function listParts<Part, T>(
  parts: Part[],
  idOf: (part: Part) => string,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  show: (part: Part) => T,
): Page<T> {
  const after = decodeCursor(cursor, 1)?.[0] ?? '';
  const rest = parts.filter((part) => idOf(part) > after).sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
  return toPage(rest.slice(0, limit + 1), limit, (part) => [idOf(part)], show);
}
