/**
 * The number of decimal digits of each currency (ISO 4217, list one, as of 2026, without metals, units of account and
 * test codes). Written out, because `Intl` has the digits by which prices are usually displayed: none for HUF or IQD.
 */
const exponents: Record<string, number> = {
  ...withDigits(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...withDigits(
    2,
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY ' +
      'COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ' +
      'ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN ' +
      'MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE ' +
      'SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ' +
      'ZMW ZWG',
  ),
  ...withDigits(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...withDigits(4, 'CLF UYW'),
};

function withDigits(digits: number, codes: string): Record<string, number> {
  return Object.fromEntries(codes.split(' ').map((code) => [code.toLowerCase(), digits]));
}

/** The codes of all supported currencies, in lower case. */
export const currencies: readonly string[] = Object.keys(exponents).sort();

/**
 * The number of decimal digits of a currency's amounts: 0, 2, 3 or 4.
 *
 * @param currency - a code of ISO 4217 in lower case, such as `eur`.
 * @throws RangeError for an unknown currency.
 */
export function currencyDigits(currency: string): number {
  const digits = Object.hasOwn(exponents, currency) ? exponents[currency] : undefined;
  if (digits === undefined) throw new RangeError(`${JSON.stringify(currency)} is not a currency code in lower case.`);
  return digits;
}

/**
 * An amount as a decimal number without grouping: `1234` of `eur` is `12.34`, of `jpy` `1234`. Exact at any size.
 *
 * @param amount - in the currency's minor unit; a number must be a safe integer.
 * @throws RangeError for anything else, and for an unknown currency.
 */
export function toDecimal(amount: number | bigint, currency: string): `${number}` {
  const digits = currencyDigits(currency);
  if (typeof amount === 'number') requireAmount(amount);
  const isNegative = amount < 0;
  const text = BigInt(isNegative ? -amount : amount)
    .toString()
    .padStart(digits + 1, '0');
  const units = text.slice(0, text.length - digits);
  const decimal = digits === 0 ? units : `${units}.${text.slice(-digits)}`;
  return `${isNegative ? '-' : ''}${decimal}` as `${number}`;
}

/**
 * Formats an amount for people, such as `EUR 1,234.50`, with the currency's code, which is unambiguous in every
 * language.
 *
 * @param amount - in the currency's minor unit; a number must be a safe integer.
 * @throws RangeError as {@link toDecimal} does.
 */
export function formatMoney(amount: number | bigint, currency: string, locale = 'en'): string {
  return format(amount, currency, locale, { currencyDisplay: 'code' });
}

/**
 * Formats a price for a price list, such as `€49` or `€49.50`: short, with the currency's symbol.
 *
 * @param amount - see {@link formatMoney}, also for the errors.
 */
export function formatPrice(amount: number | bigint, currency: string, locale = 'en'): string {
  return format(amount, currency, locale, { trailingZeroDisplay: 'stripIfInteger' });
}

function format(
  amount: number | bigint,
  currency: string,
  locale: string,
  options: Pick<Intl.NumberFormatOptions, 'currencyDisplay' | 'trailingZeroDisplay'>,
): string {
  const digits = currencyDigits(currency);
  const numbers = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    ...options,
  });
  // A text is formatted digit by digit; a number would be rounded beyond 2^53.
  return numbers.format(toDecimal(amount, currency));
}

/** Sums amounts of one currency; throws a RangeError when one of them, or the sum, is not a safe integer. */
export function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => requireAmount(sum + requireAmount(amount)), 0);
}

/** Returns the amount; throws a RangeError unless it is a safe integer. */
export function requireAmount(amount: number): number {
  if (Number.isSafeInteger(amount)) return amount;
  throw new RangeError(`${amount} is not a whole number of minor units up to ${Number.MAX_SAFE_INTEGER}.`);
}
