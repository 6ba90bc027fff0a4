import { formatDay } from '../dates.ts';
import { formatTotals, hasMoney } from '../money.ts';
import type { StoryState, SubscriptionEntry, SubscriptionFacts } from '../state.ts';
import { countOf, joinWithAnd, timesOf } from '../text.ts';
import { endDay, mainSubscription, statusOf } from './standing.ts';

/** The subscription that matters now and how it came to be what it is; `''` without one. */
export function writeSubscriptions(state: StoryState): string {
  const entry = mainSubscription(state);
  if (!entry) return '';
  const { started } = state.subscriptions;
  const history = joinWithAnd([describeRenewals(state.subscriptions), describeChanges(state.subscriptions)]);
  const clauses = [
    describeStatus(entry, state),
    history && `it was ${history}`,
    started > 1 ? `they have had ${countOf(started, 'subscription')} in all` : '',
  ];
  return `${clauses.filter(Boolean).join('; ')}.`;
}

function describeStatus(entry: SubscriptionEntry, state: StoryState): string {
  const noun = state.subscriptions.paidSince === null ? 'trial' : 'subscription';
  const name = entry.plan ? `${entry.plan} ${noun}` : noun;
  const started = `Their ${name} started on ${formatDay(entry.startedAt)} and`;
  const changedDay = formatDay(entry.changedAt);
  switch (statusOf(entry, state)) {
    case 'trialing':
      return entry.endsAt ? `${started} runs until ${endDay(entry)}` : `${started} is still running`;
    case 'trial_over':
      return `${started} ran out on ${endDay(entry)}`;
    case 'active':
      return `${started} is active`;
    case 'past_due':
      return `${started} has been past due since ${changedDay}`;
    case 'paused':
      return `${started} has been paused since ${changedDay}`;
    case 'ending':
      return `${started} was cancelled on ${changedDay}, to end ${entry.endsAt ? `on ${endDay(entry)}` : 'with the paid period'}`;
    case 'ended':
      return `${started} ended on ${endDay(entry)}`;
    case 'cancelled':
      return `${started} was cancelled on ${changedDay}`;
    case 'expired':
      return `${started} expired on ${changedDay}`;
  }
}

function describeRenewals({ renewed, lastRenewedAt, renewals }: SubscriptionFacts): string {
  if (renewed === 0 || !lastRenewedAt) return '';
  const worth = hasMoney(renewals) ? formatTotals(renewals) : '';
  const day = formatDay(lastRenewedAt);
  if (renewed === 1) return `renewed once on ${day}${worth && ` for ${worth}`}`;
  return `renewed ${timesOf(renewed)} (${worth && `${worth} in total, `}most recently on ${day})`;
}

function describeChanges({ upgraded, downgraded, lastChange }: SubscriptionFacts): string {
  if (!lastChange) return '';
  const { from, to, at } = lastChange;
  const isMove = from !== '' && to !== '' && from !== to;
  const move = `${isMove ? `from ${from} to ${to} ` : ''}on ${formatDay(at)}`;
  if (upgraded + downgraded < 2) return `${lastChange.kind} ${move}`;
  const verbs = [
    upgraded > 0 ? `upgraded ${timesOf(upgraded)}` : '',
    downgraded > 0 ? `downgraded ${timesOf(downgraded)}` : '',
  ];
  const isOneKind = upgraded === 0 || downgraded === 0;
  return `${joinWithAnd(verbs)} (most recently ${isOneKind ? '' : `${lastChange.kind} `}${move})`;
}
