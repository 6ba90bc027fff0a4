import { capitalize } from '../../../../../lib/format/capitalize.ts';
import { named } from '../../wording.ts';
import type { open as English } from '../en/open.ts';
import { countOf, dayOf, listOf, moneyOf, numberOf, quote, someOf, totalsOf } from './words.ts';

export const open: typeof English = {
  none: 'keine offenen Bestellungen oder Tickets',
  asOf: (at, clauses) => `Stand ${dayOf(at)}: ${capitalize(listOf(clauses))}`,
  debt: ({ stage, total, at }) => {
    const payment = total ? `Zahlung über ${totalsOf(total)}` : 'Zahlung in unbekannter Höhe';
    if (stage === 'failed') return `eine am ${dayOf(at)} fehlgeschlagene ${payment} ist noch fällig`;
    if (stage === 'overdue') return `eine ${payment} ist seit dem ${dayOf(at)} überfällig`;
    return `eine ${payment} steht seit dem ${dayOf(at)} aus`;
  },
  debts: ({ stage, count, total, unknown }) => {
    const rest = unknown > 0 ? ` und ${countOf(unknown, 'Zahlung', 'Zahlungen')} in unbekannter Höhe` : '';
    const sum = total ? ` (${totalsOf(total)}${rest})` : '';
    if (stage === 'failed') return `${numberOf(count)} fehlgeschlagene Zahlungen${sum} sind noch fällig`;
    return `${numberOf(count)} Zahlungen${sum} ${stage === 'overdue' ? 'sind überfällig' : 'stehen aus'}`;
  },
  pastDue: (plan) => `${subscriptionOf(plan)} ist im Zahlungsverzug`,
  paused: (plan) => `${subscriptionOf(plan)} ist pausiert`,
  trialing: (plan) => `die Testphase${plan && ` ${plan}`} läuft noch`,
  ending: (plan) => `${subscriptionOf(plan)} läuft aus`,
  onlyOrder: ({ isShipped, isPaid }) => {
    if (isShipped) return 'die Bestellung ist unterwegs';
    return isPaid ? 'die Bestellung ist bezahlt und noch offen' : 'die Bestellung ist offen';
  },
  order: ({ id, worth, isShipped, isPaid, at }) => {
    const details = [worth && moneyOf(worth), isPaid && 'bezahlt'].filter(Boolean).join(', ');
    const order = `die ${named('Bestellung', id)}${details && ` (${details})`}`;
    return isShipped ? `${order} ist unterwegs` : `${order} ist seit dem ${dayOf(at)} offen`;
  },
  orders: ({ count, ids }) => {
    const some = someOf(ids, count - ids.length, 'weitere');
    return `${countOf(count, 'Bestellung ist', 'Bestellungen sind')} offen${some && ` (${some})`}`;
  },
  ticket: ({ id, subject, at }) =>
    `das ${named('Ticket', id)}${subject && ` (${quote(subject)})`} ist seit dem ${dayOf(at)} offen`,
  tickets: ({ count, names }) => {
    const labels = names.map(({ subject, id }) => (subject ? quote(subject) : id));
    const some = someOf(labels, count - labels.length, 'weiteres');
    return `${countOf(count, 'Ticket ist', 'Tickets sind')} offen${some && ` (${some})`}`;
  },
};

function subscriptionOf(plan: string): string {
  return `das Abonnement${plan && ` ${plan}`}`;
}
