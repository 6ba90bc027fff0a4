const endMark = '<!-- end -->';

/**
 * The text between `<!-- mark -->` and the next `<!-- end -->` of a page.
 *
 * @throws Error when the page has no such mark.
 */
export function markedText(page: string, mark: string): string {
  const { start, end } = findMarked(page, mark);
  return page.slice(start, end).trim();
}

/** The page with another text between `<!-- mark -->` and the next `<!-- end -->`. */
export function replaceMarked(page: string, mark: string, text: string): string {
  const { start, end } = findMarked(page, mark);
  return `${page.slice(0, start)}\n\n${text}\n\n${page.slice(end)}`;
}

function findMarked(page: string, mark: string): { start: number; end: number } {
  const comment = `<!-- ${mark} -->`;
  const start = page.indexOf(comment);
  const end = page.indexOf(endMark, start);
  if (start === -1 || end === -1) throw new Error(`The page has no mark ${comment} with an end.`);
  return { start: start + comment.length, end };
}

/** A Markdown table with aligned columns. */
export function markdownTable(head: string[], rows: string[][]): string {
  const lines = [head, ...rows].map((cells) => cells.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_name, index) => Math.max(...lines.map((cells) => [...(cells[index] ?? '')].length)));
  const line = (cells: string[]) =>
    `| ${cells.map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - [...cell].length)).join(' | ')} |`;
  const [first = [], ...rest] = lines;
  return [line(first), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rest.map(line)].join('\n');
}

/** The cells of a table that {@link markdownTable} wrote, without its head. */
export function rowsOfTable(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) =>
    line
      .slice(2, -2)
      .split(/(?<!\\) \| /)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
}
