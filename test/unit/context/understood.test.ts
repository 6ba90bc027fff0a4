import { describe, expect, test } from '@jest/globals';
import { emptyState } from '../../../services/context/story/state.ts';
import { foldEvent } from '../../../services/context/story/story.ts';
import { isUnderstood } from '../../../services/context/story/understood.ts';
import { type Family, meanings, updates } from '../../../services/context/story/vocabulary/events.ts';
import { eventName } from '../../../services/context/story/vocabulary/guide.ts';
import { event } from './histories.ts';

const families = Object.keys(meanings) as Family[];
const names = families.flatMap((family) => {
  const known = Object.values<readonly string[]>(meanings[family]).flat();
  return [...known, ...updates, 'creatd', 'archived'].map((word) => eventName(family, word));
});
const others = ['order', 'wishlist.item_added', 'order.creatd', 'orders.lines.created', 'constructor.created'];

/** Whether a reducer took the event, and not the one for unknown names. */
const isReduced = (one: ReturnType<typeof event>) => foldEvent(emptyState(), one).others.entries.length === 0;

describe('an event is understood where a reducer takes it', () => {
  test.each([...names, ...others])('%s', (name) => {
    for (const payload of [
      { amount: 5, currency: 'EUR' },
      { status: 'shipped' },
      { status: 'paid' },
      { status: 'x' },
    ]) {
      const one = event('2026-03-01T00:00:00Z', name, payload);
      expect({ payload, understood: isUnderstood(one) }).toEqual({ payload, understood: isReduced(one) });
    }
  });
});
