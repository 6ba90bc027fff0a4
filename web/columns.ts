import type { Query } from './define-page.ts';
import { type Html, html } from './html.ts';
import { renderIcon } from './icons.ts';
import { texts } from './texts.ts';

/** A column of a table, as far as the menu of columns reads it. */
export type HideableColumn = {
  heading: string;
  /** Name in the address, in small letters. A column without one is always shown. */
  key?: string;
  isState?: boolean;
};

/** The columns that the address of a list hides, as the parameter that its links keep: `story.events`, empty for none. */
export type Hidden = Readonly<{ hide: string }>;

export const nothingHidden: Hidden = { hide: '' };

const maxNames = 20;

/** Reads which columns the address hides. Drops malformed names; {@link shownColumns} ignores unknown ones. */
export function hiddenIn({ hide }: Query): Hidden {
  if (typeof hide !== 'string') return nothingHidden;
  const names = hide.split(/[.,]/).filter((name) => /^[a-z]{1,20}$/.test(name));
  return { hide: [...new Set(names)].slice(0, maxNames).join('.') };
}

/** The state is always shown, because a phone shows a table as a list of the first column and the state. */
const isHideable = <C extends HideableColumn>(column: C): column is C & { key: string } =>
  column.key !== undefined && !column.isState;

const isHidden = (column: HideableColumn, { hide }: Hidden): boolean =>
  isHideable(column) && hide.split('.').includes(column.key);

/** The columns without the hidden ones; the first names its row, and is always shown. */
export function shownColumns<C extends HideableColumn>(
  [first, ...others]: readonly [C, ...C[]],
  hidden: Hidden,
): [C, ...C[]] {
  return [first, ...others.filter((column) => !isHidden(column, hidden))];
}

/** The columns of a list and which of them are hidden, for the menu of {@link renderFilters}. */
export type ColumnChoice = {
  columns: readonly [HideableColumn, ...HideableColumn[]];
  hidden: Hidden;
  /** The shown page of the list, which another choice of columns keeps. */
  cursor?: string | undefined;
};

type ColumnMenu = {
  /** Path of the list. */
  action: string;
  choice: ColumnChoice;
  /** The other parameters of the address. */
  kept: Readonly<Record<string, string>>;
  /** Address of the list with all columns. */
  showAll: string;
};

const menuId = 'columns';

/** Renders the button of the menu of columns. */
export function renderColumnsButton({ columns, hidden }: ColumnChoice): Html {
  const t = texts().list.columns;
  const count = columns.length - shownColumns(columns, hidden).length;
  const words = count === 0 ? t.act : t.actWithHidden(count);
  return html`<button class="btn sm at-end desk" type="button" popovertarget="${menuId}">${renderIcon('settings', 'sm')}${words}</button>`;
}

/** Renders the menu: a GET form of boxes, of which {@link addressOfChoice} makes the parameter. */
export function renderColumnsMenu({ action, choice: { columns, hidden }, kept, showAll }: ColumnMenu): Html {
  const t = texts().list.columns;
  const hideable = columns.slice(1).filter(isHideable);
  const isAnyHidden = hideable.some((column) => isHidden(column, hidden));
  const others = Object.entries(kept).filter(([, value]) => value !== '');
  return html`<form method="get" action="${action}" class="menu from-end desk" id="${menuId}" aria-label="${t.act}" popover><p class="cap">${t.shown}</p>
${others.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<input type="hidden" name="columns" value="${hideable.map(({ key }) => key).join('.')}">
${hideable.map((column) => html`<label class="check"><input type="checkbox" name="column" value="${column.key}" autocomplete="off"${!isHidden(column, hidden) && html` checked`}><span>${column.heading}</span></label>`)}
<div class="row"><button class="btn primary sm">${t.apply}</button>${isAnyHidden && html`<a class="btn plain sm" href="${showAll}">${t.all}</a>`}</div>
</form>`;
}

/**
 * The address that names the hidden columns, for a visit by the form of the menu: a browser sends the ticked boxes, which
 * are the shown columns. Null for other visits.
 */
export function addressOfChoice(
  { path, query }: { path: Readonly<Record<string, string>>; query: Query },
  route: string,
): string | null {
  const { columns, column = [], ...others } = query;
  if (typeof columns !== 'string') return null;
  const shown = [column].flat();
  const { hide } = hiddenIn({
    hide: columns
      .split('.')
      .filter((name) => !shown.includes(name))
      .join('.'),
  });
  const kept = Object.entries({ ...others, hide }).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  );
  const place = route.replace(/:(\w+)/g, (_part, name: string) => encodeURIComponent(path[name] ?? ''));
  return kept.length === 0 ? place : `${place}?${new URLSearchParams(kept)}`;
}
