import { digitsOf, type Money, shownAmounts, type Totals, type Worth } from '../../money.ts';

export const months = 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' ');

/** `3. März 2026`, in UTC. */
export function dayOf(at: string): string {
  return `${new Date(at).getUTCDate()}. ${monthOf(at)}`;
}

/** `März 2026`, in UTC. */
export function monthOf(at: string): string {
  const date = new Date(at);
  return `${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** `am 4. Oktober 2026`, `zwischen dem 4. und dem 19. Oktober 2026`: what both days share is said once. */
export function spanOf(from: string, to: string): string {
  const [first, last] = [dayOf(from), dayOf(to)];
  if (first === last) return `am ${first}`;
  const [day = '', month, year] = first.split(' ');
  const [, lastMonth, lastYear] = last.split(' ');
  if (year !== lastYear) return `zwischen dem ${first} und dem ${last}`;
  return `zwischen dem ${month === lastMonth ? day : `${day} ${month}`} und dem ${last}`;
}

/** `5.012`. */
export function numberOf(count: number): string {
  return groupThousands(String(count));
}

/** `1 Bestellung`, `5.012 Bestellungen`. */
export function countOf(count: number, singular: string, plural: string): string {
  return `${numberOf(count)} ${count === 1 ? singular : plural}`;
}

const times =
  'nullmal einmal zweimal dreimal viermal fünfmal sechsmal siebenmal achtmal neunmal zehnmal elfmal zwölfmal';
const timesInWords = times.split(' ');

/** `einmal`, `zwölfmal`, `13-mal`. */
export function timesOf(count: number): string {
  return timesInWords[count] ?? `${numberOf(count)}-mal`;
}

/** `a`, `a und b`, `a, b und c`. Omits empty parts. */
export function listOf(parts: string[]): string {
  const present = parts.filter((part) => part !== '');
  const last = present.at(-1) ?? '';
  return present.length < 2 ? last : `${present.slice(0, -1).join(', ')} und ${last}`;
}

/** The first labels and how many others there are, `weitere` for one of them: `a, b und 3 weitere`. */
export function someOf(labels: string[], hidden: number, oneMore: 'weitere' | 'weiteres'): string {
  const more = `${numberOf(hidden)} ${hidden === 1 ? oneMore : 'weitere'}`;
  return listOf(hidden > 0 && labels.length > 0 ? [...labels, more] : labels);
}

/** Quoted as a text from outside the platform. */
export function quote(text: string): string {
  return `„${text}“`;
}

/** `1.240,50 EUR`, `1.240,50 $` for a sign of several currencies. */
export function moneyOf(money: Money): string {
  const { sign, whole, fraction } = digitsOf(money);
  const number = `${sign}${groupThousands(whole)}${fraction && `,${fraction}`}`;
  // Only one of the yen and the yuan has decimals.
  if (money.currency === '¥') return `${number.replace(/,00$/, '')} ¥`;
  return `${number} ${money.currency || 'in nicht genannter Währung'}`;
}

/** `1.240,50 EUR und 3.000 JPY`; nominative and accusative are the same. `''` when there is nothing to say. */
export function totalsOf(totals: Totals): string {
  const { amounts, hasOthers } = shownAmounts(totals);
  const shown = amounts.map(moneyOf);
  return listOf(hasOthers ? [...shown, 'Beträge in anderen Währungen'] : shown);
}

/** `3 Bestellungen (2 über insgesamt 100,00 EUR und 1 ohne bekannten Betrag)`. */
export function worthOf({ count, known, unknown, total }: Worth, singular: string, plural: string): string {
  const things = countOf(count, singular, plural);
  if (!total) return unknown > 0 ? `${things} ${withoutAmount(count)}` : things;
  if (unknown === 0) return `${things} ${about(count)} ${totalsOf(total)}`;
  return `${things} (${numberOf(known)} ${about(known)} ${totalsOf(total)} und ${numberOf(unknown)} ${withoutAmount(unknown)})`;
}

function about(count: number): string {
  return count === 1 ? 'über' : 'über insgesamt';
}

function withoutAmount(count: number): string {
  return count === 1 ? 'ohne bekannten Betrag' : 'ohne bekannte Beträge';
}

/** ` (Grund: „zu teuer“)`; `''` without one. */
export function reasonOf(reason: string, label = 'Grund'): string {
  return reason && ` (${label}: ${quote(reason)})`;
}

function groupThousands(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, '.');
}
