/** Longer names are not compared, because the work grows with the square of the length and the client chooses them. */
const maxLength = 64;
const minPartLength = 3;

/** The known name that a mistyped one most likely means: `templateId` for `template`; null when none is near. */
export function nearName(name: string, known: readonly string[]): string | null {
  if (name.length > maxLength) return null;
  const plain = plainOf(name);
  let near: { name: string; distance: number } | null = null;
  for (const one of known) {
    const distance = distanceOf(plain, plainOf(one));
    if (distance !== null && (near === null || distance < near.distance)) near = { name: one, distance };
  }
  return near?.name ?? null;
}

/** The letters of a name, because `template_id` and `TemplateID` mean `templateId`. */
const plainOf = (name: string): string => name.replace(/[_-]/g, '').toLowerCase();

/** The distance of near names; null for others. One that begins or ends with the other is near, after the mistyped. */
function distanceOf(a: string, b: string): number | null {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  const edits = editsBetween(a, b);
  if (edits <= long.length / 3) return edits;
  const isPart = short.length >= minPartLength && (long.startsWith(short) || long.endsWith(short));
  return isPart ? maxLength + edits : null;
}

/** The optimal string alignment distance: letters inserted, deleted, replaced, or swapped with the next. */
function editsBetween(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_none, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(beforePrevious, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforePrevious, previous] = [previous, current];
  }
  return at(previous, b.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;
