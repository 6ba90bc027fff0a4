/** Formats a table with columns as wide as their longest cell: the head, and a line for each row. */
export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const lines = [head, ...rows];
  const widths = head.map((_name, place) => Math.max(...lines.map((cells) => cells[place]?.length ?? 0)));
  return lines.map((cells) =>
    cells
      .map((cell, place) => cell.padEnd(widths[place] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
