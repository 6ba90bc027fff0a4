import { bounds } from './bounds.ts';
import type { Occurrence } from './occurrence.ts';
import { field, firstId, isBillingObject, type Source, sourcesFor, toId, valueAt } from './payload.ts';
import { billingFields, namesOf } from './vocabulary/fields.ts';

/** The references of a payment and its purpose: `payment:…`, `invoice:…`, `order:A-1`, `subscription:…`. */
export function referencesOf({ entity, payload }: Occurrence, sources: Source[]): string[] {
  const all = [
    ownReference(entity, sources),
    reference('order', firstId(sources, namesOf('forOrder'))),
    reference('invoice', firstId(sources, namesOf('forInvoice'))),
    reference('subscription', firstId(sources, namesOf('forSubscription'))),
    ...['order', 'invoice', 'subscription'].map((kind) => nestedReference(kind, field(payload, kind))),
    ...linkedReferences(sources.filter(isBillingObject)),
  ];
  return [...new Set(all)].filter(Boolean).slice(0, bounds.references);
}

/** The reference of an entity that the payload holds as a whole. */
function nestedReference(kind: string, entity: unknown): string {
  return reference(kind, firstId(sourcesFor(entity), namesOf('id')));
}

/** The references of the entities that an object of a billing provider links to. */
function linkedReferences(sources: Source[]): string[] {
  const { payments, invoice, subscription } = billingFields;
  return [
    ...payments.map((path) => reference('payment', idAt(sources, path))),
    ...invoice.map((path) => reference('invoice', idAt(sources, path))),
    ...subscription.map((path) => reference('subscription', idAt(sources, path))),
  ];
}

/** The entity may be given by its id or as a whole: `charge: 'ch_1'`, `charge: { id: 'ch_1' }`. */
function idAt(sources: Source[], path: string): string {
  const values = sources.map((source) => valueAt(source, path));
  return values.map((value) => toId(value) || toId(field(value, 'id'))).find(Boolean) ?? '';
}

/** The id in the first of the references to such an entity; `''` without one. */
export function referenced(references: string[], kind: string): string {
  const prefix = `${kind}:`;
  return references.find((item) => item.startsWith(prefix))?.slice(prefix.length) ?? '';
}

/** Keeps the references to one payment: an order or a subscription may have several. */
export function ofOnePayment(references: string[]): string[] {
  return references.filter((item) => item.startsWith('payment:') || item.startsWith('invoice:'));
}

export function sharesAny(left: string[], right: string[]): boolean {
  return left.some((item) => right.includes(item));
}

/** The event's own entity. The `id` of a refund, a dispute or a checkout is not the id of a payment. */
function ownReference(entity: string, sources: Source[]): string {
  if (entity === 'invoice') return reference('invoice', firstId(sources, namesOf('forInvoice', 'id')));
  const isPayment = entity !== 'refund' && entity !== 'dispute' && entity !== 'checkout';
  const names = namesOf('paymentId').filter((name) => isPayment || name !== 'id');
  return reference('payment', firstId(sources, names));
}

function reference(kind: string, id: string): string {
  return id && `${kind}:${id}`;
}
