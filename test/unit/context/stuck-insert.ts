import mongoose from 'mongoose';
import type { EventDocument } from '../../../models/context/event.ts';
import { insertEvents } from '../../../services/context/ingest/insert-events.ts';

const event: EventDocument = {
  _id: 'org_test:1',
  orgId: 'org_test',
  eventId: '1',
  identifiers: [],
  receivedAt: new Date(0),
};

/** Begins an insert that is on its way until Mongoose, which must have no server, gives it up. */
export function beginInsert() {
  const insert = { hasEnded: false, end: Promise.resolve() };
  insert.end = insertEvents([{ document: event, isHeld: () => true }]).then(
    () => undefined,
    () => {
      insert.hasEnded = true;
    },
  );
  return insert;
}

/** For how long such inserts are on their way. */
export function giveInsertsUpAfter(milliseconds: number): void {
  mongoose.set('bufferTimeoutMS', milliseconds);
}
