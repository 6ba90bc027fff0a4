import { z } from 'zod';
import { settings } from '../../../lib/settings/settings.ts';
import { deriveCustomerId } from '../compose/progress.ts';
import { customerIdFor } from '../customer-ids.ts';
import { customerIdOf, identifierKey, identifiersOf } from '../story/identifiers.ts';
import { isUnderstood } from '../story/understood.ts';
import type { EventInput } from './event-input.ts';

/** The fields of the answer to an accepted event that describe how it is read. */
export const acceptedFields = {
  customerId: z.string().nullable().describe('The customer whose story shows the event; null if it is in no story.'),
  understood: z.boolean().describe('Whether stories interpret the name of the event.'),
};

export type Reading = { customerId: string | null; understood: boolean };

/**
 * Reads an event for its answer, without a query where the event has an id of its customer. Never rejects, because the
 * event may be stored already.
 */
export function readEvent(orgId: string, event: EventInput): Reading | Promise<Reading> {
  const understood = isUnderstood(event);
  const customerId = customerIdOf(event);
  if (customerId !== undefined) return { customerId, understood };
  const identifiers = identifiersOf(event, settings.DEFAULT_COUNTRY).map(identifierKey);
  if (identifiers.length === 0) return { customerId: null, understood };
  // The query runs while the event is stored.
  return customerIdFor(orgId, identifiers).then(
    (id) => ({ customerId: id, understood }),
    () => ({ customerId: deriveCustomerId(orgId, identifiers[0] ?? null), understood }),
  );
}
