import { lengths } from './bounds.ts';
import { parseInstant } from './dates.ts';
import { isNothing, isTemplate } from './placeholders.ts';
import { cleanText } from './text.ts';

/** An object that came from outside: read it with `field` only, never by indexing. */
export type Source = Record<string, unknown>;

export function asSource(value: unknown): Source | undefined {
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isPlain ? (value as Source) : undefined;
}

/** An own property: a payload never answers with what `Object.prototype` has. */
export function field(source: unknown, name: string): unknown {
  const object = asSource(source);
  return object && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Both spellings of each name, in order: `orderId` → `orderId`, `order_id`. */
export function spellings(...names: string[]): string[] {
  return names.flatMap((name) => [...new Set([name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)])]);
}

/** Where Stripe's events hold their object. The `object` field of Stripe's objects names their type. */
const billingTypes = new Set(['data.object', 'charge', 'checkout.session', 'invoice', 'payment_intent', 'refund']);
billingTypes.add('dispute').add('subscription').add('plan').add('price').add('customer');

/**
 * Where senders put an entity's fields, the nearest to the entity first: in an envelope (`data.object`, `data`), under
 * the entity's name, in the payload. An envelope's own `id` names the delivery and not the entity.
 */
export function sourcesFor(payload: unknown, ...entities: string[]): Source[] {
  const data = field(payload, 'data');
  const object = asSource(field(data, 'object'));
  const named = object && { ...object, object: field(object, 'object') ?? 'data.object' };
  const candidates = [named, data, ...entities.map((entity) => field(payload, entity)), payload];
  return candidates.map(asSource).filter((source) => source !== undefined);
}

/** Whether it is an object of one of Stripe's events, whose amounts are whole numbers of minor units. */
export function isBillingObject(source: Source): boolean {
  const type = field(source, 'object');
  return typeof type === 'string' && billingTypes.has(type);
}

/** The value at a path of names: `cancellation_details.reason`. */
export function valueAt(source: unknown, path: string): unknown {
  return path.split('.').reduce(field, source);
}

/** The first value that `read` accepts: by name first, then by source. */
function firstOf<T>(sources: Source[], names: string[], read: (value: unknown) => T | undefined): T | undefined {
  for (const name of names) {
    for (const source of sources) {
      const value = field(source, name);
      const found = value === undefined ? undefined : read(value);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** The first printable text under one of the names; an object (`plan: { name }`) answers with its own name or id. */
export function firstText(sources: Source[], names: string[], codePointsMax: number): string {
  const read = (value: unknown) => cleanText(value, codePointsMax) || textWithin(value, codePointsMax) || undefined;
  return firstOf(sources, names, read) ?? '';
}

/** The first id under one of the names; an object (`order: { id }`) answers with its own. */
export function firstId(sources: Source[], names: string[]): string {
  const read = (value: unknown) => toId(cleanText(value, lengths.id) || textWithin(value, lengths.id)) || undefined;
  return firstOf(sources, names, read) ?? '';
}

/** An entity's id as a text; `''` for a placeholder or a template, which would make two entities one. */
export function toId(value: unknown): string {
  const id = cleanText(value, lengths.id);
  return id === '' || isNothing(id) || isTemplate(id) ? '' : id;
}

function textWithin(value: unknown, codePointsMax: number): string {
  const source = asSource(value);
  if (!source) return '';
  const read = (own: unknown) => cleanText(own, codePointsMax) || undefined;
  return firstOf([source], ['name', 'title', 'nickname', 'id'], read) ?? '';
}

export function firstInstant(sources: Source[], names: string[]): string | undefined {
  return firstOf(sources, names, parseInstant);
}

export function hasTrue(sources: Source[], names: string[]): boolean {
  return firstOf(sources, names, (value) => value === true || undefined) ?? false;
}

/** The first array under one of the names, cut to `maxLength`. */
export function firstArray(sources: Source[], names: string[], maxLength: number): unknown[] {
  const read = (value: unknown) => (Array.isArray(value) ? value.slice(0, maxLength) : undefined);
  return firstOf<unknown[]>(sources, names, read) ?? [];
}
