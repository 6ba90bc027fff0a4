import type { Totals } from '../../money.ts';
import { joinWithAnd } from '../../text.ts';
import { named } from '../../wording.ts';
import type { ManyOrders, OneOrder, Share } from '../orders.ts';
import type { Paid, Reductions, Refunds } from '../payments.ts';
import { countOf, dayOf, numberOf, reasonOf, spanOf, totalsOf, worthOf } from './words.ts';

/** The sentence on orders. */
export const orders = {
  one: ({ at, order: { id, items }, isNamed, worth, outcomes }: OneOrder) => {
    const [count, ...amount] = worthOf(worth, 'order', 'worth').split(/(?<=^1 order)/);
    const label = [id, items].filter(Boolean).join(': ');
    const order = isNamed
      ? `${named('order', id)}${items && `: ${items}`} (amount unknown)`
      : `${count}${label && ` (${label})`}${amount.join('')}`;
    const outcome = outcomes.map((share) => `${share.outcome}${reasonOfShare(share)}`);
    const relative = outcome.length > 0 ? `, which was ${joinWithAnd(outcome)}` : '';
    return at === null ? `that day they placed ${order}${relative}` : `they placed ${order} on ${dayOf(at)}${relative}`;
  },
  many: ({ from, to, worth, whole, ended, reversed, latest: { id, items } }: ManyOrders) =>
    [
      `they placed ${worthOf(worth, 'order', 'worth')} ${spanOf(from, to)}`,
      whole && `, ${bothOrAll(worth.count)} of which were ${whole.outcome}${reasonOfShare(whole)}`,
      ended.length > 0 && `, of which ${joinWithAnd(ended.map((share) => shareOf(share, worth.count)))}`,
      reversed.length > 0 && `; ${joinWithAnd(reversed.map((share) => shareOf(share, worth.count)))}`,
      id && `; the latest is ${id}${items && ` (${items})`}`,
    ]
      .filter(Boolean)
      .join(''),
};

function shareOf(share: Share, placed: number): string {
  const count = share.isAll ? bothOrAll(placed) : numberOf(share.count);
  return `${count} ${share.count === 1 ? 'was' : 'were'} ${share.outcome}${reasonOfShare(share)}`;
}

function reasonOfShare({ reason, count }: Share): string {
  return reasonOf(reason, count > 1 ? 'latest reason' : 'reason');
}

function bothOrAll(count: number): string {
  return count === 2 ? 'both' : 'all';
}

/** The sentence on payments. */
export const payments = {
  failures: (count: number, at: string, isOpening: boolean) =>
    isOpening
      ? `they had ${countOf(count, 'failed payment attempt')}${latestOn(count, at)}`
      : `${countOf(count, 'attempt')} failed${latestOn(count, at)}`,
  disputes: (count: number, at: string) => `they disputed ${countOf(count, 'payment')}${latestOn(count, at)}`,
  received: (paid: Paid, { isAll, known, unknown, rest }: Refunds) => {
    const made = `they ${describePaid(paid)}`;
    const others = unknown > 0 ? refundsOfUnknownAmount(unknown) : '';
    if (isAll) return `${made}, and all of it was refunded`;
    if (!known) return others ? `${made}, and had ${others}` : made;
    const leaving = rest ? `, leaving ${totalsOf(rest)}` : '';
    return `${made}, and ${totalsOf(known)} ${wasOrWere(known)} refunded${others && `, besides ${others}`}${leaving}`;
  },
  reductions: ({ cancelled, refunded, unknown, rest }: Reductions) => {
    const reduced = joinWithAnd([
      cancelled ? `cancellations of ${totalsOf(cancelled)}` : '',
      refunded ? `refunds of ${totalsOf(refunded)}` : '',
      unknown > 0 ? refundsOfUnknownAmount(unknown) : '',
    ]);
    if (!rest) return `the record shows ${reduced}`;
    return `after ${reduced}, the ${rest.orders === 1 ? 'order comes' : 'orders come'} to ${totalsOf(rest.worth)}`;
  },
};

function describePaid({ count, orders, worth, at }: Paid): string {
  const when = at ? latestOn(count, at) : '';
  if (orders === null) return `made ${worthOf(worth, 'payment', 'totalling')}${when}`;
  const whole = orders === 1 ? 'it in full' : 'all of it';
  return `paid for ${whole}${count > 1 || orders > 1 ? ` in ${countOf(count, 'payment')}` : ''}${when}`;
}

function latestOn(count: number, at: string): string {
  return `${count > 1 ? ', the latest' : ''} on ${dayOf(at)}`;
}

function refundsOfUnknownAmount(count: number): string {
  return `${countOf(count, 'refund')} of unknown amount`;
}

function wasOrWere(totals: Totals): string {
  return totals.amounts.filter(({ minor }) => minor !== '0').length > 1 ? 'were' : 'was';
}
