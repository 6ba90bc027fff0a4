import { type Content, type Html, html } from './html.ts';

export type Column<Row> = {
  heading: string;
  /** The first column names its row, and links to the row's page if there is one. */
  cell: (row: Row) => Content;
  /** Aligns numbers and amounts at the end. */
  isNumber?: boolean;
};

export type Table<Row> = {
  /** Name of the table for screen readers. */
  label: string;
  columns: readonly [Column<Row>, ...Column<Row>[]];
  rows: readonly Row[];
  /** Shown instead of a table without rows. */
  empty: Content;
  /** Link to the next page of rows; null on the last page. */
  next?: { href: string; words: string } | null;
};

/** Renders a table, which scrolls sideways on small screens, with the link to its next page. */
export function renderTable<Row>({ label, columns, rows, empty, next }: Table<Row>): Html {
  if (rows.length === 0) return renderEmpty(empty);
  const [first, ...others] = columns;
  return html`<div class="table" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${columns.map((column) => html`<th scope="col"${alignment(column)}>${column.heading}</th>`)}</tr></thead>
<tbody>${rows.map(
    (row) => html`<tr><th scope="row">${first.cell(row)}</th>
${others.map((column) => html`<td${alignment(column)}>${column.cell(row)}</td>`)}</tr>
`,
  )}</tbody></table></div>
${next && html`<p><a href="${next.href}">${next.words}</a></p>`}`;
}

function alignment({ isNumber }: Pick<Column<never>, 'isNumber'>): Html | undefined | false {
  return isNumber && html` class="number"`;
}

/** Renders the content of an empty list: a sentence, and optionally the next step. */
export function renderEmpty(words: Content): Html {
  return html`<p class="empty">${words}</p>`;
}

export type Filter = {
  /** The address of the list. */
  action: string;
  name: string;
  label: string;
  value: string;
  submit: string;
  /** Text of the link that removes the filter. */
  clear: string;
};

/** Renders a filter above a list: a GET form, so that the URL of the page contains it. */
export function renderFilter({ action, name, label, value, submit, clear }: Filter): Html {
  return html`<form method="get" action="${action}" class="filter" role="search">
<label for="${name}">${label}</label>
<div><input id="${name}" name="${name}" type="search" value="${value}" autocomplete="off" autocapitalize="none" spellcheck="false">
<button class="quiet">${submit}</button>${value !== '' && html` <a href="${action}">${clear}</a>`}</div></form>`;
}

type Example = { invoice: string; date: string; amount: string };

const example: Table<Example> = {
  label: 'Invoices',
  columns: [
    { heading: 'Invoice', cell: ({ invoice }) => html`<a href="/dev/gallery">${invoice}</a>` },
    { heading: 'Date', cell: ({ date }) => date },
    { heading: 'Amount', cell: ({ amount }) => amount, isNumber: true },
  ],
  rows: [
    { invoice: 'P-2026-000002', date: '1 December 2026', amount: 'EUR 49.00' },
    { invoice: 'P-2026-000001', date: '1 November 2026', amount: 'EUR 1,049.00' },
  ],
  empty: 'No invoices yet.',
  next: { href: '/dev/gallery', words: 'Older invoices' },
};

/** How they look, for the gallery. */
export const examples = {
  Table: () => renderTable(example),
  'Table without rows': () => renderTable({ ...example, rows: [] }),
  Filter: () =>
    renderFilter({
      action: '/dev/gallery',
      name: 'to',
      label: 'To',
      value: 'ada@example.com',
      submit: 'Filter',
      clear: 'Show all',
    }),
};
