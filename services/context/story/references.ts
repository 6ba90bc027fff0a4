import { bounds, lengths } from './bounds.ts';
import type { Occurrence } from './occurrence.ts';
import { asSource, field, firstId, firstText, isBillingObject, type Source, sourcesFor } from './payload.ts';
import { namesOf } from './vocabulary/fields.ts';

/** What the links of a billing provider's objects refer to. */
const links = new Map([
  ['charge', 'payment'],
  ['latest_charge', 'payment'],
  ['payment_intent', 'payment'],
  ['invoice', 'invoice'],
  ['subscription', 'subscription'],
]);

/** What a payment is and what it is for: `payment:…`, `invoice:…`, `order:A-1`, `subscription:…`. */
export function referencesOf({ entity, payload }: Occurrence, sources: Source[]): string[] {
  const kinds = ['order', 'invoice', 'subscription'] as const;
  const stated = kinds.map((kind) => reference(kind, firstText(sources, namesOf(`${kind}Reference`), lengths.id)));
  const nested = kinds.map((kind) => reference(kind, firstText(sourcesFor(field(payload, kind)), ['id'], lengths.id)));
  const billing = sources.filter(isBillingObject);
  const linked = [...links].map(([name, kind]) => reference(kind, firstId(billing, [name], lengths.id)));
  const details = sources.map((source) => asSource(field(field(source, 'parent'), 'subscription_details')));
  const parent = firstId(
    details.filter((one) => one !== undefined),
    ['subscription'],
    lengths.id,
  );
  const all = [ownReference(entity, sources), ...stated, ...nested, ...linked, reference('subscription', parent)];
  return [...new Set(all)].filter(Boolean).slice(0, bounds.references);
}

/** The id in the first of the references to such an entity; `''` without one. */
export function referenced(references: string[], kind: string): string {
  const prefix = `${kind}:`;
  return references.find((item) => item.startsWith(prefix))?.slice(prefix.length) ?? '';
}

/** Of references, those to one payment: an order or a subscription may have several. */
export function ofOnePayment(references: string[]): string[] {
  return references.filter((item) => item.startsWith('payment:') || item.startsWith('invoice:'));
}

export function sharesAny(left: string[], right: string[]): boolean {
  return left.some((item) => right.includes(item));
}

/** The event's own entity. The `id` of a refund, a dispute or a checkout is no payment's. */
function ownReference(entity: string, sources: Source[]): string {
  if (entity === 'invoice') return reference('invoice', firstText(sources, namesOf('invoiceId', 'id'), lengths.id));
  const isPayment = entity !== 'refund' && entity !== 'dispute' && entity !== 'checkout';
  const names = namesOf('paymentId').filter((name) => isPayment || name !== 'id');
  return reference('payment', firstText(sources, names, lengths.id));
}

function reference(kind: string, id: string): string {
  return id && `${kind}:${id}`;
}
