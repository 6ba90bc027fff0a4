import { languages } from '../../../lib/format/language.ts';
import { searchForm } from '../../../lib/format/search-form.ts';
import type { CustomerListing } from '../../../models/context/customer.ts';
import type { StoryState } from '../story/state.ts';
import { renderTitle } from '../story/story.ts';
import { countOpen } from '../story/tracked.ts';

/** The entry of a customer in the list of customers, from a folded state; undefined before the first event. */
export function listingOf(customerId: string, state: StoryState): CustomerListing | undefined {
  const { last, firstAt, person, orders, payments, subscriptions, tickets } = state;
  if (!last || firstAt === null) return undefined;
  const nameKey = searchForm(person.name);
  return {
    customerId,
    name: person.name || null,
    ...(nameKey && { nameKey }),
    firstEventAt: new Date(firstAt),
    lastEventAt: new Date(last.at),
    events: state.eventCount,
    titles: titlesOf(customerId, state),
    open: {
      orders: countOpen(orders.tracked),
      payments: payments.due.length,
      subscriptions: countOpen(subscriptions.tracked),
      tickets: countOpen(tickets.tracked),
    },
  };
}

function titlesOf(customerId: string, state: StoryState): NonNullable<CustomerListing['titles']> {
  return Object.fromEntries(languages.map((language) => [language, renderTitle(customerId, state, language)]));
}
