import { named } from '../../wording.ts';
import type { orders as EnglishOrders, payments as EnglishPayments } from '../en/purchases.ts';
import type { Outcome, Share } from '../orders.ts';
import type { Paid } from '../payments.ts';
import { itemsOf } from './kept.ts';
import { countOf, dayOf, listOf, numberOf, reasonOf, spanOf, totalsOf, worthOf } from './words.ts';

const outcomes: Record<Outcome, string> = {
  delivered: 'zugestellt',
  completed: 'abgeschlossen',
  cancelled: 'storniert',
  returned: 'zurückgesendet',
  refunded: 'erstattet',
};

export const orders: typeof EnglishOrders = {
  one: ({ at, order: { id, items }, isNamed, worth, outcomes: reached }) => {
    const label = [id, itemsOf(items)].filter(Boolean).join(': ');
    const [count, ...amount] = worthOf(worth, 'Bestellung', 'Bestellungen').split(/(?<=^1 Bestellung)/);
    const order = isNamed
      ? `die ${named('Bestellung', id)}${items && `: ${itemsOf(items)}`} (Betrag unbekannt)`
      : `${count}${label && ` (${label})`}${amount.join('')}`;
    const verbs = listOf(reached.map(({ outcome }) => outcomes[outcome]));
    const reason = reached.find((share) => share.reason !== '')?.reason ?? '';
    const relative =
      verbs && `, die ${verbs} wurde${reasonOf(reason, reached.length > 1 ? 'Stornierungsgrund' : 'Grund')}`;
    return `${at === null ? 'an diesem Tag' : `am ${dayOf(at)}`} ging ${order} ein${relative}`;
  },
  many: ({ from, to, worth, whole, ended, reversed, latest: { id, items } }) => {
    const [first, ...others] = ended.map((share) => shareOf(share, worth.count));
    const some = first && listOf([`davon ${first.verb} ${first.count} ${first.rest}`, ...others.map(inOrder)]);
    return [
      `${spanOf(from, to)} gingen ${worthOf(worth, 'Bestellung', 'Bestellungen')} ein`,
      whole && inOrder(shareOf(whole, worth.count)),
      some,
      listOf(reversed.map((share) => inOrder(shareOf(share, worth.count)))),
      id && `die neueste ist ${id}${items && ` (${itemsOf(items)})`}`,
    ]
      .filter(Boolean)
      .join('; ');
  },
};

/** The words of `2 wurden storniert`, of which a main clause may begin with another. */
type ShareWords = { count: string; verb: string; rest: string };

function shareOf(share: Share, placed: number): ShareWords {
  const all = placed === 2 ? 'beide' : 'alle';
  return {
    count: share.isAll ? all : numberOf(share.count),
    verb: share.count === 1 ? 'wurde' : 'wurden',
    rest: `${outcomes[share.outcome]}${reasonOfShare(share)}`,
  };
}

function inOrder({ count, verb, rest }: ShareWords): string {
  return `${count} ${verb} ${rest}`;
}

function reasonOfShare({ reason, count }: Share): string {
  return reasonOf(reason, count > 1 ? 'letzter Grund' : 'Grund');
}

export const payments: typeof EnglishPayments = {
  failures: (count, at) =>
    count === 1
      ? `am ${dayOf(at)} schlug 1 Zahlungsversuch fehl`
      : `es schlugen ${numberOf(count)} Zahlungsversuche fehl, der letzte am ${dayOf(at)}`,
  disputes: (count, at) =>
    count === 1
      ? `am ${dayOf(at)} wurde 1 Zahlung angefochten`
      : `es wurden ${numberOf(count)} Zahlungen angefochten, die letzte am ${dayOf(at)}`,
  received: (paid, { isAll, known, unknown, rest }) => {
    const made = describePaid(paid);
    const others = unknown > 0 ? refundsOfUnknownAmount(unknown) : '';
    if (isAll) return `${made}; der gesamte Betrag wurde erstattet`;
    if (!known) return others ? `${made}; außerdem gab es ${others}` : made;
    const leaving = rest ? `, es bleiben ${totalsOf(rest)}` : '';
    return `${made}; erstattet wurden ${totalsOf(known)}${others && `, außerdem gab es ${others}`}${leaving}`;
  },
  reductions: ({ cancelled, refunded, unknown, rest }) => {
    const reduced = listOf([
      cancelled ? `Stornierungen über ${totalsOf(cancelled)}` : '',
      refunded ? `Erstattungen über ${totalsOf(refunded)}` : '',
      unknown > 0 ? refundsOfUnknownAmount(unknown) : '',
    ]);
    if (!rest) return `die Daten zeigen ${reduced}`;
    const orders = rest.orders === 1 ? 'beläuft sich die Bestellung' : 'belaufen sich die Bestellungen';
    return `nach ${reduced} ${orders} auf ${totalsOf(rest.worth)}`;
  },
};

function describePaid({ count, orders, worth, at }: Paid): string {
  const day = at ? `am ${dayOf(at)}` : '';
  const latest = day && `, die letzte ${day}`;
  if (orders === null) {
    const paid = worthOf(worth, 'Zahlung', 'Zahlungen');
    return count === 1 ? `${day || 'es'} ging ${paid} ein` : `es gingen ${paid} ein${latest}`;
  }
  const whole = orders === 1 ? 'die Bestellung wurde' : 'die Bestellungen wurden';
  if (count > 1) return `${whole} mit ${numberOf(count)} Zahlungen vollständig bezahlt${latest}`;
  return [whole, day, orders > 1 && 'mit 1 Zahlung', 'vollständig bezahlt'].filter(Boolean).join(' ');
}

function refundsOfUnknownAmount(count: number): string {
  return `${countOf(count, 'Erstattung', 'Erstattungen')} in unbekannter Höhe`;
}
