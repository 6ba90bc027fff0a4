import { type Content, html } from '../../../web/html.ts';
import type { en } from './texts.ts';
import { console, operator } from './texts-console-de.ts';

type Texts = typeof en;

const paid = { monthly: 'monatlich bezahlt', yearly: 'jährlich bezahlt' } as const;
const per = { monthly: 'pro Monat', yearly: 'pro Jahr' } as const;

/** The page that asks whether to cancel, in German. */
const cancellation: Texts['cancellation'] = {
  title: (plan) => `${plan} kündigen`,
  atOnce: 'Ihr Tarif endet sofort, und Sie wechseln zu Free. Den nicht bezahlten Betrag erlassen wir Ihnen.',
  atEnd: (plan, end: Content) =>
    html`Sie behalten ${plan} bis zum ${end} und wechseln danach zu Free. Es wird nichts mehr abgebucht. Bis dahin
können Sie ${plan} fortsetzen.`,
  reason: 'Warum kündigen Sie?',
  reasonHint: 'Wir lesen jede Antwort.',
  keep: (plan) => `${plan} behalten`,
};

/** The checkouts of the platform itself, in German. */
const checkout: Texts['checkout'] = {
  pay: (plan) => `${plan} bezahlen`,
  goOn: (plan) => `Weiter mit ${plan}`,
  keep: (plan) => `${plan} behalten`,
  change: (plan) => `Zu ${plan} wechseln`,
  goBack: 'Zurück',
  summary: {
    label: 'Bestellübersicht',
    organization: 'Organisation',
    plan: 'Tarif',
    terms: (plan, cycle) => `${plan}, ${paid[cycle]}`,
    period: 'Zeitraum',
    span: (start: Content, end: Content) => html`${start} bis ${end}`,
    price: 'Preis',
    proration: 'Anrechnung',
    prorationHint:
      'für den nicht genutzten Teil Ihres bisherigen Tarifs und den bereits vergangenen Teil des Zeitraums',
    due: 'Jetzt fällig',
    tax: (name, rate) => `${name} ${rate.replace('.', ',')}\u00a0% enthalten`,
    renewal: 'Verlängerung',
    renews: (day: Content, price) => html`Am ${day} für ${price}, bis Sie kündigen`,
  },
  begun:
    'Dieser Zeitraum hat bereits begonnen. Die Zahlung umfasst die Tage seit der letzten fehlgeschlagenen Zahlung.',
  test: {
    banner: 'Testzahlung: Es wird nichts abgebucht.',
    pay: (amount) => `${amount} bezahlen`,
    outcomes: 'Testergebnisse',
    outcomesLead: 'Sehen Sie, was passiert, wenn eine Zahlung fehlschlägt.',
    failRenewals: 'Bezahlen, Verlängerungen ablehnen',
    challenge: 'Bestätigung der Bank verlangen',
    decline: 'Zahlung ablehnen',
    declined:
      'Ihre Zahlung wurde abgelehnt. Es wurde nichts abgebucht. Versuchen Sie es erneut oder nutzen Sie ein anderes Zahlungsmittel.',
    failed: 'Ihre Bank hat die Zahlung nicht bestätigt. Es wurde nichts abgebucht. Versuchen Sie es erneut.',
    isItYou: 'Zahlung bestätigen',
    bankAsks: (amount, seller) =>
      html`Die Bank dieser Testseite bittet Sie, die Zahlung von <strong>${amount}</strong> an
<strong>${seller}</strong> zu bestätigen.`,
    yes: 'Bestätigen',
    no: 'Ablehnen',
  },
  transfer: {
    lead: (seller) => html`Überweisen Sie den Betrag an <strong>${seller}</strong> mit diesem Verwendungszweck:`,
    reference: 'Verwendungszweck',
    counts: 'Der Tarif beginnt, sobald die Zahlung eingegangen ist.',
  },
  upgrade: {
    lead: (amount) =>
      html`Der nicht genutzte Teil Ihres bisherigen Tarifs wird abgezogen. Etwa <strong>${amount}</strong> werden jetzt
von Ihrem hinterlegten Zahlungsmittel abgebucht.`,
    confirm: 'Bestätigen und bezahlen',
  },
  covered: (until: Content) => html`Jetzt ist nichts fällig. Der nicht genutzte Teil Ihres bisherigen Tarifs deckt die
Kosten bis zum <strong>${until}</strong>.`,
  nothingDue: 'Jetzt ist nichts fällig.',
  plan: (plan, cycle) => html`<strong>${plan}</strong>, ${paid[cycle]}`,
  kept: (organization, plan: Content) =>
    html`<strong>${organization}</strong> behält ${plan}. Der für den nächsten Zeitraum geplante Wechsel ist
aufgehoben.`,
  changes: (from: Content, organization, plan: Content) =>
    html`<strong>${organization}</strong> wechselt am <strong>${from}</strong> zu ${plan}. Bis dahin bleibt der
bisherige Tarif bestehen.`,
  waiting: {
    title: 'Ihre Zahlung wird verarbeitet',
    lead: (plan) =>
      html`Der Tarif <strong>${plan}</strong> beginnt, sobald die Zahlung bestätigt ist. Das dauert meist einige
Sekunden.`,
  },
  goOnLink: 'Weiter',
  chooseButton: 'Wählen Sie eine der Schaltflächen.',
  ended: {
    paid: { title: 'Bezahlt', words: (organization, plan) => `${organization} nutzt jetzt den Tarif ${plan}.` },
    confirmed: { title: 'Bestätigt', words: 'Diese Änderung ist bestätigt.' },
    expired: {
      title: 'Dieser Bezahlvorgang ist abgelaufen',
      words: 'Es wurde nichts abgebucht. Wählen Sie den Tarif erneut, um von vorn zu beginnen.',
    },
    closed: {
      title: 'Dieser Bezahlvorgang ist geschlossen',
      words: 'Er wurde abgebrochen oder durch einen anderen ersetzt. Für diesen wurde nichts abgebucht.',
    },
  },
};

/** The plans on sale, in German. */
const plans: Texts['plans'] = {
  cycle: { label: 'Abrechnungszeitraum', monthly: 'Monatlich', yearly: 'Jährlich' },
  currency: 'Währung',
  yourPlan: 'Aktueller Tarif',
  descriptions: {
    free: 'Zum Ausprobieren der Plattform und für kleine Websites.',
    pro: 'Für wachsende Teams.',
    scale: 'Für große Teams und hohe Mengen.',
  },
  per,
  saving: (percent) => `${percent}\u00a0% günstiger als bei monatlicher Zahlung`,
  scheduled: (end: Content) => html`Beginnt am ${end}`,
  acts: {
    pay: (plan) => `${plan} bezahlen`,
    keep: (plan) => `${plan} behalten`,
    upgrade: (plan) => `Upgrade auf ${plan}`,
    change: (plan) => `Zu ${plan} wechseln`,
    monthly: (plan) => `${plan} monatlich bezahlen`,
    yearly: (plan) => `${plan} jährlich bezahlen`,
  },
  terms: {
    noPayments:
      'Diese Plattform nimmt keine Zahlungen an. Um Ihren Tarif zu ändern, wenden Sie sich an ihren Betreiber.',
    credit: 'Upgrades beginnen sofort. Den Rest Ihres laufenden Zeitraums rechnen wir an.',
    time: 'Ist der nicht genutzte Teil mehr wert als der Preis, verlängert sich der neue Zeitraum.',
    noCredit: `Upgrades beginnen sofort und werden voll bezahlt. Der nicht genutzte Teil Ihres laufenden Zeitraums wird
nicht abgezogen, weil er auf andere Weise bezahlt wurde.`,
    less: 'Ein Wechsel in einen kleineren Tarif gilt ab dem Ende des Zeitraums. Sie sehen den fälligen Betrag, bevor Sie bezahlen.',
  },
  included: {
    events: 'Ereignisse pro Tag',
    eventsKept: 'Aufbewahrung von Ereignissen',
    days: (days) => `${days} Tage`,
    years: (years) => (years === 1 ? '1 Jahr' : `${years} Jahre`),
    mails: 'E-Mails pro Monat',
    notifications: 'Benachrichtigungen pro Monat',
    storage: 'Speicher',
    bandwidth: 'Datenverkehr pro Monat',
    seats: 'Plätze für Bearbeiter',
    members: 'Mitglieder',
    roles: 'Rollen',
    applications: 'Anwendungen',
    apiKeys: 'API-Schlüssel',
    declared: {
      day: (name) => `${name} pro Tag`,
      month: (name) => `${name} pro Monat`,
      gauge: (name) => name,
      count: (name) => name,
    },
  },
};

const cost = (price: string | null) => (price === null ? '' : ` für ${price}`);

/** The state of a subscription, and its consequences, in German. */
const subscription: Texts['subscription'] = {
  price: (money, cycle) => `${money} ${per[cycle]}`,
  tags: {
    active: null,
    trialing: 'Noch nicht bezahlt',
    past_due: 'Zahlung fehlgeschlagen',
    incomplete: 'Wartet auf Zahlung',
    expired: 'Abgelaufen',
    canceled: 'Beendet',
  },
  cancelledTag: 'Gekündigt',
  cancelled: (plan, end: Content) => html`Gekündigt. Sie behalten ${plan} bis zum ${end} und wechseln danach zu Free.
Es wird nichts mehr abgebucht.`,
  paymentFailed: 'Die letzte Zahlung ist fehlgeschlagen.',
  pastDue: (deadline: Content) =>
    html`Die letzte Zahlung ist fehlgeschlagen. Ihr Tarif gilt weiter${deadline && html` bis zum ${deadline}`}. Danach
können Sie nur noch bezahlen oder kündigen.`,
  expired: (deadline: Content) =>
    html`Ihr Tarif ist gesperrt, weil er nicht bezahlt wurde. Bezahlen Sie unten einen Tarif oder kündigen Sie, um
sofort zu Free zu wechseln. ${deadline && html`Andernfalls wechseln Sie am ${deadline} zu Free.`}`,
  incomplete: (deadline: Content) =>
    html`Die erste Zahlung ist nicht abgeschlossen. Bis sie eingeht, haben Sie den Umfang von Free.
${deadline && html`Die Zahlung verfällt am ${deadline}.`}`,
  ended: 'Dieser Tarif ist beendet.',
  becomes: (plan, cycle, end: Content, price) => html`Wechselt am ${end} zu ${plan}, ${paid[cycle]}${cost(price)}.`,
  renews: (end: Content) => html`Verlängert sich am ${end}.`,
  trialing: 'Sie können Ihren Tarif schon nutzen. Die Zahlung steht noch aus.',
  charging: 'Die Zahlung für diesen Zeitraum wird verarbeitet.',
  free: 'Kostenlos und unbefristet.',
  given: 'Kostenlos.',
  change: 'Tarif wechseln',
  resume: (plan) => `${plan} fortsetzen`,
};

/** The texts of billing's pages in German. */
const taxes: Texts['taxes'] = { inclusive: 'Preise enthalten alle Steuern.' };

export const de: Texts = { cancellation, checkout, console, operator, plans, subscription, taxes };
