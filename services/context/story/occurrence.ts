import { isCustomerActor, type StoredEvent } from './event.ts';
import { asSource, field, firstText, type Source } from './payload.ts';
import { snakeCase } from './text.ts';

export type Family = 'order' | 'payment' | 'subscription' | 'ticket' | 'message' | 'person' | 'page';

/** An event as the reducers read it. */
export type Occurrence = {
  eventName: string;
  /** undefined: no family that has a reducer of its own. */
  family: Family | undefined;
  /** The part of the name that says what became of the entity, in snake case: `created`, `payment_failed`. */
  action: string;
  /** The word of the event name that stood for the family: `email` of `email.received`. */
  entity: string;
  at: string;
  byCustomer: boolean;
  actorType: string;
  sourceChannel: unknown;
  payload: Source;
};

const families = new Map<string, Family>([
  ...['order', 'orders', 'purchase'].map((word) => [word, 'order'] as const),
  ...['payment', 'payments', 'charge', 'invoice', 'refund', 'dispute'].map((word) => [word, 'payment'] as const),
  ...['subscription', 'subscriptions', 'trial'].map((word) => [word, 'subscription'] as const),
  ...['ticket', 'tickets', 'case'].map((word) => [word, 'ticket'] as const),
  ...['message', 'messages', 'email', 'sms', 'chat', 'conversation'].map((word) => [word, 'message'] as const),
  ...['user', 'users', 'customer', 'customers', 'contact', 'account'].map((word) => [word, 'person'] as const),
  ...['page', 'screen'].map((word) => [word, 'page'] as const),
]);

/** In these words the entity says half of what happened: `trial.started` starts no ordinary subscription. */
const tellingEntities = new Set(['trial', 'refund', 'invoice', 'dispute']);

const updates = new Set(['updated', 'changed', 'status_changed', 'status_updated', 'modified', 'edited']);

/**
 * Reads the event's name. The last known entity before the action decides: `customer.subscription.created` is of a
 * subscription.
 */
export function toOccurrence(event: StoredEvent, at: string): Occurrence {
  const words = event.eventName.split('.').map(snakeCase);
  const entityIndex = words.findLastIndex((word, index) => index < words.length - 1 && families.has(word));
  const entity = words[entityIndex] ?? '';
  const family = families.get(entity);
  const actorType = field(event.actor, 'type');
  return {
    eventName: event.eventName,
    family,
    entity,
    action: actionOf(words.slice(entityIndex + 1), entity, family),
    at,
    byCustomer: isCustomerActor(actorType),
    actorType: typeof actorType === 'string' ? actorType.trim().toLowerCase() : '',
    sourceChannel: field(event.source, 'channel'),
    payload: asSource(event.payload) ?? {},
  };
}

function actionOf(words: string[], entity: string, family: Family | undefined): string {
  const action = words.join('_');
  if (tellingEntities.has(entity)) return `${entity}_${action}`;
  return family && action.startsWith(`${family}_`) ? action.slice(family.length + 1) : action;
}

/**
 * The reducer's own word for what happened, by its table of senders' words; an update that carries a `status` counts
 * as what the status says. `'updated'` for an update that says no more, undefined for a word the table does not have.
 */
export function meaningOf<Meaning extends string>(
  occurrence: Occurrence,
  words: Map<string, Meaning>,
  sources: Source[],
): Meaning | 'updated' | undefined {
  const meaning = words.get(occurrence.action);
  if (meaning || !updates.has(occurrence.action)) return meaning;
  const status = firstText(sources, ['status', 'newStatus', 'new_status', 'state'], 40);
  return words.get(snakeCase(status)) ?? 'updated';
}

/**
 * `{ delivered: ['delivered', 'received'] }` → a map from each sender's word. A map, because the words are untrusted.
 */
export function vocabulary<Meaning extends string>(meanings: Record<Meaning, string[]>): Map<string, Meaning> {
  const entries = Object.entries<string[]>(meanings) as [Meaning, string[]][];
  return new Map(entries.flatMap(([meaning, words]) => words.map((word) => [word, meaning] as const)));
}
