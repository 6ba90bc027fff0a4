import { formatMoney, shownAmounts, type Totals, type Worth } from '../../money.ts';
import { groupThousands, joinWithAnd, quote } from '../../text.ts';

export const months = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** `3 March 2026`, in UTC, with month names that no runtime's locale data can change. */
export function dayOf(at: string): string {
  return `${new Date(at).getUTCDate()} ${monthOf(at)}`;
}

/** `March 2026`, in UTC. */
export function monthOf(at: string): string {
  const date = new Date(at);
  return `${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** `on 4 October 2026`, `between 4 and 19 October 2026`: what both days share is said once. */
export function spanOf(from: string, to: string): string {
  const [first, last] = [dayOf(from), dayOf(to)];
  if (first === last) return `on ${first}`;
  const [day, month, year] = first.split(' ');
  const [, lastMonth, lastYear] = last.split(' ');
  const isSameMonth = month === lastMonth && year === lastYear;
  const start = year === lastYear ? [day, !isSameMonth && month].filter(Boolean).join(' ') : first;
  return `between ${start} and ${last}`;
}

/** `5,012`. */
export function numberOf(count: number): string {
  return groupThousands(String(count));
}

/** `1 order`, `2 orders`, `5,012 orders`. */
export function countOf(count: number, singular: string, plural = `${singular}s`): string {
  return `${numberOf(count)} ${count === 1 ? singular : plural}`;
}

/** `once`, `twice`, `12 times`. */
export function timesOf(count: number): string {
  if (count === 1) return 'once';
  return count === 2 ? 'twice' : `${numberOf(count)} times`;
}

/** The first labels and the number of the others: `a, b and 3 more`; `''` without labels. */
export function someOf(labels: string[], hidden: number): string {
  return joinWithAnd(hidden > 0 && labels.length > 0 ? [...labels, `${numberOf(hidden)} more`] : labels);
}

/** `1,240.50 EUR and 3,000 JPY`; `''` when there is nothing to say. */
export function totalsOf(totals: Totals): string {
  const { amounts, hasOthers } = shownAmounts(totals);
  const shown = amounts.map(formatMoney);
  return joinWithAnd(hasOthers ? [...shown, 'amounts in other currencies'] : shown);
}

/** `3 orders (2 worth 100.00 EUR and 1 order without a known amount)`. */
export function worthOf({ count, known, unknown, total }: Worth, noun: string, verb: 'worth' | 'totalling'): string {
  const things = countOf(count, noun);
  const verbFor = (number: number) => (number === 1 && verb === 'totalling' ? 'of' : verb);
  const lacking = `without ${unknown === 1 ? 'a known amount' : 'known amounts'}`;
  if (!total) return unknown > 0 ? `${things} without ${count === 1 ? 'a known amount' : 'known amounts'}` : things;
  if (unknown === 0) return `${things} ${verbFor(count)} ${totalsOf(total)}`;
  return `${things} (${numberOf(known)} ${verbFor(known)} ${totalsOf(total)} and ${countOf(unknown, noun)} ${lacking})`;
}

/** ` (reason: “too expensive”)`; `''` without one. */
export function reasonOf(reason: string, label = 'reason'): string {
  return reason && ` (${label}: ${quote(reason)})`;
}
