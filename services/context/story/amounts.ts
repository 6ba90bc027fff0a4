import { type Money, parseCurrency, parseMinor } from './money.ts';
import { asSource, field, firstArray, firstText, type Source, spellings } from './payload.ts';
import { cleanText, joinSome } from './text.ts';

const currencyNames = spellings('currency', 'currencyCode');
const itemNames = spellings('items', 'lineItems', 'products', 'lines');
const quantityNames = ['quantity', 'qty', 'count'];
const maxItems = 100;
const maxQuantity = 1_000_000;

/** Names of an entity's whole amount, the most telling first. */
export const totalNames = spellings(
  'totalAmount',
  'amountTotal',
  'grandTotal',
  'totalPrice',
  'total',
  'amount',
  'value',
  'price',
  'revenue',
);

/** Names of the amount that a refund gave back. */
export const refundNames = spellings('refundAmount', 'amountRefunded', 'refundedAmount', 'refundTotal', 'refund');

/**
 * The first amount, zero or more, under one of the names: a number, a numeric string or `{ amount, currency }`. Its
 * currency may stand beside it; when the sender names none it is `defaultCurrency`.
 */
export function findMoney(sources: Source[], names: string[], defaultCurrency = ''): Money | null {
  const currency = currencyOf(sources) || defaultCurrency;
  for (const name of names) {
    for (const source of sources) {
      const money = toMoney(field(source, name), currency);
      if (money) return money;
    }
  }
  return null;
}

/** What an order is worth: its stated total, else the sum of its items' prices times their quantities. */
export function findOrderWorth(sources: Source[]): Money | null {
  return findMoney(sources, totalNames) ?? sumOfItems(sources);
}

/** `Blue mug and 2 more`; `''` when the items have no names. */
export function nameItems(sources: Source[], codePointsMax: number): string {
  const items = firstArray(sources, itemNames, maxItems);
  const names = items.map((item) =>
    firstText(toSources(item), spellings('name', 'productName', 'title', 'sku'), codePointsMax),
  );
  return joinSome(names, items.length, 1);
}

function toMoney(value: unknown, outerCurrency: string): Money | null {
  const object = asSource(value);
  const currency = (object && currencyOf([object])) || outerCurrency;
  const amount = object ? (field(object, 'amount') ?? field(object, 'value')) : value;
  const minor = parseMinor(amount, currency);
  if (minor === undefined) return null;
  return { currency, minor: String(minor < 0n ? -minor : minor) };
}

function currencyOf(sources: Source[]): string {
  for (const name of currencyNames) {
    for (const source of sources) {
      const currency = parseCurrency(field(source, name));
      if (currency) return currency;
    }
  }
  return '';
}

function sumOfItems(sources: Source[]): Money | null {
  const currency = currencyOf(sources);
  const prices = firstArray(sources, itemNames, maxItems).map((item) => priceOfItem(item, currency));
  const known = prices.filter((price) => price !== null);
  const [first] = known;
  // A sum with a price missing, or over several currencies, would be a wrong total rather than none.
  if (!first || known.length < prices.length || known.some((price) => price.currency !== first.currency)) return null;
  return { currency: first.currency, minor: String(known.reduce((sum, price) => sum + BigInt(price.minor), 0n)) };
}

function priceOfItem(item: unknown, currency: string): Money | null {
  const price = findMoney(toSources(item), spellings('unitPrice', 'price', 'amount'), currency);
  if (!price) return null;
  const quantity = Number(quantityNames.map((name) => cleanText(field(item, name), 10)).find(Boolean) ?? 1);
  const isCountable = Number.isInteger(quantity) && quantity >= 0 && quantity <= maxQuantity;
  const minor = String(BigInt(price.minor) * BigInt(isCountable ? quantity : 1));
  return { currency: price.currency, minor };
}

function toSources(item: unknown): Source[] {
  const source = asSource(item);
  return source ? [source] : [];
}
