import { lengths } from './bounds.ts';
import { type EventContent, isCustomerActor } from './event.ts';
import { asSource, field, firstText, type Source } from './payload.ts';
import { snakeCase } from './text.ts';
import { type Family, familyOf, lookUp, type Meaning, tellingEntities, updates } from './vocabulary/events.ts';
import { namesOf } from './vocabulary/fields.ts';

/** An event as the reducers read it. */
export type Occurrence = {
  eventName: string;
  /** undefined: a family without a reducer. */
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

/**
 * Reads the event's name. The last known entity before the action decides: `customer.subscription.created` is of a
 * subscription.
 */
export function toOccurrence(event: EventContent, at: string): Occurrence {
  const words = event.eventName.split('.').map(snakeCase);
  const entityIndex = words.findLastIndex((word, index) => index < words.length - 1 && familyOf(word) !== undefined);
  const entity = words[entityIndex] ?? '';
  const family = familyOf(entity);
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
  if (tellingEntities.includes(entity)) return `${entity}_${action}`;
  return family && action.startsWith(`${family}_`) ? action.slice(family.length + 1) : action;
}

/**
 * The family's meaning of the event; an update that carries a status counts as that status. `'updated'` for an update
 * without a known status, undefined for a word the family does not know.
 */
export function meaningOf<Name extends Family>(
  { action, entity }: Occurrence,
  family: Name,
  sources: Source[],
): Meaning<Name> | 'updated' | undefined {
  const meaning = lookUp(family, action);
  const prefix = tellingEntities.includes(entity) ? `${entity}_` : '';
  if (meaning || !updates.includes(action.slice(prefix.length))) return meaning;
  return lookUp(family, prefix + firstText(sources, namesOf('status'), lengths.id)) ?? 'updated';
}
