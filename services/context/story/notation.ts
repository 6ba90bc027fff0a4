import { exponentOf, isCurrency, type Money } from './money.ts';

const maxMajorDigits = 15;

/** Currency signs and the names people write for a currency, in lower case. */
const signs = new Map([
  ...pairs('€ EUR', '£ GBP', '₹ INR', '₩ KRW', '₽ RUB', '₺ TRY', '₪ ILS', '₴ UAH', '₫ VND', '฿ THB', '₦ NGN', '₱ PHP'),
  ...pairs('us$ USD', 'a$ AUD', 'au$ AUD', 'c$ CAD', 'ca$ CAD', 'nz$ NZD', 'hk$ HKD', 's$ SGD', 'mx$ MXN', 'r$ BRL'),
  ...pairs('zł PLN', 'kč CZK', 'ft HUF', 'lei RON', 'руб RUB', 'лв BGN', '円 JPY', '元 CNY', '원 KRW', 'rp IDR'),
]);

/** Signs of several currencies: the event's own currency decides, and without one the sign itself is kept. */
const sharedSigns = new Map([
  ['$', 'USD AUD CAD NZD HKD SGD TWD MXN ARS CLP COP UYU BBD BSD BZD FJD JMD LRD NAD SBD SRD TTD XCD'],
  ['¥', 'JPY CNY'],
  ['kr', 'SEK NOK DKK ISK'],
]);

const foreignDigits = /[٠-٩۰-۹०-९]/g;
const notation =
  /^([(+-]?)(?:([^\d\s.,'()+-]+)\.? ?)?([+-]?) ?(\d(?:[\d.,' ]*\d)?)(?: ?([^\d\s.,'()+-]+)\.?)?([)-]?)$/u;
const exactMinor = /^-?\d{1,18}$/;

type Parts = { isNegative: boolean; currency: string; hasSign: boolean; digits: string };

/**
 * An amount in major units, as programs and people write it: `49.9`, `'$1,299.00'`, `'1.234,50'`, `'1 234,50 €'`, `"CHF
 * 1'299.–"`, `'(20.00)'`. Rounded half away from zero at the currency's exponent; digits decide, not floating point.
 * Undefined when it is not an amount, has two meanings (`'1.234'`) or names another currency than `stated`.
 *
 * @param stated the currency the event names, `''` for none.
 */
export function parseAmount(value: unknown, stated: string): Money | undefined {
  const parts = typeof value === 'number' ? partsOfNumber(value, stated) : partsOfText(value, stated);
  if (!parts) return undefined;
  const { isNegative, currency, hasSign, digits } = parts;
  const decimal = toDecimal(digits, exponentOf(currency), hasSign);
  const minor = decimal && toMinor(decimal, exponentOf(currency));
  if (minor === undefined) return undefined;
  return { currency, minor: String(isNegative ? -minor : minor) };
}

/** A whole number of a currency's smallest unit, as billing APIs write it. Undefined without a currency. */
export function parseMinorUnits(value: unknown, currency: string, exponent = exponentOf(currency)): Money | undefined {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  if (!exactMinor.test(text) || !isCurrency(currency)) return undefined;
  const shift = exponentOf(currency) - exponent;
  const minor = BigInt(text);
  return { currency, minor: String(shift >= 0 ? minor * 10n ** BigInt(shift) : minor / 10n ** BigInt(-shift)) };
}

function partsOfNumber(value: number, currency: string): Parts | undefined {
  const text = String(value);
  const isPlain = /^-?\d+(\.\d+)?$/.test(text);
  // The dot of a number never groups thousands: trailing zeros tell `toDecimal` so.
  const digits = text.replace('-', '');
  const padded = digits.includes('.') ? `${digits}0000` : digits;
  return isPlain ? { isNegative: value < 0, currency, hasSign: false, digits: padded } : undefined;
}

function partsOfText(value: unknown, stated: string): Parts | undefined {
  if (typeof value !== 'string' || value.length > 64) return undefined;
  const matched = notation.exec(normalize(value));
  if (!matched) return undefined;
  const [, opening = '', prefix = '', inner = '', digits = '', suffix = '', closing = ''] = matched;
  if ((opening === '(') !== (closing === ')')) return undefined;
  const currency = currencyOf([prefix, suffix].filter(Boolean), stated);
  if (currency === undefined) return undefined;
  const isNegative = [opening, inner, closing].some((mark) => mark === '-' || mark === '(');
  return { isNegative, currency, hasSign: prefix !== '' || suffix !== '', digits: digits.replaceAll(' ', "'") };
}

/** One kind of blank, apostrophe, minus and digit. A price such as `12,–` has no decimals. */
function normalize(value: string): string {
  return value
    .normalize('NFKC')
    .replace(foreignDigits, (digit) => digitOf(digit.codePointAt(0) ?? 0))
    .replaceAll('٫', '.')
    .replaceAll('٬', ',')
    .replace(/[’ʼ`´]/g, "'")
    .replace(/[−–—]/g, '-')
    .replace(/(\d)[.,]-{1,2}(?=\D*$)/, '$1')
    .replace(/\s+/gu, ' ')
    .trim();
}

/** Arabic, Persian and Devanagari digits. */
function digitOf(codePoint: number): string {
  return String(codePoint - [0x966, 0x6f0, 0x660].reduce((zero, next) => (zero <= codePoint ? zero : next), 0x966));
}

/** The currency on which the marks next to an amount and the event agree; undefined when they do not. */
function currencyOf(marks: string[], stated: string): string | undefined {
  const shared = marks.map((mark) => mark.toLowerCase()).find((mark) => sharedSigns.has(mark));
  const telling = marks.filter((mark) => !sharedSigns.has(mark.toLowerCase()));
  const named = new Set(telling.map((mark) => signs.get(mark.toLowerCase()) ?? codeOf(mark)));
  if (stated) named.add(stated);
  const [only = ''] = named;
  if (named.size > 1 || named.has('')) return undefined;
  if (!shared || !only) return only || shared || '';
  return sharedSigns.get(shared)?.split(' ').includes(only) ? only : undefined;
}

function codeOf(mark: string): string {
  const code = mark.toUpperCase();
  return isCurrency(code) ? code : '';
}

/** `1.234,50` → `1234.50`; undefined for separators that fit no notation, or two. */
function toDecimal(digits: string, exponent: number, hasSign: boolean): string | undefined {
  if (/^\d+$/.test(digits)) return digits;
  const lastSeparator = /[.,](?=\d*$)/.exec(digits);
  if (!lastSeparator) return ungroup(digits);
  const [separator] = lastSeparator;
  const whole = digits.slice(0, lastSeparator.index);
  const fraction = digits.slice(lastSeparator.index + 1);
  if (whole.includes(separator)) return ungroup(digits);
  const isPlain = /^\d+$/.test(whole);
  const couldBeGroup = isPlain && /^[1-9]\d{0,2}$/.test(whole) && fraction.length === 3;
  if (!couldBeGroup) return decimalOf(ungroup(whole), fraction);
  if (exponent === 3) return separator === '.' ? decimalOf(whole, fraction) : undefined;
  const isGroup = separator === ',' || exponent === 0 || hasSign;
  return isGroup ? whole + fraction : undefined;
}

function decimalOf(whole: string | undefined, fraction: string): string | undefined {
  return whole === undefined || fraction === '' ? undefined : `${whole}.${fraction}`;
}

/** Groups of three, or of two before the last three as in India. One kind of separator. */
function ungroup(digits: string): string | undefined {
  const isGrouped = /^\d{1,3}(?:([.,'])\d{3})(?:\1\d{3})*$/.test(digits) || /^\d{1,2}(?:,\d{2})+,\d{3}$/.test(digits);
  return /^\d+$/.test(digits) || isGrouped ? digits.replace(/[.,']/g, '') : undefined;
}

function toMinor(decimal: string, exponent: number): bigint | undefined {
  const [whole = '', fraction = ''] = decimal.split('.');
  if (whole.length > maxMajorDigits) return undefined;
  const minor = BigInt(whole + fraction.slice(0, exponent).padEnd(exponent, '0'));
  return Number(fraction[exponent] ?? '0') >= 5 ? minor + 1n : minor;
}

function pairs(...texts: string[]): [string, string][] {
  return texts.map((text) => {
    const [sign = '', currency = ''] = text.split(' ');
    return [sign, currency];
  });
}
