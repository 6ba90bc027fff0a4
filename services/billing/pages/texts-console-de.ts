import { type Content, html } from '../../../web/html.ts';
import type { en } from './texts.ts';

type Texts = typeof en;

/** The page of usage and billing, without its plans and the state of the subscription, in German. */
export const console: Texts['console'] = {
  readOnly: 'Sie können die Abrechnung ansehen, aber nicht ändern. Wenden Sie sich an einen Inhaber der Organisation.',
  noChange:
    'Ihnen fehlt die Berechtigung, die Abrechnung zu ändern. Wenden Sie sich an einen Inhaber der Organisation.',
  notices: {
    'checked-out':
      'Vielen Dank. Ihre Bestellung ist abgeschlossen. Eine Zahlung, die noch bestätigt wird, erscheint gleich hier.',
    'given-up': 'Bezahlvorgang abgebrochen. Es wurde nichts abgebucht.',
    cancelled: 'Ihr Abonnement wurde gekündigt.',
    resumed: 'Ihr Abonnement wird fortgesetzt.',
  },
  headings: { plan: 'Tarif', plans: 'Tarife', usage: 'Verbrauch', invoices: 'Rechnungen', cancel: 'Kündigen' },
  cancel: (plan, href) => html`Sie können <a href="${href}">${plan} jederzeit kündigen</a>.`,
  cancelHint: (plan) => `Sie behalten ${plan} bis zum Ende des bezahlten Zeitraums.`,
  cancelHintOfGiven: (plan) => `Sie behalten ${plan} bis zum Ende des laufenden Zeitraums.`,
  invoices: {
    columns: { invoice: 'Rechnung', date: 'Datum', status: 'Status', amount: 'Betrag', act: 'Ändern' },
    statuses: {
      draft: 'Entwurf',
      open: 'Offen',
      paid: 'Bezahlt',
      void: 'Storniert',
      uncollectible: 'Unbezahlt',
    },
    pdf: (number) => `PDF der Rechnung ${number}`,
    unnumbered: 'ohne Nummer',
    due: (day: Content) => html`fällig am ${day}`,
    none: 'Noch keine Rechnungen.',
    older: 'Ältere Rechnungen',
  },
  history: {
    title: 'Verbrauch im Zeitverlauf',
    label: 'Zeitraum',
    views: { days: 'Letzte 30 Tage', months: 'Letzte 12 Monate' },
    titles: { days: (meter) => `${meter} nach Tag`, months: (meter) => `${meter} nach Monat` },
    totals: { days: (total) => `${total} in 30 Tagen`, months: (total) => `${total} in 12 Monaten` },
    summaries: {
      days: (meter, total, today) => `${meter} nach Tag: ${total} in 30 Tagen, heute bisher ${today}.`,
      months: (meter, total, present) =>
        `${meter} nach Monat: ${total} in 12 Monaten, in diesem Monat bisher ${present}.`,
    },
    limit: (limit) => `Limit ${limit}`,
    unused: {
      days: (meters) => `In den letzten 30 Tagen nicht genutzt: ${meters}.`,
      months: (meters) => `In den letzten 12 Monaten nicht genutzt: ${meters}.`,
    },
    byMonth: 'Tage sind in UTC. Für Monatslimits wird der Verbrauch nach Monat gezählt.',
    meters: {
      'context.eventsPerDay': 'Ereignisse',
      'notification.sendsPerMonth': 'Benachrichtigungen',
      'mail.sendsPerMonth': 'E-Mails',
      'storage.bandwidthGbPerMonth': 'Datenverkehr',
    },
  },
  usage: {
    unpaid: 'Sie können Ihren Tarif wieder nutzen, sobald er bezahlt ist.',
    amount: (used, limit) => html`<b>${used}</b> von ${limit}`,
    usedUp: 'Aufgebraucht',
    dailyReset: (at: Content) => html`Tageslimits beginnen am ${at} neu.`,
    monthlyReset: (at: Content) => html`Monatslimits beginnen am ${at} neu.`,
    notIncluded: (meters) => `Nicht enthalten: ${meters}.`,
    inSentence: (name) => name,
    declared: {
      day: (name) => `${name} heute`,
      month: (name) => `${name} in diesem Monat`,
      gauge: (name) => name,
    },
    meters: {
      'context.eventsPerDay': 'Ereignisse heute',
      'notification.sendsPerMonth': 'Benachrichtigungen in diesem Monat',
      'mail.sendsPerMonth': 'E-Mails in diesem Monat',
      'storage.bandwidthGbPerMonth': 'Datenverkehr in diesem Monat',
      'storage.storageGb': 'Speicher',
      'connect.agentSeats': 'Plätze für Bearbeiter',
    },
    nearLimit: {
      used: (percent, name) => `${name}: ${percent}\u00a0% verbraucht.`,
      near: (until: Content) => html`Anfragen über dem Limit werden${until && html` bis zum ${until}`} abgelehnt.`,
      over: (until: Content) => html`Alles Weitere wird${until && html` bis zum ${until}`} abgelehnt.`,
      plans: 'Tarife ansehen',
    },
  },
};

/** The page of operators about the plan of an organization, in German. */
export const operator: Texts['operator'] = {
  notices: { given: 'Die Organisation hat den Tarif erhalten.', paid: 'Die Rechnung ist bezahlt.' },
  give: {
    title: 'Tarif vergeben',
    words: 'Die Organisation erhält den Tarif sofort und kostenlos. Ein Abonnement, das sie bezahlt, wird beendet.',
    label: 'Tarif',
    plans: { free: 'Free', pro: 'Pro', scale: 'Scale' },
    submit: 'Tarif vergeben',
  },
  pay: {
    submit: 'Als bezahlt markieren',
    question: (number) => `Rechnung ${number} als bezahlt markieren?`,
    consequence: (amount) =>
      `Sie haben ${amount} außerhalb des Zahlungsanbieters erhalten. Das Abonnement verlängert sich.`,
    confirm: 'Als bezahlt markieren',
  },
};
