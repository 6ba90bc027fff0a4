/** Parses CSV as RFC 4180 defines it: records of cells, which may be quoted and then have any text. */
export function parseCsv(text: string): string[][] {
  const records: string[][] = [];
  let rest = text;
  let record: string[] = [];
  while (rest !== '') {
    const [all, quoted, plain, end] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest) ?? [];
    if (all === undefined) throw new Error(`Not CSV: ${JSON.stringify(rest.slice(0, 200))}`);
    record.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    rest = rest.slice(all.length);
    if (end === ',') continue;
    records.push(record);
    record = [];
  }
  if (record.length > 0) throw new Error('The last record has no end.');
  return records;
}

/** A cell as a spreadsheet shows it: without the apostrophe that marks it as text. */
export const unguarded = (cell: string): string => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);
