/** Begins a cell that a spreadsheet would take for a formula; apostrophes before it are part of the guard of {@link csvCell}. */
const formula = /^'*[=+\-@\t\r]/;
const needsQuotes = /[",\r\n]/;

/** Writes a record of RFC 4180, with its line end. */
export function csvRecord(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

/**
 * Writes a cell: text and numbers as they are, lists and objects as JSON, null and absent values empty. A leading
 * apostrophe makes a spreadsheet show a text that it would compute. Removing one apostrophe before such a text restores
 * it.
 */
export function csvCell(value: unknown): string {
  const text = textOf(value);
  const guarded = formula.test(text) ? `'${text}` : text;
  return needsQuotes.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
