import { day } from '../lib/data/clock.ts';
import { type Refusal, refuse } from './attempt.ts';
import type { Query } from './define-page.ts';

type Page<T> = { data: T[]; nextCursor: string | null };

/** Reads all pages of a list that the plan bounds. */
export async function readAllPages<T>(
  read: (query: { limit: string; cursor?: string }) => Promise<Page<T>>,
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<T> = await read({ limit: '100', ...(cursor !== null && { cursor }) });
    items.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
}

/** The parameters of a list that have one value each, without empty ones; a repeated parameter is none. */
export function singleValues<N extends string>(query: Query, names: readonly N[]): Partial<Record<N, string>> {
  const entries = names.flatMap((name) => {
    const value = query[name];
    return typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [];
  });
  return Object.fromEntries(entries) as Partial<Record<N, string>>;
}

/** The start of a day such as `2026-11-30` in UTC; null for any other text. */
export function startOfDay(text: string): Date | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  const start = new Date(`${text}T00:00:00.000Z`);
  return Number.isNaN(start.getTime()) ? null : start;
}

/** The days of a filter as they are typed; both are included. */
export type Days = { from?: string | undefined; to?: string | undefined };

/** The refusal of invalid days, with the sentence for each; null if they are valid or empty. */
export function rejectInvalidDays(days: Days, sentence: string): Refusal | null {
  const invalid = (['from', 'to'] as const).filter((name) => days[name] && startOfDay(days[name]) === null);
  return invalid.length === 0 ? null : refuse(Object.fromEntries(invalid.map((name) => [name, sentence])));
}

/** Days as the API has them: instants, of which the last is not included. */
export function instantsOfDays({ from, to }: Days): { from?: string; to?: string } {
  const first = startOfDay(from ?? '');
  const last = startOfDay(to ?? '');
  return {
    ...(first && { from: first.toISOString() }),
    ...(last && { to: new Date(last.getTime() + day).toISOString() }),
  };
}
