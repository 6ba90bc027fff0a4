import { groupThousands, joinWithAnd } from './text.ts';

/** An amount in the currency's minor unit as a decimal integer string, so that JSON keeps it exact. `''`: not known. */
export type Money = {
  currency: string;
  minor: string;
};

/** Sums by currency, in order of first appearance; `uncounted` amounts came after the list of currencies was full. */
export type Totals = {
  amounts: Money[];
  uncounted: number;
};

const maxCurrencies = 12;
const maxCurrenciesShown = 3;
const maxMajorDigits = 15;

/** ISO 4217: currencies whose minor unit is not a hundredth. */
const exponents = new Map([
  ...['BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF'].map((code) => [code, 0] as const),
  ...['UGX', 'UYI', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'].map((code) => [code, 0] as const),
  ...['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'].map((code) => [code, 3] as const),
  ...['CLF', 'UYW'].map((code) => [code, 4] as const),
]);

export function emptyTotals(): Totals {
  return { amounts: [], uncounted: 0 };
}

/** `'eur'` → `'EUR'`; anything but three letters is not a currency: `''`. */
export function parseCurrency(value: unknown): string {
  return typeof value === 'string' && /^[a-z]{3}$/i.test(value.trim()) ? value.trim().toUpperCase() : '';
}

/**
 * A major-unit amount (`49.9`, `'49.90'`, `'1,299.00'`) in minor units, rounded half away from zero at the currency's
 * exponent; undefined when it is no decimal number. Digits decide, not floating point.
 */
export function parseMinor(value: unknown, currency: string): bigint | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const text = String(value).slice(0, 64).trim();
  const parts = /^(-?)(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d+))?$/.exec(text);
  if (!parts) return undefined;
  const [, sign, grouped = '', fraction = ''] = parts;
  const whole = grouped.replaceAll(',', '');
  if (whole.length > maxMajorDigits) return undefined;
  const exponent = exponentOf(currency);
  const digits = BigInt(whole + fraction.slice(0, exponent).padEnd(exponent, '0'));
  const rounded = Number(fraction[exponent] ?? '0') >= 5 ? digits + 1n : digits;
  return sign ? -rounded : rounded;
}

function exponentOf(currency: string): number {
  return exponents.get(currency) ?? 2;
}

/** The totals with `money` added, or taken away when its amount is negative. */
export function addMoney(totals: Totals, money: Money | null): Totals {
  if (!money) return totals;
  const known = totals.amounts.find((amount) => amount.currency === money.currency);
  if (!known && totals.amounts.length >= maxCurrencies) return { ...totals, uncounted: totals.uncounted + 1 };
  if (!known) return { ...totals, amounts: [...totals.amounts, money] };
  const sum = { currency: known.currency, minor: String(BigInt(known.minor) + BigInt(money.minor)) };
  return { ...totals, amounts: totals.amounts.map((amount) => (amount === known ? sum : amount)) };
}

export function negate(money: Money): Money {
  return { currency: money.currency, minor: String(-BigInt(money.minor)) };
}

export function subtractTotals(totals: Totals, taken: Totals): Totals {
  return taken.amounts.map(negate).reduce(addMoney, totals);
}

/** By currency the larger of the two: for two reports of the same money. */
export function largerTotals(left: Totals, right: Totals): Totals {
  const additions = right.amounts.map((amount) => ({ ...amount, minor: excess(amount, left) }));
  return additions.reduce(addMoney, left);
}

function excess(amount: Money, totals: Totals): string {
  const known = totals.amounts.find(({ currency }) => currency === amount.currency);
  const difference = BigInt(amount.minor) - BigInt(known?.minor ?? '0');
  return String(difference > 0n ? difference : 0n);
}

/** Whether two totals are the same sum in every currency, of amounts that are all known. */
export function isSameSum(left: Totals, right: Totals): boolean {
  const isWhole = left.uncounted === 0 && right.uncounted === 0;
  return isWhole && subtractTotals(left, right).amounts.every(({ minor }) => minor === '0');
}

export function hasMoney(totals: Totals): boolean {
  return totals.amounts.some((amount) => BigInt(amount.minor) > 0n);
}

export function hasDebt(totals: Totals): boolean {
  return totals.amounts.some((amount) => BigInt(amount.minor) < 0n);
}

/** `1,240.50 EUR and 3,000 JPY`; `''` when there is nothing to say. Amounts of zero are left out unless all are. */
export function formatTotals(totals: Totals): string {
  const present = totals.amounts.filter((amount) => amount.minor !== '0');
  const named = present.length > 0 ? present : totals.amounts.slice(0, 1);
  const hidden = named.length - maxCurrenciesShown + totals.uncounted;
  const shown = named.slice(0, maxCurrenciesShown).map(formatMoney);
  return joinWithAnd(hidden > 0 ? [...shown, 'amounts in other currencies'] : shown);
}

/** `1,240.50 EUR`; without a currency `1,240.50 in an unstated currency`. */
export function formatMoney({ currency, minor }: Money): string {
  const exponent = exponentOf(currency);
  const sign = minor.startsWith('-') ? '-' : '';
  const digits = minor.replace('-', '').padStart(exponent + 1, '0');
  const whole = groupThousands(digits.slice(0, digits.length - exponent));
  const fraction = exponent > 0 ? `.${digits.slice(-exponent)}` : '';
  return `${sign}${whole}${fraction} ${currency || 'in an unstated currency'}`;
}
