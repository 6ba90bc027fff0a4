import { type Html, html } from '../../../web/html.ts';
import type * as English from './texts-account.ts';

/** The page of the profile. */
export const profile: typeof English.profile = {
  title: 'Profil',
  loginEmail: (email: string | null) => html`Sie melden sich mit <strong>${email}</strong> an.`,
  fields: {
    middleName: 'Zweiter Vorname',
    preferredName: 'Rufname',
    displayName: 'Anzeigename',
    birthDate: 'Geburtsdatum',
    gender: 'Geschlecht',
    avatarUrl: 'URL des Profilbilds',
    language: 'Sprache der Seiten und E-Mails',
    followsBrowser: 'Wie im Browser eingestellt',
  },
  notices: { saved: 'Profil gespeichert.' },
};

/** The page of the user's organizations. */
export const organizations: typeof English.organizations = {
  title: 'Organisationen',
  none: 'Sie sind noch in keiner Organisation Mitglied.',
  create: 'Organisation erstellen',
  name: 'Name',
  slug: 'Kurzname',
  slugHint: 'Steht in Adressen für die Organisation, zum Beispiel acme-bikes. Der Kurzname kann nicht geändert werden.',
  missing: {
    name: 'Geben Sie einen Namen ein.',
    slug: 'Geben Sie einen Kurznamen ein: 1 bis 63 Kleinbuchstaben, Ziffern und Bindestriche.',
  },
  open: 'Konsole öffnen',
  notices: {
    left: 'Sie haben die Organisation verlassen.',
    deleted: 'Organisation gelöscht. Alle Daten darin werden gerade entfernt.',
  },
};

/** The page for changing the password. */
export const password: typeof English.password = {
  title: 'Passwort',
  lead: 'Wenn Sie das Passwort ändern, werden Sie in allen anderen Browsern abgemeldet.',
  newPasswordMissing: 'Geben Sie ein neues Passwort ein.',
  notices: { changed: 'Passwort geändert. Sie sind in allen anderen Browsern abgemeldet.' },
};

/** The page for exporting the data and deleting the account. */
export const data: typeof English.data = {
  title: 'Ihre Daten',
  exportTitle: 'Ihre Daten exportieren',
  exportLead:
    'Laden Sie alles herunter, was über Sie gespeichert ist: Profil, Kontakte, Adressen, Mitgliedschaften, Sitzungen und Aktivitäten.',
  download: 'Herunterladen',
  deleteTitle: 'Ihr Konto löschen',
  deleteLead: html`Sie werden überall abgemeldet, und Ihr Profil, Ihre Kontakte, Adressen und Mitgliedschaften werden gelöscht. Das lässt sich nicht rückgängig machen.
Ihre Organisationen behalten ihre Daten.`,
  email: 'Ihre E-Mail-Adresse',
  emailHint: (email: string | null) => html`Geben Sie zur Bestätigung <strong>${email}</strong> ein.`,
  emailWrong: 'Mit dieser Adresse melden Sie sich nicht an. Ihr Konto wurde nicht gelöscht.',
  submit: 'Konto löschen',
};

/** The page of the contacts. */
export const contacts: typeof English.contacts = {
  title: 'Kontakte',
  types: {
    email: 'E-Mail',
    phone: 'Telefon',
    chatapp: 'Chat',
    photoapp: 'Fotos',
    socialapp: 'Soziales Netzwerk',
    microblog: 'Mikroblog',
  },
  confirmed: (kind: string) => `${kind}, bestätigt`,
  unconfirmed: (kind: string) => `${kind}, noch nicht bestätigt`,
  isLogin: 'E-Mail zum Anmelden',
  isPrimary: 'Hauptkontakt',
  confirm: 'Bestätigen',
  logInWith: 'Zum Anmelden verwenden',
  makePrimary: 'Als Hauptkontakt',
  addTitle: 'Kontakt hinzufügen',
  value: 'E-Mail, Nummer oder Benutzername',
  valueMissing: 'Geben Sie eine E-Mail-Adresse, eine Nummer oder einen Benutzernamen ein.',
  typeMissing: 'Wählen Sie die Art des Kontakts.',
  actMissing: 'Wählen Sie, was mit dem Kontakt geschehen soll.',
  notices: {
    added: 'Kontakt hinzugefügt.',
    primary: 'Hauptkontakt geändert.',
    removed: 'Kontakt entfernt.',
    mailed: 'Wir haben eine E-Mail zur Bestätigung an diese Adresse gesendet. Öffnen Sie den Link darin.',
    login: 'E-Mail zum Anmelden geändert.',
  },
};

/** The page for changing the login email. */
export const loginEmail: typeof English.loginEmail = {
  title: 'E-Mail zum Anmelden ändern',
  lead: (email: string) =>
    html`Sie melden sich künftig mit <strong>${email}</strong> an. Geben Sie Ihr Passwort ein, um fortzufahren.`,
  submit: 'E-Mail ändern',
  back: 'Zurück zu den Kontakten',
  unconfirmed: 'Bestätigen Sie diese Adresse, bevor Sie sie zum Anmelden verwenden.',
};

/** The page of the addresses. */
export const addresses: typeof English.addresses = {
  title: 'Adressen',
  none: 'Noch keine Adressen.',
  types: { home: 'Privat', work: 'Geschäftlich', billing: 'Rechnung', shipping: 'Lieferung' },
  change: 'Bearbeiten',
  changeTitle: 'Adresse bearbeiten',
  addTitle: 'Adresse hinzufügen',
  addInstead: 'Stattdessen eine neue Adresse hinzufügen',
  addressLine: 'Straße und Hausnummer',
  city: 'Ort',
  postalCode: 'Postleitzahl',
  state: 'Bundesland oder Region',
  country: 'Land',
  chooseCountry: 'Auswählen…',
  missing: {
    addressLine: 'Geben Sie Straße und Hausnummer ein.',
    city: 'Geben Sie einen Ort ein.',
    country: 'Wählen Sie ein Land.',
  },
  notices: { saved: 'Adresse gespeichert.', removed: 'Adresse entfernt.' },
};

/** The page of the sessions. */
export const sessions: typeof English.sessions = {
  title: 'Sitzungen',
  lead: 'Diese Browser sind in Ihrem Konto angemeldet. Kennen Sie einen davon nicht, beenden Sie seine Sitzung und ändern Sie Ihr Passwort.',
  current: 'Dieser Browser',
  origin: (address: string, time: Html) => html`Von ${address || 'einer unbekannten Adresse'}, angemeldet am ${time}`,
  lastUsed: (time: Html) => html`Zuletzt verwendet am ${time}`,
  end: 'Sitzung beenden',
  nameOfEnd: (device: string, time: string) => `Sitzung beenden: ${device}, angemeldet am ${time}`,
  onlyNewest: (count: string) => `Es werden die ${count} neuesten Sitzungen angezeigt.`,
  endOthers: 'Alle anderen Sitzungen beenden',
  confirmation: {
    question: 'Alle anderen Sitzungen beenden?',
    consequence: 'Sie werden in allen anderen Browsern abgemeldet.',
    confirm: 'Alle anderen beenden',
  },
  notices: {
    ended: 'Sitzung beendet.',
    'others-ended': 'Alle anderen Sitzungen beendet.',
  },
};

/** The page of the applications that may act for the user. */
export const applications: typeof English.applications = {
  title: 'Anwendungen',
  lead: 'Diese Anwendungen haben Zugriff auf Ihr Konto. Wenn Sie einer Anwendung den Zugriff entziehen, muss sie Sie erneut fragen.',
  none: 'Keine Anwendung hat Zugriff auf Ihr Konto.',
  usedSince: (organization: string, time: Html) =>
    html`Von ${organization}, Teil dieser Plattform, verwendet seit dem ${time}`,
  allowed: (organization: string, time: Html) => html`Von ${organization}, erlaubt am ${time}`,
  scopes: 'Die Anwendung darf:',
  withdraw: 'Zugriff entziehen',
  notices: { withdrawn: 'Zugriff entzogen.' },
};
