import { type Money, parseCurrency } from './money.ts';
import { parseAmount, parseMinorUnits } from './notation.ts';
import { asSource, field, firstArray, firstText, isBillingObject, type Source } from './payload.ts';
import { cleanText, joinSome } from './text.ts';
import { billingFields, type FieldPurpose, namesOf } from './vocabulary/fields.ts';

const maxItems = 100;
const maxQuantity = 1_000_000;

const minorUnitNames = new Set(namesOf('minorUnits'));

const billingNames = new Set<string>(billingFields.amounts);

/** The currencies whose minor unit in Stripe differs from ISO 4217. */
const billingExponents = new Map([
  ['ISK', 2],
  ['UGX', 2],
  ['MGA', 0],
]);

/**
 * The first amount stated under a name of the purposes, with its sign: a number or a text in major units, minor units
 * where the name or Stripe's object says so, or `{ amount, currency }`. Null when none is stated, and when the most
 * specific one cannot be read, because another field could mean something else. The currency may be in a field next to
 * it; when the sender names none it is `defaultCurrency`.
 */
export function findMoney(sources: Source[], purposes: FieldPurpose[], defaultCurrency = ''): Money | null {
  const stated = currencyOf(sources);
  for (const name of namesOf(...purposes)) {
    for (const source of sources) {
      const value = field(source, name);
      if (isStated(value)) return toMoney(source, name, value, stated, defaultCurrency);
    }
  }
  return null;
}

/** The worth of an order: its stated total, otherwise the sum of its items' prices times their quantities. */
export function findOrderWorth(sources: Source[]): Money | null {
  const isTotalStated = isAmountStated(sources, ['total', 'minorUnits']);
  const worth = isTotalStated ? findMoney(sources, ['total', 'minorUnits']) : sumOfItems(sources);
  return worth && isNegative(worth) ? null : worth;
}

/** Whether there is an amount under a name of the purposes, be it readable or not. */
export function isAmountStated(sources: Source[], purposes: FieldPurpose[]): boolean {
  return namesOf(...purposes).some((name) => sources.some((source) => isStated(field(source, name))));
}

export function isNegative({ minor }: Money): boolean {
  return minor.startsWith('-');
}

export function isZero({ minor }: Money): boolean {
  return BigInt(minor) === 0n;
}

export function absolute(money: Money | null): Money | null {
  return money && { currency: money.currency, minor: money.minor.replace('-', '') };
}

/** `Blue mug and 2 more`; `''` when the items have no names. */
export function nameItems(sources: Source[], codePointsMax: number): string {
  const items = firstArray(sources, namesOf('items'), maxItems);
  const names = items.map((item) => firstText(toSources(item), namesOf('itemName'), codePointsMax));
  return joinSome(names, items.length, 1);
}

/** Whether a field is there to be read: an object counts when it holds an amount. */
function isStated(value: unknown): boolean {
  const amount = amountIn(value);
  return typeof amount === 'number' || cleanText(amount, 64) !== '';
}

function amountIn(value: unknown): unknown {
  const object = asSource(value);
  return object ? (field(object, 'amount') ?? field(object, 'value')) : value;
}

function toMoney(source: Source, name: string, value: unknown, stated: string, fallback: string): Money | null {
  const object = asSource(value);
  const currency = (object && currencyOf([object])) || stated;
  if (isBillingObject(source) && billingNames.has(name) && Number.isInteger(value)) {
    return parseMinorUnits(value, currency || fallback, billingExponents.get(currency)) ?? null;
  }
  if (minorUnitNames.has(name)) return parseMinorUnits(value, currency || fallback) ?? null;
  const money = parseAmount(amountIn(value), currency);
  if (money?.currency !== '' || fallback === '') return money ?? null;
  return parseAmount(amountIn(value), fallback) ?? null;
}

function currencyOf(sources: Source[]): string {
  for (const name of namesOf('currency')) {
    for (const source of sources) {
      const currency = parseCurrency(field(source, name));
      if (currency) return currency;
    }
  }
  return '';
}

function sumOfItems(sources: Source[]): Money | null {
  const currency = currencyOf(sources);
  const prices = firstArray(sources, namesOf('items'), maxItems).map((item) => priceOfItem(item, currency));
  const stated = prices.filter((price) => price !== null);
  const [first] = stated;
  // A sum with a price missing, or over several currencies, would be a wrong total rather than none.
  if (!first || stated.length < prices.length || stated.some((price) => price.currency !== first.currency)) return null;
  return { currency: first.currency, minor: String(stated.reduce((sum, price) => sum + BigInt(price.minor), 0n)) };
}

function priceOfItem(item: unknown, currency: string): Money | null {
  const price = findMoney(toSources(item), ['itemPrice'], currency);
  if (!price) return null;
  const stated = namesOf('itemQuantity').map((name) => cleanText(field(item, name), 10));
  const quantity = Number(stated.find(Boolean) ?? 1);
  if (!Number.isInteger(quantity) || quantity < 0 || quantity > maxQuantity) return null;
  return { currency: price.currency, minor: String(BigInt(price.minor) * BigInt(quantity)) };
}

function toSources(item: unknown): Source[] {
  const source = asSource(item);
  return source ? [source] : [];
}
