import type { ColumnChoice } from './columns.ts';
import { type Chip, renderFilters, type SearchField, withQuery } from './filters.ts';
import type { Html } from './html.ts';
import { type OrganizationVisit, pathOf } from './organization-page.ts';
import { renderTabs } from './states.ts';
import { texts } from './texts.ts';

/** The filters that the logs of an organization share, by their names in the address: what became of it, who, and days. */
export const logFilters = ['who', 'outcome', 'text', 'from', 'to'] as const;

export type LogFiltered = Partial<Record<(typeof logFilters)[number], string>>;

export type LogKey = 'audit' | 'requests' | 'messages';

/** Renders the links to the logs that the member may see. They keep the days, which mean the same in each. */
export function renderLogTabs(
  visit: OrganizationVisit,
  current: LogKey,
  { from = '', to = '' }: LogFiltered = {},
): Html | null {
  const t = texts().console.logs;
  const { seen } = visit.shell;
  const keys: LogKey[] = [
    ...(seen.has('logs') ? (['audit', 'requests'] as const) : []),
    ...(seen.has('messages') ? (['messages'] as const) : []),
  ];
  if (keys.length < 2) return null;
  const tabs = keys.map((key) => [key, withQuery(logPath(visit, key), { from, to }), t[key]] as const);
  return renderTabs(texts().console.areas.logs, tabs, current);
}

/** The path of a log of the organization. */
export function logPath(visit: OrganizationVisit, key: LogKey): string {
  if (key === 'messages') return pathOf(visit, 'messages');
  return pathOf(visit, 'logs', key === 'requests' ? ['requests'] : []);
}

type Labelled = Pick<SearchField, 'label' | 'placeholder' | 'suggestions'>;

type LogFilterFields = {
  path: string;
  values: LogFiltered;
  who: Labelled;
  /** The outcome: one of a few values, or one of many that are typed. */
  outcome: Labelled | Pick<Chip, 'label' | 'options'>;
  text?: Labelled;
  /** Further filters of this log alone. */
  chips?: readonly Chip[];
  columns: ColumnChoice;
};

/** Renders the filters of a log. Each log has them in the same order, so that one knows them all. */
export function renderLogFilters({ path, values, who, outcome, text, chips = [], columns }: LogFilterFields): Html {
  const t = texts().console.logs;
  const field = (name: keyof LogFiltered, parts: Labelled) => ({ name, value: values[name] ?? '', ...parts });
  const isChip = 'options' in outcome;
  return renderFilters({
    action: path,
    search: field('who', who),
    fields: [
      ...(isChip ? [] : [field('outcome', outcome)]),
      ...(text ? [field('text', text)] : []),
      { ...field('from', { label: t.from }), type: 'date' },
      { ...field('to', { label: t.to }), type: 'date' },
    ],
    chips: [...(isChip ? [{ name: 'outcome', value: values.outcome ?? '', ...outcome }] : []), ...chips],
    columns,
  });
}
