import type { subscription as English } from '../en/subscription.ts';
import type { Change } from '../subscription.ts';
import { dayOf, listOf, numberOf, reasonOf, timesOf, totalsOf } from './words.ts';

const changes: Record<Change['kind'], string> = {
  upgraded: 'hochgestuft',
  downgraded: 'herabgestuft',
  changed: 'umgestellt',
};

export const subscription: typeof English = {
  subject: ({ plan, isTrial }, isAnother) => {
    const article = isTrial ? (isAnother ? 'eine weitere' : 'die') : isAnother ? 'ein weiteres' : 'das';
    return `${article} ${isTrial ? 'Testphase' : 'Abonnement'}${plan && ` ${plan}`}`;
  },
  inAll: (count) => `insgesamt gab es ${numberOf(count)} Abonnements`,
  started: (at) => `begann am ${dayOf(at)}`,
  onRecord: (at) => `ist seit dem ${dayOf(at)} verzeichnet`,
  converted: (at, plan) =>
    plan ? `wurde am ${dayOf(at)} zum bezahlten Abonnement ${plan}` : `wurde am ${dayOf(at)} zum bezahlten Abonnement`,
  running: (until) => (until ? `läuft bis zum ${dayOf(until)}` : 'läuft noch'),
  ranOut: (at) => `lief am ${dayOf(at)} ab`,
  expired: (at) => `lief am ${dayOf(at)} ab`,
  active: 'ist aktiv',
  pastDue: (at) => `ist seit dem ${dayOf(at)} im Zahlungsverzug`,
  paused: (at) => `ist seit dem ${dayOf(at)} pausiert`,
  ending: (at, reason, end) =>
    `wurde am ${dayOf(at)} zum ${end ? dayOf(end) : 'Ende des bezahlten Zeitraums'} gekündigt${reasonOf(reason)}`,
  cancelled: (at, reason) => `wurde am ${dayOf(at)} gekündigt${reasonOf(reason)}`,
  ended: (at) => `endete am ${dayOf(at)}`,
  pause: (from, to) => `war vom ${dayOf(from)} bis zum ${dayOf(to)} pausiert`,
  resumed: (from, reason, to) =>
    `wurde am ${dayOf(from)} gekündigt${reasonOf(reason)}, wurde am ${dayOf(to)} wieder aufgenommen`,
  renewed: ({ count, known, total, at }) => {
    if (count === 1) return `wurde einmal verlängert (am ${dayOf(at)}${total ? ` für ${totalsOf(total)}` : ''})`;
    const scope = known < count ? `für ${numberOf(known)} davon` : 'insgesamt';
    const worth = total ? `${totalsOf(total)} ${scope}, ` : '';
    return `wurde ${timesOf(count)} verlängert (${worth}zuletzt am ${dayOf(at)})`;
  },
  changedOnce: (change) => `wurde ${moveOf(change)} ${changes[change.kind]}`,
  changed: ({ counts, last }) => {
    const times = listOf(counts.map(({ kind, count }) => `${timesOf(count)} ${changes[kind]}`));
    return `wurde ${times} (zuletzt ${moveOf(last)}${counts.length === 1 ? '' : ` ${changes[last.kind]}`})`;
  },
};

function moveOf({ from, to, at }: Change): string {
  return `am ${dayOf(at)}${from && ` von ${from} auf ${to}`}`;
}
