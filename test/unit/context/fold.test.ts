import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { EventDocument } from '../../../models/context/event.ts';
import {
  addEvent,
  emptyProgress,
  foldEvents,
  foldKeyOf,
  type Progress,
  rewindStored,
} from '../../../services/context/compose/progress.ts';
import { comparePositions } from '../../../services/context/story/event.ts';
import { propertyCases } from '../../support/property-cases.ts';

/** An event at a place of the history; a few of one instant, so that tiebreakers and ids decide. */
function eventAt(place: number): EventDocument {
  const occurredAt = new Date(Date.UTC(2026, 0, 1) + Math.floor(place / 3) * 60_000);
  const eventId = `e-${String(place).padStart(6, '0')}`;
  return {
    _id: `org_a:${eventId}`,
    orgId: 'org_a',
    eventId,
    // Some were stored before there were tiebreakers.
    ...(place % 4 > 0 && { tiebreaker: (place * 7) % 4 }),
    eventName: place % 5 === 0 ? 'payment.succeeded' : 'order.created',
    occurredAt,
    actor: { type: 'customer', id: 'c' },
    source: { system: 'test', channel: 'web' },
    payload: JSON.stringify({ orderId: `o-${place % 70}`, total: place % 90, currency: 'EUR' }),
    identifiers: [place % 7 === 0 ? 'id:c' : 'email:c@example.com'],
    receivedAt: occurredAt,
  };
}

const byPlace = (one: EventDocument, two: EventDocument) => comparePositions(foldKeyOf(one), foldKeyOf(two));
const fromScratch = (events: EventDocument[]) => events.toSorted(byPlace).reduce(addEvent, emptyProgress(false)).fold;

/** Continues a fold as the composer does, by the stored events after the last folded one. */
function catchUp(progress: Progress, stored: EventDocument[], most: number): Progress {
  if (!progress.isBehind) return progress;
  const { last } = progress.fold.state;
  const after = stored.toSorted(byPlace).filter((event) => !last || comparePositions(foldKeyOf(event), last) > 0);
  return { ...after.slice(0, most).reduce(addEvent, progress), isBehind: after.length > most };
}

/** `expire`: so many of the stored events go; `most`: how many events a round of catching up folds, 0 for none. */
const step = fc.record({
  arrive: fc.integer({ min: 0, max: 120 }),
  expire: fc.integer({ min: 0, max: 3 }),
  most: fc.constantFrom(0, 10, 100, 1000),
});

describe('a fold with checkpoints', () => {
  test('equals the fold from scratch, for any order of arrival, any rounds and any expiry', () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 12 }),
        fc.infiniteStream(fc.nat({ max: 1_000_000 })),
        fc.constantFrom('shuffled', 'in order', 'nearly in order'),
        (steps, numbers, order) => {
          const next = () => numbers.next().value as number;
          const count = steps.reduce((sum, { arrive }) => sum + arrive, 0);
          const keyOf = { shuffled: () => next(), 'in order': (at: number) => at, 'nearly in order': nearly };
          function nearly(at: number): number {
            return at + (next() % 10);
          }
          const arrivals = Array.from({ length: count }, (_none, at) => ({ at, key: keyOf[order](at) }))
            .toSorted((one, two) => one.key - two.key)
            .map(({ at }) => eventAt(at));
          let stored: EventDocument[] = [];
          let progress = emptyProgress(false);
          for (const { arrive, expire, most } of steps) {
            const fresh = arrivals.splice(0, arrive);
            stored.push(...fresh);
            progress = foldEvents(progress, fresh);
            // Work that is done twice changes nothing.
            if (most === 10) progress = foldEvents(progress, fresh.slice(0, 5));
            const expired = Array.from(
              { length: Math.min(expire, stored.length) },
              () => stored[next() % stored.length]!,
            );
            stored = stored.filter((event) => !expired.includes(event));
            progress = foldEvents(
              progress,
              expired.map((event) => ({ ...event, expired: true })),
            );
            if (most > 0) progress = catchUp(progress, stored, most);
          }
          while (progress.isBehind) progress = catchUp(progress, stored, 100);
          expect(progress.fold).toEqual(fromScratch(stored));
        },
      ),
      { numRuns: propertyCases(12, 300) },
    );
  });

  test('goes back by about three times the distance of a late event, and keeps few checkpoints', () => {
    const count = 20_000;
    const orderedAt = (place: number) => ({ ...eventAt(place), tiebreaker: 0 });
    const events = Array.from({ length: count }, (_none, place) => orderedAt(2 * place));
    const progress = events.reduce(addEvent, emptyProgress(false));
    expect(progress.checkpoints.length).toBeLessThan(12);
    for (const distance of [2, 30, 200, 1500, 9000, 19_000]) {
      const late = orderedAt(2 * (count - distance) + 1);
      const { fold, isBehind } = foldEvents(progress, [late]);
      expect(isBehind).toBe(true);
      expect(count - fold.state.eventCount).toBeGreaterThanOrEqual(distance - 1);
      expect(count - fold.state.eventCount).toBeLessThan(3 * distance + 128);
    }
  });
});

describe('the fold of another version', () => {
  const events = Array.from({ length: 300 }, (_none, place) => eventAt(place)).toSorted(byPlace);
  const { fold, checkpoints } = events.reduce(addEvent, emptyProgress(false));
  const stored = { foldState: JSON.stringify(fold), checkpoints };
  const atLast = (eventId: string): EventDocument => ({ ...events.at(-1)!, eventId });

  test('goes back to before the instant of an event, because versions order one instant in different ways', () => {
    for (const eventId of ['a', 'z']) {
      const rewound = rewindStored(stored, [atLast(eventId)]);
      expect(rewound?.checkpoints).toEqual(checkpoints);
      expect(rewound?.foldState).toBe(checkpoints.at(-1)!.fold);
    }
    const [first] = events;
    expect(rewindStored(stored, [{ ...first!, eventId: 'z' }])).toEqual({ foldState: null, checkpoints: [] });
    const later = new Date(events.at(-1)!.occurredAt!.getTime() + 1);
    expect(rewindStored(stored, [{ ...atLast('a'), occurredAt: later }])).toBeNull();
  });

  test('is taken back by versions that compare instants and ids alone', () => {
    const { last } = fold.state;
    for (const eventId of ['00000000-0000-4000-8000-000000000000', 'ffffffff-ffff-4fff-bfff-ffffffffffff']) {
      expect(last!.eventId > eventId).toBe(true);
      expect(checkpoints.every((checkpoint) => checkpoint.eventId > eventId)).toBe(true);
    }
  });
});
