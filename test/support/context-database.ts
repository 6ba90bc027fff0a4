import { afterAll, beforeAll } from '@jest/globals';
import { CustomerModel } from '../../models/context/customer.ts';
import { EventModel } from '../../models/context/event.ts';
import { IdentifierModel } from '../../models/context/identifier.ts';
import { PendingEventModel } from '../../models/context/pending-event.ts';
import { RefusedEventModel } from '../../models/context/refused-event.ts';
import { connectOwnDatabase, type OwnDatabase } from './own-database.ts';

/**
 * Gives the tests of a file a database of their own, so that they can run the context service's parts in this process:
 * with a clock of theirs, and without its background work. Its models are connected to it.
 */
export function ownContextDatabase(): void {
  let database: OwnDatabase;
  beforeAll(async () => {
    database = await connectOwnDatabase(
      EventModel,
      PendingEventModel,
      RefusedEventModel,
      IdentifierModel,
      CustomerModel,
    );
  });
  afterAll(() => database.close());
}
