import type { Family, Meaning } from './events.ts';

/** Excludes messages and pages: none of their events changes what another has said. */
export type RankedFamily = Exclude<Family, 'message' | 'page'>;

/**
 * The order of events of one instant: a beginning comes before a continuation, and an end comes last. The ranks of
 * different things are comparable, because one may refer to another: a payment comes after its order. A change applies
 * to events that are stored from then on. `docs/events.md` lists the order, and a test compares the two.
 */
export const ranks = {
  order: {
    ...{ placed: 0, updated: 1, paid: 6, shipped: 7, delivered: 8, completed: 9, returned: 10, cancelled: 11 },
    ...{ partially_refunded: 12, refunded: 13 },
  },
  payment: {
    ...{ updated: 0, unremarkable: 0, pending: 2, overdue: 3, failed: 4, dropped: 5, succeeded: 6, refunded: 12 },
    disputed: 14,
  },
  subscription: {
    ...{ started: 0, trialing: 1, trial_ending: 2, trial_over: 3, past_due: 4, activated: 5, renewed: 6 },
    ...{ upgraded: 7, downgraded: 7, changed: 7, updated: 7, paused: 8, cancelled: 9, resumed: 10, ended: 11 },
  },
  ticket: { opened: 0, replied: 1, updated: 1, resolved: 2, reopened: 3 },
  person: { registered: 0, updated: 1, logged_in: 2, closed: 3 },
} as const satisfies { [Name in RankedFamily]: Record<Meaning<Name> | 'updated', number> };

/** These words of an activation say that the subscription was paused or cancelled before. */
export const resumptions: readonly string[] = ['resumed', 'reactivated'];
