import type { person as EnglishPerson, title as EnglishTitle } from '../en/person.ts';
import type { Since, Standing } from '../standing.ts';
import { countOf, dayOf, listOf, monthOf, numberOf, reasonOf, timesOf } from './words.ts';

const standings: Record<Standing['kind'], string> = {
  closed: 'Konto geschlossen im',
  loyal: 'Stammkunde',
  returning: 'wiederkehrender Kunde',
  new: 'Neukunde',
  customer: 'Kunde',
  former: 'ehemaliger Kunde, erster Kauf im',
  trial: 'in der Testphase',
  registered: 'registriert',
  user: 'Benutzer',
  contact: 'Kontakt',
  visitor: 'Besucher',
  known: 'bekannt',
};

function standingSince(kind: Standing['kind'], { at, isExact }: Since): string {
  const month = monthOf(at);
  if (kind === 'closed') return `${standings[kind]} ${month}`;
  if (kind === 'former') return `${standings[kind]} ${month}${isExact ? '' : ' oder früher'}`;
  return `${standings[kind]} ${isExact ? '' : 'mindestens '}seit ${month}`;
}

export const title: typeof EnglishTitle = {
  standing: standingSince,
  back: (at) => ` (zurück seit ${monthOf(at)})`,
  pastDue: 'Abonnement im Zahlungsverzug',
  failed: (count) => countOf(count, 'fehlgeschlagene Zahlung', 'fehlgeschlagene Zahlungen'),
  overdue: (count) => countOf(count, 'überfällige Zahlung', 'überfällige Zahlungen'),
  tickets: (count) => countOf(count, 'offenes Ticket', 'offene Tickets'),
  orders: (count) => countOf(count, 'offene Bestellung', 'offene Bestellungen'),
  paused: 'Abonnement pausiert',
  ending: (at) => (at ? `Abonnement endet am ${dayOf(at)}` : 'Abonnement läuft aus'),
  trial: (at, isAnother) => `${isAnother ? 'weitere Testphase endet' : 'Testphase endet'} am ${dayOf(at)}`,
};

export const person: typeof EnglishPerson = {
  unnamed: 'Unbenannter Kunde',
  plan: (plan) => `Tarif ${plan}`,
  closed: (at, reason, since) =>
    `hat das Konto am ${dayOf(at)} geschlossen${reasonOf(reason)}${since ? ` und war zuvor ${since.isExact ? '' : 'mindestens '}seit dem ${dayOf(since.at)} Kunde` : ''}`,
  formerSince: ({ at, isExact }) =>
    `ist ehemaliger Kunde und kaufte ${isExact ? '' : 'spätestens '}am ${dayOf(at)} zum ersten Mal`,
  formerUntil: (until) => `war bis zum ${dayOf(until)} Kunde`,
  former: ({ at, isExact }, until) =>
    isExact
      ? `war vom ${dayOf(at)} bis zum ${dayOf(until)} Kunde`
      : `war spätestens ab dem ${dayOf(at)} und bis zum ${dayOf(until)} Kunde`,
  formerWithBreak: (since, gap, until) =>
    `war vom ${dayOf(since)} bis zum ${dayOf(gap.from)} und vom ${dayOf(gap.to)} bis zum ${dayOf(until)} Kunde`,
  formerWithBreaks: (since, until, count) =>
    `war vom ${dayOf(since)} bis zum ${dayOf(until)} mit ${numberOf(count)} Unterbrechungen Kunde`,
  bought: (kind, { at, isExact }, returns) =>
    `ist ${kind === 'loyal' ? 'Stammkunde' : 'ein wiederkehrender Kunde'}${returns.length > 0 ? ', ' : ' und '}${listOf(
      [`kaufte ${isExact ? 'am' : 'spätestens am'} ${dayOf(at)} zum ersten Mal`, ...returns],
    )}`,
  customer: ({ at, isExact }) => `ist ${isExact ? '' : 'mindestens '}seit dem ${dayOf(at)} Kunde`,
  new: ({ at, isExact }) => `wurde ${isExact ? '' : 'spätestens '}am ${dayOf(at)} Kunde`,
  trial: (at) => `ist seit dem ${dayOf(at)} in einer Testphase`,
  registered: (at) => `hat sich am ${dayOf(at)} registriert`,
  user: (at) => `ist seit dem ${dayOf(at)} Benutzer`,
  contact: (at) => `hatte am ${dayOf(at)} zum ersten Mal Kontakt`,
  visitor: (at) => `ist ein Besucher, der am ${dayOf(at)} zum ersten Mal gesehen wurde`,
  known: (at) => `wurde am ${dayOf(at)} zum ersten Mal gesehen`,
  left: (at) => `war ab dem ${dayOf(at)} nicht mehr Kunde`,
  stopped: (at) => `kaufte nach dem ${dayOf(at)} zunächst nichts mehr`,
  back: (at) => `kam am ${dayOf(at)} zurück`,
  leftAndBack: (count, at) => `kam nach Unterbrechungen ${timesOf(count)} zurück, zuletzt am ${dayOf(at)}`,
};
