import { joinWithAnd } from '../../text.ts';
import type { Change, Changes, Named, Renewals } from '../subscription.ts';
import { countOf, dayOf, numberOf, reasonOf, timesOf, totalsOf } from './words.ts';

/** The events of a subscription, in words that follow its name. */
export const subscription = {
  subject: ({ plan, isTrial }: Named, isAnother: boolean) =>
    [isAnother ? 'another' : 'their', plan, isTrial ? 'trial' : 'subscription'].filter(Boolean).join(' '),
  inAll: (count: number) => `they have had ${countOf(count, 'subscription')} in all`,
  started: (at: string) => `started on ${dayOf(at)}`,
  onRecord: (at: string) => `has been on record since ${dayOf(at)}`,
  converted: (at: string, plan: string) => `became a paid ${plan && `${plan} `}subscription on ${dayOf(at)}`,
  running: (until: string | null) => (until ? `runs until ${dayOf(until)}` : 'is still running'),
  ranOut: (at: string) => `ran out on ${dayOf(at)}`,
  expired: (at: string) => `expired on ${dayOf(at)}`,
  active: 'is active',
  pastDue: (at: string) => `has been past due since ${dayOf(at)}`,
  paused: (at: string) => `has been paused since ${dayOf(at)}`,
  ending: (at: string, reason: string, end: string | null) =>
    `was cancelled on ${dayOf(at)}${reasonOf(reason)}, to end ${end ? `on ${dayOf(end)}` : 'with the paid period'}`,
  cancelled: (at: string, reason: string) => `was cancelled on ${dayOf(at)}${reasonOf(reason)}`,
  ended: (at: string) => `ended on ${dayOf(at)}`,
  pause: (from: string, to: string) => `was paused from ${dayOf(from)} to ${dayOf(to)}`,
  resumed: (from: string, reason: string, to: string) =>
    `was cancelled on ${dayOf(from)}${reasonOf(reason)}, was resumed on ${dayOf(to)}`,
  renewed: ({ count, known, total, at }: Renewals) => {
    const worth = total ? totalsOf(total) : '';
    if (count === 1) return `was renewed once on ${dayOf(at)}${worth && ` for ${worth}`}`;
    const scope = known < count ? `for ${numberOf(known)} of them` : 'in total';
    return `was renewed ${timesOf(count)} (${worth && `${worth} ${scope}, `}most recently on ${dayOf(at)})`;
  },
  changedOnce: (change: Change) => `was ${change.kind} ${moveOf(change)}`,
  changed: ({ counts, last }: Changes) => {
    const times = joinWithAnd(counts.map(({ kind, count }) => `${kind} ${timesOf(count)}`));
    return `was ${times} (most recently ${counts.length === 1 ? '' : `${last.kind} `}${moveOf(last)})`;
  },
};

function moveOf({ from, to, at }: Change): string {
  return `${from && `from ${from} to ${to} `}on ${dayOf(at)}`;
}
