import { groupThousands } from './text.ts';

/** An amount in the currency's minor unit as a decimal integer string, so that JSON keeps it exact. `''`: not known. */
export type Money = {
  currency: string;
  minor: string;
};

/**
 * Sums by currency, in order of first appearance. `uncounted` amounts came after the list of currencies was full;
 * `unknown` is how many amounts were not stated, or in no notation that can be read.
 */
export type Totals = {
  amounts: Money[];
  uncounted: number;
  unknown: number;
};

const maxCurrencies = 12;
const maxCurrenciesShown = 3;

/** ISO 4217: currencies whose minor unit is not a hundredth. */
const exponents = new Map([
  ...['BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF'].map((code) => [code, 0] as const),
  ...['UGX', 'UYI', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'].map((code) => [code, 0] as const),
  ...['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'].map((code) => [code, 3] as const),
  ...['CLF', 'UYW'].map((code) => [code, 4] as const),
]);

/** ISO 4217: currencies whose minor unit is a hundredth. */
const hundredths = new Set(
  (
    'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP ' +
    'CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR ' +
    'JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN ' +
    'NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP ' +
    'SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD YER ZAR ZMW ZWG'
  ).split(' '),
);

export function emptyTotals(): Totals {
  return { amounts: [], uncounted: 0, unknown: 0 };
}

/** `'eur'` → `'EUR'`; anything but three letters is not a currency: `''`. */
export function parseCurrency(value: unknown): string {
  return typeof value === 'string' && /^[a-z]{3}$/i.test(value.trim()) ? value.trim().toUpperCase() : '';
}

export function isCurrency(code: string): boolean {
  return hundredths.has(code) || exponents.has(code);
}

/** How many digits an amount of the currency has after the decimal point; two for an unknown one. */
export function exponentOf(currency: string): number {
  return exponents.get(currency) ?? 2;
}

/** The totals plus `money`, which may be negative. Null adds an amount that is not known. */
export function addMoney(totals: Totals, money: Money | null): Totals {
  if (!money) return { ...totals, unknown: totals.unknown + 1 };
  const existing = totals.amounts.find((amount) => amount.currency === money.currency);
  if (!existing && totals.amounts.length >= maxCurrencies) return { ...totals, uncounted: totals.uncounted + 1 };
  if (!existing) return { ...totals, amounts: [...totals.amounts, money] };
  const sum = { currency: existing.currency, minor: String(BigInt(existing.minor) + BigInt(money.minor)) };
  return { ...totals, amounts: totals.amounts.map((amount) => (amount === existing ? sum : amount)) };
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
  return additions.reduce(addMoney, { ...left, unknown: Math.max(left.unknown, right.unknown) });
}

function excess(amount: Money, totals: Totals): string {
  const existing = totals.amounts.find(({ currency }) => currency === amount.currency);
  const difference = BigInt(amount.minor) - BigInt(existing?.minor ?? '0');
  return String(difference > 0n ? difference : 0n);
}

/** Whether two totals are the same sum in every currency, of amounts that are all known. */
export function isSameSum(left: Totals, right: Totals): boolean {
  const omitted = [left.uncounted, right.uncounted, left.unknown, right.unknown];
  return (
    omitted.every((count) => count === 0) && subtractTotals(left, right).amounts.every(({ minor }) => minor === '0')
  );
}

export function hasMoney(totals: Totals): boolean {
  return totals.amounts.some((amount) => BigInt(amount.minor) > 0n);
}

export function hasDebt(totals: Totals): boolean {
  return totals.amounts.some((amount) => BigInt(amount.minor) < 0n);
}

/**
 * The amounts of a total that a story states, without amounts of zero unless all are zero; `hasOthers` when there are
 * more.
 */
export function shownAmounts(totals: Totals): { amounts: Money[]; hasOthers: boolean } {
  const present = totals.amounts.filter((amount) => amount.minor !== '0');
  const named = present.length > 0 ? present : totals.amounts.slice(0, 1);
  const hidden = named.length - maxCurrenciesShown + totals.uncounted;
  return { amounts: named.slice(0, maxCurrenciesShown), hasOthers: hidden > 0 };
}

/** The digits of an amount, before and after the decimal point. */
export function digitsOf({ currency, minor }: Money): { sign: string; whole: string; fraction: string } {
  const exponent = exponentOf(currency);
  const digits = minor.replace('-', '').padStart(exponent + 1, '0');
  const point = digits.length - exponent;
  return { sign: minor.startsWith('-') ? '-' : '', whole: digits.slice(0, point), fraction: digits.slice(point) };
}

/**
 * `1,240.50 EUR`, `$1,240.50` for a sign of several currencies; without either `1,240.50 in an unstated currency`. Also
 * states keep amounts in this form.
 */
export function formatMoney(money: Money): string {
  const { currency } = money;
  const { sign, whole, fraction } = digitsOf(money);
  const number = `${groupThousands(whole)}${fraction && `.${fraction}`}`;
  if (currency === '$') return `${sign}$${number}`;
  // Only one of the yen and the yuan has decimals.
  if (currency === '¥') return `${sign}¥${number.replace(/\.00$/, '')}`;
  return `${sign}${number} ${currency || 'in an unstated currency'}`;
}

/** `count` things, how many of them have a known amount, and what those come to: null when that is nothing. */
export type Worth = { count: number; known: number; unknown: number; total: Totals | null };

export function worthOf(count: number, totals: Totals): Worth {
  const { unknown } = totals;
  return { count, known: Math.max(count - unknown, 0), unknown, total: hasMoney(totals) ? totals : null };
}
