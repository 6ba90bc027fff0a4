import type { StoryState } from '../state.ts';
import { writeActivity, writeOthers } from './activity.ts';
import { writeContact } from './contact.ts';
import { writeOpen } from './open.ts';
import { writeOrders } from './orders.ts';
import { writePayments } from './payments.ts';
import { writeOpening } from './person.ts';
import { writeSubscriptions } from './subscription.ts';

const maxSentencesBetween = 4;

/**
 * Three to six sentences: who it is, up to four on what happened (money before talk before browsing), what is open.
 */
export function writeSummary(customerId: string, state: StoryState): string[] {
  const candidates = [
    writeOrders(state),
    writePayments(state),
    writeSubscriptions(state),
    writeContact(state),
    writeActivity(state),
    writeOthers(state),
  ];
  const told = candidates.filter(Boolean).slice(0, maxSentencesBetween);
  const between = told.length > 0 ? told : ['No purchase is on record yet.'];
  return [writeOpening(customerId, state), ...between, writeOpen(state)];
}
