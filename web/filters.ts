import { type ColumnChoice, renderColumnsButton, renderColumnsMenu } from './columns.ts';
import { type Html, html } from './html.ts';
import { renderIcon } from './icons.ts';
import { texts } from './texts.ts';

/** A filter with a few values: a chip that opens a menu of links. */
export type Chip = {
  name: string;
  label: string;
  value: string;
  options: readonly (readonly [value: string, words: string])[];
};

/** A field that filters by what is typed. */
export type SearchField = {
  name: string;
  label: string;
  value: string;
  placeholder?: string;
  /** Values that the browser proposes while someone types, each with its words. */
  suggestions?: readonly (readonly [value: string, words: string])[];
};

/** A field of a filter; one of a day shows its label before it. */
export type FilterField = SearchField & { type?: 'text' | 'date' };

export type Filters = {
  /** Path of the list. */
  action: string;
  search?: SearchField;
  /** More fields after the search. A button sends them, because Enter does not send several fields. */
  fields?: readonly FilterField[];
  chips?: readonly Chip[];
  /** Other parameters of the list that a new filter keeps, such as the order. */
  kept?: Readonly<Record<string, string>>;
  /** The columns of the list, which a menu at the end hides and shows. */
  columns?: ColumnChoice;
};

/**
 * Renders the filters above a list. The address of the page holds all of them: the search is a GET form, a value of a
 * chip is a link, the hidden columns are a parameter that both keep.
 */
export function renderFilters({ action, search, fields = [], chips = [], columns, ...others }: Filters): Html {
  const t = texts().list;
  const kept = { ...others.kept, ...columns?.hidden };
  const set: Record<string, string> = { ...kept };
  const typed = search ? [search, ...fields] : fields;
  for (const { name, value } of typed) if (value !== '') set[name] = value;
  for (const { name, value } of chips) if (value !== '') set[name] = value;
  const isFiltered = [...typed, ...chips].some(({ value }) => value !== '');
  const hidden = Object.entries(set).filter(
    ([name, value]) => value !== '' && typed.every((field) => field.name !== name),
  );
  const menu = columns && renderMenuOfColumns(action, columns, set);
  if (columns && typed.length === 0 && chips.length === 0) {
    return html`<div class="filters desk">${renderColumnsButton(columns)}</div>${menu}`;
  }
  return html`<form method="get" action="${action}" class="filters" role="search">
${search && renderSearch(search)}
${fields.map(renderField)}
${hidden.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${fields.length > 0 && html`<button class="btn sm">${t.apply}</button>`}
<div class="chips">${chips.map((chip) => renderChip(action, chip, set))}${isFiltered && html`<a class="btn plain sm" href="${withQuery(action, kept)}">${t.clear}</a>`}</div>
${columns && renderColumnsButton(columns)}
</form>
${chips.map((chip) => renderMenu(action, chip, set))}${menu}`;
}

function renderMenuOfColumns(action: string, choice: ColumnChoice, set: Readonly<Record<string, string>>): Html {
  const kept = { ...set, hide: '', cursor: choice.cursor ?? '' };
  return renderColumnsMenu({ action, choice, kept, showAll: withQuery(action, kept) });
}

function renderField({ name, label, value, placeholder = label, type = 'text', suggestions }: FilterField): Html {
  if (type === 'date') {
    return html`<label class="wrap-input day"><span class="pre">${label}</span><input type="date" name="${name}" value="${value}"></label>`;
  }
  return html`<input class="input" name="${name}" value="${value}" aria-label="${label}" placeholder="${placeholder}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="256"${suggestions && html` list="${listOf(name)}"`}>${suggestions && renderSuggestions(name, suggestions)}`;
}

type Suggestions = NonNullable<SearchField['suggestions']>;

const listOf = (name: string): string => `suggestions-${name}`;

function renderSuggestions(name: string, suggestions: Suggestions): Html {
  return html`<datalist id="${listOf(name)}">${suggestions.map(([one, words]) => html`<option value="${one}">${words}</option>`)}</datalist>`;
}

/** Renders the search of a list, which the key `/` focuses. */
export function renderSearch({ name, label, value, placeholder = label, suggestions }: SearchField): Html {
  return html`<div class="wrap-input">${renderIcon('search', 'sm')}<input type="search" name="${name}" value="${value}" aria-label="${label}" placeholder="${placeholder}" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="200"${suggestions && html` list="${listOf(name)}"`}><kbd class="kbd" aria-hidden="true">/</kbd></div>${suggestions && renderSuggestions(name, suggestions)}`;
}

function renderChip(action: string, { name, label, value, options }: Chip, set: Record<string, string>): Html {
  const menu = `filter-${name}`;
  if (value === '') {
    return html`<span class="chip"><button type="button" popovertarget="${menu}">${renderIcon('plus', 'xs')}${label}</button></span>`;
  }
  const words = options.find(([one]) => one === value)?.[1] ?? value;
  const without = withQuery(action, { ...set, [name]: '' });
  return html`<span class="chip on"><button type="button" popovertarget="${menu}">${label} <b>${words}</b></button><a href="${without}" aria-label="${texts().list.remove(label)}">${renderIcon('x', 'xs')}</a></span>`;
}

function renderMenu(action: string, { name, label, value, options }: Chip, set: Record<string, string>): Html {
  return html`<div class="menu" id="filter-${name}" popover><p class="cap">${label}</p>
${options.map(
  ([one, words]) =>
    html`<a href="${withQuery(action, { ...set, [name]: one })}"${one === value && html` aria-current="true"`}>${words}${one === value && html`<span class="post">${renderIcon('check', 'sm')}</span>`}</a>
`,
)}</div>`;
}

/** A path with those parameters that are not empty. */
export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  const parameters = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}

/** How they look, for the gallery. */
export const examples = {
  Filters: () =>
    renderFilters({
      action: '/dev/gallery',
      search: { name: 'search', label: 'Search by id, email or name', value: 'ada@example.com' },
      fields: [
        { name: 'source', label: 'Source', value: '' },
        { name: 'from', label: 'From', value: '2026-11-01', type: 'date' },
      ],
      chips: [
        {
          name: 'role',
          label: 'Role',
          value: 'admin',
          options: [
            ['admin', 'Admin'],
            ['member', 'Member'],
          ],
        },
        { name: 'state', label: 'State', value: '', options: [['active', 'Active']] },
      ],
      columns: {
        columns: [{ heading: 'Name' }, { heading: 'Email', key: 'email' }, { heading: 'Role', key: 'role' }],
        hidden: { hide: 'email' },
      },
    }),
};
