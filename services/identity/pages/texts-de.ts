import type { SystemRole } from '../../../lib/contract/authorize.ts';
import { type Content, html } from '../../../web/html.ts';
import type { en } from './texts.ts';
import {
  addresses,
  applications,
  contacts,
  data,
  loginEmail,
  organizations,
  password,
  profile,
  sessions,
} from './texts-account-de.ts';
import { consoleApplications } from './texts-applications-de.ts';
import { overview, search } from './texts-console-de.ts';
import { logs } from './texts-logs-de.ts';
import { operatorConsole } from './texts-operator-de.ts';
import { consoleSettings } from './texts-settings-de.ts';
import { people } from './texts-users-de.ts';

type English = typeof en;

/** The fields that several pages have. */
const fields: English['fields'] = {
  email: 'E-Mail-Adresse',
  emailMissing: 'Geben Sie Ihre E-Mail-Adresse ein.',
  password: 'Passwort',
  currentPassword: 'Aktuelles Passwort',
  currentPasswordMissing: 'Geben Sie Ihr aktuelles Passwort ein.',
  newPassword: 'Neues Passwort',
  newPasswordHint:
    'Mindestens 8\u00a0Zeichen. Mehrere Wörter hintereinander sind leicht zu merken und schwer zu erraten.',
  firstName: 'Vorname',
  lastName: 'Nachname',
  kind: 'Art',
};

/** The buttons that several pages have. */
const buttons: English['buttons'] = {
  add: 'Hinzufügen',
  save: 'Speichern',
  remove: 'Entfernen',
  changePassword: 'Passwort ändern',
};

/** The accessible name of one of several equal buttons or links, with the item that it is for. */
const nameOfButton = (button: string, item: string) => `${button}: ${item}`;

/** The roles of a member of an organization. */
const roles: English['roles'] = { owner: 'Inhaber', admin: 'Administrator', member: 'Mitglied' };

/** The names of browsers on devices. */
const devices: English['devices'] = {
  on: (browser: string, system: string) =>
    system.startsWith('iP') ? `${browser} auf dem ${system}` : `${browser} unter ${system}`,
  unknown: 'Unbekanntes Gerät',
};

/** The gallery of components, for development. */
const gallery: English['gallery'] = { title: 'Komponenten' };

/** The login page. */
const login: English['login'] = {
  title: 'Anmelden',
  continueTo: (application: string, organization: string) =>
    html`weiter zu <strong>${application}</strong> von <strong>${organization}</strong>`,
  submit: 'Anmelden',
  forgotPassword: 'Passwort vergessen?',
  register: (href: string) => html`Neu hier? <a href="${href}">Konto erstellen</a>`,
  passwordMissing: 'Geben Sie Ihr Passwort ein.',
  wrong: 'E-Mail-Adresse oder Passwort ist falsch. Prüfen Sie beides und versuchen Sie es erneut.',
  repeated: 'Melden Sie sich erneut an, um zu bestätigen, dass Sie es sind.',
  notices: {
    'logged-out': 'Sie sind abgemeldet.',
    'other-account': 'Melden Sie sich mit dem Konto an, das Sie verwenden möchten.',
    'password-changed': 'Passwort geändert. Melden Sie sich mit dem neuen Passwort an.',
    'account-deleted': 'Ihr Konto wurde gelöscht.',
    'session-too-old': 'Diese Organisation verlangt, dass sich ihre Mitglieder von Zeit zu Zeit neu anmelden.',
  },
};

/** The logout page. */
const logout: English['logout'] = {
  title: 'Abmelden',
  lead: 'Sie werden in diesem Browser abgemeldet.',
  submit: 'Abmelden',
};

/** The page that asks before a redirect to an unknown site. */
const leave: English['leave'] = {
  title: 'Sie verlassen diese Website',
  lead: (origin: string | null) =>
    html`Sie wechseln gleich zu <strong>${origin}</strong>. Diese Website gehört nicht uns, und wir haben sie nicht geprüft.`,
  advice:
    'Fahren Sie nur fort, wenn Sie diese Website kennen und dorthin wollten. Geben Sie Ihr Passwort für diese Plattform nie an anderer Stelle ein.',
  submit: (origin: string | null) => html`Weiter zu ${origin}`,
  stay: 'Hier bleiben',
  refused:
    'Die Adresse für die Rückkehr (return_to) gehört weder zu dieser Plattform noch zu einer registrierten Anwendung. ' +
    'Gehen Sie zurück und versuchen Sie es erneut.',
};

/** The pages on which users who forgot their password choose a new one. */
const recovery: English['recovery'] = {
  title: 'Passwort zurücksetzen',
  lead: 'Geben Sie Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Link, mit dem Sie Ihr Passwort zurücksetzen können.',
  submit: 'Link senden',
  backToLogin: 'Zurück zur Anmeldung',
  mailed: (
    to: string,
  ) => html`Falls es für <strong>${to}</strong> ein Konto gibt, haben wir eine E-Mail an diese Adresse gesendet. Öffnen Sie den Link darin
innerhalb einer Stunde, um Ihr Passwort zurückzusetzen.`,
  resetLead: 'Wenn Sie das Passwort ändern, werden Sie in allen Browsern abgemeldet.',
  askAgain: 'Neuen Link anfordern',
};

/** The page that a mail is on its way. */
const mailed: English['mailed'] = {
  title: 'Prüfen Sie Ihre E-Mails',
  again: (href: string) =>
    html`Nach einigen Minuten noch keine E-Mail? Sehen Sie im Spam-Ordner nach, oder <a href="${href}">versuchen Sie es erneut</a>.`,
  mailbox: (href: string) => html`Diese Plattform versendet noch keine E-Mails. Sie finden Ihre E-Mail im
<a href="${href}">Postfach für die Entwicklung</a>. Öffnen Sie es zum ersten Mal mit dem Link zum Postfach, den die
Plattform beim Start ausgibt.`,
};

/** The page of a mailed link that is no longer valid. */
const linkExpired: English['linkExpired'] = {
  title: 'Dieser Link ist abgelaufen',
  lead: 'Er ist zu alt, unvollständig oder wurde bereits verwendet. Jeder Link funktioniert einmal.',
};

/** The pages of a mailed link that confirms an address. */
const confirmation: English['confirmation'] = {
  title: 'E-Mail-Adresse bestätigen',
  submit: 'Bestätigen',
};

/** The pages of a mailed link that confirms a contact. */
const contactConfirmation: English['contactConfirmation'] = {
  lead: (email: string) =>
    html`Bestätigen Sie, dass <strong>${email}</strong> Ihre Adresse ist. Sie wird zu einem bestätigten Kontakt Ihres Kontos.`,
  doneTitle: 'Bestätigt',
  done: 'Ihre E-Mail-Adresse ist bestätigt.',
  contacts: 'Zu Ihren Kontakten',
  otherTitle: 'Dieser Link gehört zu einem anderen Konto',
  other: (
    email: Content,
  ) => html`Sie sind als <strong>${email}</strong> angemeldet, aber ein anderes Konto hat diesen Link angefordert.
Melden Sie sich mit jenem Konto an, um die Adresse zu bestätigen.`,
  notAsked:
    'Wenn Sie nicht wissen, wer den Link angefordert hat, schließen Sie diese Seite. Die Adresse wird dann nicht bestätigt.',
  logOut: 'Abmelden und fortfahren',
  askAgain: 'Neue E-Mail bei Ihren Kontakten anfordern',
};

/** The pages on which an account is made. */
const registration: English['registration'] = {
  title: 'Konto erstellen',
  emailHint: 'Mit dieser Adresse melden Sie sich an, und dorthin senden wir unsere E-Mails.',
  passwordMissing: 'Geben Sie ein Passwort ein.',
  submit: 'Konto erstellen',
  login: (href: string) => html`Haben Sie bereits ein Konto?
<a href="${href}">Anmelden</a>`,
  mailed: (email: string) =>
    html`Wir haben eine E-Mail an <strong>${email}</strong> gesendet. Öffnen Sie den Link darin innerhalb von 24\u00a0Stunden, um fortzufahren.`,
  confirmationLead: 'Bestätigen Sie, um die Erstellung Ihres Kontos abzuschließen.',
  otherBrowser:
    'Sie haben in einem anderen Browser begonnen. Geben Sie das Passwort ein, das Sie gewählt haben, um zu bestätigen, dass Sie es sind.',
  passwordWrong: 'Das ist nicht das Passwort, das Sie gewählt haben.',
  limited: 'Verwenden Sie die E-Mail-Adresse Ihrer Organisation. Andere Adressen brauchen eine Einladung.',
  closed: {
    title: 'Konten nur mit Einladung',
    lead: 'Für ein neues Konto auf dieser Plattform brauchen Sie eine Einladung.',
    ask: 'Wenn Sie eingeladen wurden, öffnen Sie den Link in der Einladung. Bitten Sie sonst einen Inhaber oder Administrator Ihrer Organisation um eine Einladung.',
  },
};

const asRole: Record<SystemRole, string> = {
  owner: 'als Inhaber',
  admin: 'als Administrator',
  member: 'als Mitglied',
};

/** The pages of an invitation to an organization. */
const invitations: English['invitations'] = {
  title: (organization: string) => `${organization} beitreten`,
  lead: (inviter: string | null, email: string, organization: string, role: SystemRole) =>
    inviter === null
      ? html`<strong>${email}</strong> ist eingeladen, <strong>${organization}</strong> ${asRole[role]} beizutreten.`
      : html`<strong>${inviter}</strong> hat <strong>${email}</strong> eingeladen, <strong>${organization}</strong>
${asRole[role]} beizutreten.`,
  accept: 'Einladung annehmen',
  decline: 'Um abzulehnen, schließen Sie diese Seite.',
  otherTitle: 'Diese Einladung ist für jemand anderen',
  loggedInAs: (email: string | null) => html`Sie sind als <strong>${email}</strong> angemeldet.`,
  logOut: 'Abmelden und fortfahren',
  accountExists: 'Sie haben bereits ein Konto mit dieser Adresse. Melden Sie sich an, um fortzufahren.',
  logIn: 'Anmelden',
  password: 'Passwort',
  register: 'Konto erstellen und beitreten',
  expired: 'Zu Ihrem Konto',
  acceptedTitle: 'Einladung angenommen',
  accepted: (organization: string) => html`Diese Einladung zu <strong>${organization}</strong> wurde angenommen.`,
  organizations: 'Zu Ihren Organisationen',
};

/** The German texts of identity's pages. */
export const de: English = {
  addresses,
  applications,
  buttons,
  consoleApplications,
  consoleSettings,
  operatorConsole,
  confirmation,
  contactConfirmation,
  contacts,
  data,
  devices,
  fields,
  gallery,
  invitations,
  leave,
  linkExpired,
  login,
  loginEmail,
  logout,
  logs,
  mailed,
  nameOfButton,
  organizations,
  overview,
  password,
  people,
  profile,
  recovery,
  registration,
  roles,
  search,
  sessions,
};
