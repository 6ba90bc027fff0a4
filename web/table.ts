import { renderPick } from './bulk.ts';
import { type Code, renderCode } from './code.ts';
import { type Hidden, type HideableColumn, nothingHidden, shownColumns } from './columns.ts';
import { type Content, Html, html } from './html.ts';
import { type IconName, renderIcon } from './icons.ts';
import { renderAvatar, renderState } from './states.ts';
import { texts } from './texts.ts';

export type Column<Row> = HideableColumn & {
  /** The first column names its row, and links to the row's page if there is one: {@link renderName}. */
  cell: (row: Row) => Content;
  /** Aligns numbers, amounts and dates at the end. */
  isNumber?: boolean;
  /** Left out on screens below 1024 px. */
  isMinor?: boolean;
  /** Stays on phones, where the table is a list of the first column and this one. */
  isState?: boolean;
  /** Makes the heading a link that sorts by the column; `direction` is set on the sorted one. */
  sort?: { href: string; direction: 'ascending' | 'descending' | null };
};

/** The columns of a table; the first names its row. */
export type Columns<Row> = readonly [Column<Row>, ...Column<Row>[]];

export type Table<Row> = {
  /** Name of the table for screen readers. */
  label: string;
  columns: Columns<Row>;
  /** The columns that the reader has hidden. None by default. */
  hidden?: Hidden;
  rows: readonly Row[];
  /** Shown instead of a table without rows: a sentence, or {@link renderEmpty}. */
  empty: Content;
  pager?: Pager;
  /** `tall`: rows of two lines; `compact`: of a log. */
  height?: 'tall' | 'compact';
  /** Boxes before the rows for bulk actions: the id of a row, null for one without a box, and its name for people. */
  choice?: { idOf: (row: Row) => string | null; nameOf: (row: Row) => string };
};

/** Links to the page after this one, and back to the first. Lists have no page numbers: they are read by cursor. */
export type Pager = {
  next: string | null;
  /** Words of the link to the next page, where they can be better than "Next": "Older invoices". */
  nextWords?: string;
  first?: string | null;
  /** The shown range: "1 to 50". */
  words?: Content;
};

/** Renders a table with the links to its other pages. On phones it is a list where a column is the state. */
export function renderTable<Row>({ label, rows, empty, pager, choice, height, ...table }: Table<Row>): Html {
  if (rows.length === 0)
    return html`${typeof empty === 'string' ? renderEmpty(empty) : empty}${pager?.first && renderPager(pager)}`;
  const columns = shownColumns(table.columns, table.hidden ?? nothingHidden);
  const isList = columns.some(({ isState }) => isState);
  const rendered = html`<table class="table${isList && ' to-list'}${height && ` ${height}`}"><caption class="vh">${label}</caption>
<thead><tr>${choice && html`<td class="w0"></td>`}${columns.map(renderHeading)}</tr></thead>
<tbody>${rows.map((row) => renderRow(row, columns, choice))}</tbody></table>`;
  // A table that cannot become a list scrolls sideways, by keyboard too; the others where large letters leave no room.
  return html`${isList ? html`<div class="fit"><div>${rendered}</div></div>` : html`<div class="scroller" role="region" aria-label="${label}" tabindex="0">${rendered}</div>`}
${pager && renderPager(pager)}`;
}

function renderHeading<Row>(column: Column<Row>): Html {
  const { heading, sort } = column;
  const direction = sort?.direction;
  const arrow = direction && renderIcon('down', 'xs');
  return html`<th scope="col"${classOf(column, false)}${direction && html` aria-sort="${direction}"`}>${sort ? html`<a href="${sort.href}">${heading}${arrow}</a>` : heading}</th>`;
}

function renderRow<Row>(row: Row, [first, ...others]: Table<Row>['columns'], choice: Table<Row>['choice']): Html {
  return html`<tr>${choice && renderBox(row, choice)}<th scope="row" class="c1">${first.cell(row)}</th>
${others.map((column) => html`<td${classOf(column, true)}>${column.cell(row)}</td>`)}</tr>
`;
}

function renderBox<Row>(row: Row, { idOf, nameOf }: NonNullable<Table<Row>['choice']>): Html {
  const id = idOf(row);
  return html`<td class="w0">${id !== null && renderPick(id, nameOf(row))}</td>`;
}

function classOf<Row>({ isNumber, isMinor, isState }: Column<Row>, isCell: boolean): Html | null {
  const names = [isNumber && 'end', isMinor && 'lo', isState && 'c2', isNumber && isCell && 'nowrap'].filter(Boolean);
  return names.length === 0 ? null : html` class="${names.join(' ')}"`;
}

export type Name = {
  href?: string;
  name: Content;
  /** The second line on phones, where only the first column and the state are shown. */
  summary?: Content;
  /** The second line on wider screens, where the rows are `tall`: an id. */
  detail?: Content;
  /** Shown before the name: the initials of a person, or an icon. */
  picture?: Html;
};

/** Renders the first cell of a row. The link covers the whole row. */
export function renderName({ href, name, summary, detail, picture }: Name): Html {
  const words = href === undefined ? html`<b>${name}</b>` : html`<a class="name" href="${href}"><bdi>${name}</bdi></a>`;
  return html`<span class="who">${picture}<span class="clip">${words}${detail && html`<span class="sub desk id clip">${detail}</span>`}${summary && html`<span class="sub phone clip">${summary}</span>`}</span></span>`;
}

export function renderPager({ next, nextWords, first, words }: Pager): Html | null {
  if (next === null && !first && !words) return null;
  const t = texts().list;
  return html`<nav class="pager" aria-label="${t.pages}"><span>${words}</span>
${first && html`<a class="btn sm" href="${first}">${renderIcon('left')}${t.first}</a>`}
${next !== null && html`<a class="btn sm" href="${next}" rel="next">${nextWords ?? t.next}${renderIcon('right')}</a>`}</nav>`;
}

export type Empty = {
  icon?: IconName;
  title?: string;
  /** Names the future content of the list. */
  words: Content;
  /** One act and a link to the documentation. */
  acts?: Content;
  /** A request that works with this organization's values. */
  code?: readonly [Code, ...Code[]];
};

/** Renders the content of an empty list: what will be here, and the way to the first one. */
export function renderEmpty(empty: Empty | Html | string): Html {
  const { icon, title, words, acts, code }: Empty =
    typeof empty === 'string' || empty instanceof Html ? { words: empty } : empty;
  return html`<div class="empty">${icon && html`<span class="pip accent">${renderIcon(icon, 'sm')}</span>`}${title && html`<h2>${title}</h2>`}<p>${words}</p>
${acts && html`<div class="acts">${acts}</div>`}
${code && renderCode(...code)}</div>`;
}

type Example = { invoice: string; date: string; amount: string; isPaid: boolean };

const example: Table<Example> = {
  label: 'Invoices',
  columns: [
    {
      heading: 'Invoice',
      cell: ({ invoice, date }) =>
        renderName({
          href: '/dev/gallery',
          name: invoice,
          summary: date,
          picture: renderAvatar({ name: invoice, id: invoice }),
        }),
    },
    {
      heading: 'Date',
      cell: ({ date }) => date,
      isMinor: true,
      sort: { href: '/dev/gallery', direction: 'descending' },
    },
    {
      heading: 'Status',
      cell: ({ isPaid }) => renderState(isPaid ? 'Paid' : 'Due', isPaid ? 'good' : 'warn'),
      isState: true,
    },
    { heading: 'Amount', cell: ({ amount }) => amount, isNumber: true },
  ],
  rows: [
    { invoice: 'P-2026-000002', date: '1 December 2026', amount: 'EUR 49.00', isPaid: false },
    { invoice: 'P-2026-000001', date: '1 November 2026', amount: 'EUR 1,049.00', isPaid: true },
  ],
  empty: 'No invoices yet.',
  pager: { next: '/dev/gallery', words: '1 to 2' },
  choice: { idOf: ({ invoice }) => invoice, nameOf: ({ invoice }) => invoice },
};

/** How they look, for the gallery. */
export const examples = {
  Table: () => renderTable(example),
  'Table without rows': () =>
    renderTable({
      ...example,
      rows: [],
      empty: renderEmpty({
        icon: 'event',
        title: 'No events yet',
        words: 'Events that your product sends appear here within a second.',
        acts: html`<a class="btn primary" href="/dev/gallery">Create an API key</a>`,
        code: [{ label: 'curl', text: 'curl -sS http://localhost:3000/events' }],
      }),
    }),
};
