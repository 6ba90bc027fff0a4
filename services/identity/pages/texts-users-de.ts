import { type Content, html } from '../../../web/html.ts';
import type { people as English } from './texts-users.ts';

/** The words that several pages about members share. */
const shared: Pick<typeof English, 'roles' | 'lacks' | 'refusals'> = {
  roles: { owner: 'Inhaber', admin: 'Administrator', member: 'Mitglied' },
  lacks: (permission: string): string =>
    `Ihrer Rolle fehlt ${permission}. Ein Inhaber oder Administrator kann Ihnen diese Berechtigung geben.`,
  refusals: {
    LAST_OWNER:
      'Das ist der einzige Inhaber, der nicht gesperrt ist. Machen Sie zuerst ein anderes Mitglied zum Inhaber.',
    OWN_MEMBERSHIP:
      'Sie können sich nicht selbst sperren. Bitten Sie einen anderen Administrator darum, oder verlassen Sie die Organisation.',
    OWNER_REQUIRED: 'Nur ein Inhaber kann das bei einem Inhaber tun oder ein Mitglied zum Inhaber machen.',
    SCOPE_NOT_HELD:
      'Dieses Mitglied darf manches, was Sie nicht dürfen. Dafür brauchen Sie alle Berechtigungen dieses Mitglieds.',
    ALREADY_MEMBER: 'Diese Person ist bereits Mitglied.',
    INVITATION_PENDING:
      'Für diese Adresse gibt es eine offene Einladung. Senden Sie sie erneut, oder widerrufen Sie sie zuerst.',
    INVITATION_NOT_OPEN: 'Diese Einladung wurde angenommen oder widerrufen, oder sie ist abgelaufen.',
  },
};

/** The list of the users of an organization. */
const list: typeof English.list = {
  title: 'Benutzer',
  lead: 'Alle Mitglieder dieser Organisation.',
  invite: 'Mitglied einladen',
  label: 'Benutzer',
  file: 'benutzer',
  search: 'Benutzer suchen',
  placeholder: 'Name, E-Mail, Telefon, Benutzer-ID',
  columns: {
    name: 'Name',
    email: 'E-Mail',
    role: 'Rolle',
    state: 'Status',
    lastLogin: 'Anmeldung',
    created: 'Erstellt',
  },
  states: { active: 'Aktiv', suspended: 'Gesperrt' },
  never: 'Nie',
  summary: (role: string, lastLogin: Content) => html`${role}, ${lastLogin}`,
  neverLoggedIn: 'nie angemeldet',
  you: 'Sie',
  none: {
    title: 'Keine Benutzer gefunden',
    words: (search: string) =>
      html`Keine Treffer für <bdi>${search}</bdi>. Namen und E-Mail-Adressen zum Anmelden werden nach ihrem Anfang gefunden, Telefonnummern und andere E-Mail-Adressen nur vollständig.`,
  },
  alone: {
    title: 'Sie sind das einzige Mitglied',
    words:
      'Laden Sie Personen ein, die die Organisation mit Ihnen führen. Eingeladene erhalten per E-Mail einen Link, der 7\u00a0Tage gilt.',
    code: 'curl',
  },
  notices: { removed: 'Mitglied entfernt. Es hat keinen Zugriff mehr auf diese Organisation.' },
};

/** The acts on the membership and its access. */
const zone: typeof English.user.zone = {
  title: 'Gefahrenzone',
  suspend: {
    name: 'Sperren',
    words: 'Entzieht jeden Zugriff auf diese Organisation, bis Sie die Sperre aufheben.',
    submit: 'Sperren',
    question: (name: string) => `${name} sperren?`,
    consequence:
      'Der Zugriff auf diese Organisation endet innerhalb einer Sekunde. Die Rollen bleiben für später erhalten.',
    confirm: 'Sperren',
  },
  restore: {
    name: 'Entsperren',
    words: 'Das Mitglied hat dieselben Rollen wie zuvor.',
    submit: 'Entsperren',
    question: (name: string) => `${name} entsperren?`,
    consequence: 'Der Zugriff ist wieder derselbe wie vor der Sperre.',
    confirm: 'Entsperren',
  },
  remove: {
    name: 'Aus der Organisation entfernen',
    words: 'Beendet die Mitgliedschaft mit allen Rollen. Das Konto bleibt bestehen.',
    submit: 'Entfernen',
    question: (name: string) => `${name} aus der Organisation entfernen?`,
    consequence: 'Jeder Zugriff und alle Rollen hier gehen verloren. Für eine Rückkehr ist eine neue Einladung nötig.',
    confirm: 'Entfernen',
  },
  leave: {
    name: 'Organisation verlassen',
    words: 'Beendet Ihre Mitgliedschaft mit allen Rollen. Ihr Konto bleibt bestehen.',
    submit: 'Verlassen',
    question: () => 'Diese Organisation verlassen?',
    consequence:
      'Sie verlieren hier jeden Zugriff und alle Rollen. Für eine Rückkehr brauchen Sie eine neue Einladung.',
    confirm: 'Verlassen',
  },
};

/** The page of permissions and of the reasons for them. */
const access: typeof English.user.access = {
  roles: 'Rollen',
  suspended: 'Dieses Mitglied ist gesperrt: Keine Rolle ist wirksam, und jede Prüfung wird abgelehnt.',
  since: (time: Content) => html`Seit ${time}`,
  until: (time: Content) => html`bis ${time}`,
  permissions: 'Berechtigungen',
  permissionsLead: (name: Content) =>
    html`Alles, was ${name} hier darf. Wählen Sie eine Berechtigung, um den Grund zu sehen.`,
  permissionsNone: 'Keine Berechtigungen.',
  ask: {
    title: (name: Content) => html`Zugriff prüfen: ${name}`,
    label: 'Berechtigung',
    submit: 'Grund anzeigen',
    placeholder: 'storage.delete',
  },
  yes: (name: Content, permission: string) => html`Ja, ${name} hat <code>${permission}</code>.`,
  no: (name: Content, permission: string) => html`Nein, ${name} hat <code>${permission}</code> nicht.`,
  reasons: {
    SUSPENDED: 'Die Mitgliedschaft ist gesperrt.',
    PERMISSION_UNKNOWN: 'Die Organisation hat keine solche Berechtigung.',
    NOT_GRANTED: 'Keine der zugewiesenen Rollen enthält sie.',
    EXPIRED: 'Die Rolle, die sie enthielt, ist abgelaufen.',
  },
  member: 'Mitglied dieser Organisation',
  assigned: 'Zugewiesene Rolle',
  included: 'In der Rolle darüber enthalten',
  granted: 'In dieser Rolle',
  wouldGrant: (roles: string) => `Diese Rollen enthalten sie: ${roles}.`,
};

/** The pages of one user. */
const user: typeof English.user = {
  idName: 'Benutzer-ID',
  tabs: {
    label: 'Benutzer',
    overview: 'Übersicht',
    access: 'Zugriff',
    sessions: 'Sitzungen',
    messages: 'Nachrichten',
    audit: 'Protokoll',
  },
  you: 'Sie',
  notices: {
    role: 'Rolle geändert.',
    suspended: 'Mitglied gesperrt. Es hat keinen Zugriff auf diese Organisation.',
    restored: 'Sperre aufgehoben. Das Mitglied hat dieselben Rollen wie zuvor.',
    recovery: 'E-Mail gesendet. Der Link darin gilt eine Stunde.',
    'session-ended': 'Sitzung beendet.',
    'sessions-ended': 'Alle Sitzungen beendet.',
  },
  facts: {
    title: 'Angaben',
    email: 'E-Mail zum Anmelden',
    confirmed: 'bestätigt',
    notConfirmed: 'nicht bestätigt',
    role: 'Rolle',
    state: 'Status',
    suspendedSince: (time: Content) => html`Gesperrt seit dem ${time}`,
    joined: 'Beigetreten',
    created: 'Konto erstellt',
    lastLogin: 'Letzte Anmeldung',
  },
  contacts: {
    title: 'Kontakte',
    lead: 'Andere Kontakte als die E-Mail zum Anmelden sind privat und werden gekürzt angezeigt.',
    columns: { value: 'Wert', type: 'Art', state: 'Status', added: 'Hinzugefügt' },
    confirmed: 'Bestätigt',
    waiting: 'Nicht bestätigt',
    none: 'Noch keine Kontakte.',
  },
  recovery: {
    submit: 'Link für neues Passwort senden',
    question: (name: string) => `${name} einen Link für ein neues Passwort senden?`,
    consequence: 'Mit dem Link in der E-Mail lässt sich ein neues Passwort wählen. Bis dahin ändert sich nichts.',
    confirm: 'E-Mail senden',
  },
  role: {
    title: 'Rolle',
    label: 'Rolle',
    submit: 'Rolle ändern',
    question: (name: string) => `Die Rolle von ${name} ändern?`,
    consequence: 'Die Berechtigungen ändern sich innerhalb einer Sekunde.',
    confirm: 'Rolle ändern',
  },
  zone,
  sessions: {
    title: 'Sitzungen',
    none: 'Nirgends angemeldet.',
    current: 'Dieser Browser',
    origin: (address: string, lastUsed: Content) => html`${address}, zuletzt verwendet: ${lastUsed}`,
    since: (time: Content) => html`Seit ${time}`,
    end: {
      submit: 'Sitzung beenden',
      question: (device: string) => `Die Sitzung „${device}“ beenden?`,
      consequence: 'Dieser Browser wird abgemeldet. Eine erneute Anmeldung ist möglich.',
      confirm: 'Sitzung beenden',
    },
    endAll: {
      submit: 'Alle Sitzungen beenden',
      question: (name: string) => `Alle Sitzungen von ${name} beenden?`,
      consequence: 'Die Abmeldung gilt überall, auch in anderen Organisationen. Eine erneute Anmeldung ist möglich.',
      confirm: 'Alle beenden',
    },
  },
  messages: {
    title: 'Nachrichten',
    all: 'Alle Nachrichten an diese Adresse',
    hint: 'Das sind die letzten Nachrichten an die Adresse zum Anmelden. Andere Adressen eines Benutzers sind privat.',
    none: 'An diesen Benutzer wurde noch keine E-Mail gesendet.',
    away: 'Die E-Mails sind gerade nicht abrufbar. Laden Sie die Seite in einer Minute neu.',
    noSubject: 'Ohne Betreff',
    columns: { subject: 'Betreff', state: 'Status', accepted: 'Angenommen' },
  },
  audit: {
    title: 'Protokoll',
    none: 'Über diesen Benutzer ist hier nichts protokolliert.',
    change: (before: string, after: string) => `${before} → ${after}`,
    times: (count: number) => (count === 1 ? 'einmal' : `${count}-mal`),
  },
  access,
};

/** The invitations of an organization. */
const invitations: typeof English.invitations = {
  title: 'Einladungen',
  lead: 'Eine Einladung ist ein Link per E-Mail. Er gilt 7\u00a0Tage, einmal, und nur für den Inhaber dieser Adresse.',
  form: {
    title: 'Mitglied einladen',
    email: 'E-Mail',
    emailMissing: 'Geben Sie eine E-Mail-Adresse ein.',
    role: 'Rolle',
    submit: 'Einladung senden',
  },
  label: 'Einladungen',
  file: 'einladungen',
  sent: 'Gesendet',
  states: { pending: 'Offen', accepted: 'Angenommen', revoked: 'Widerrufen', expired: 'Abgelaufen' },
  by: (role: string, inviter: Content, time: Content) => html`${role}, eingeladen von ${inviter}, ${time}`,
  formerUser: 'einem ehemaligen Benutzer',
  formerApplication: 'einer gelöschten Anwendung',
  expires: (time: Content) => html`Läuft am ${time} ab`,
  resend: {
    submit: 'Erneut senden',
    name: (email: string) => `Die Einladung an ${email} erneut senden`,
    question: (email: string) => `Einen neuen Link an ${email} senden?`,
    consequence: 'Der vorherige Link wird ungültig. Der neue gilt 7\u00a0Tage.',
    confirm: 'Link senden',
  },
  revoke: {
    submit: 'Widerrufen',
    name: (email: string) => `Die Einladung an ${email} widerrufen`,
    question: (email: string) => `Die Einladung an ${email} widerrufen?`,
    consequence: 'Der Link darin wird ungültig. Sie können die Person erneut einladen.',
    confirm: 'Widerrufen',
  },
  none: {
    title: 'Noch keine Einladungen',
    words: 'Personen, die Sie einladen, stehen hier, bis sie annehmen.',
    code: 'curl',
  },
  notices: {
    invited: 'Einladung gesendet.',
    resent: 'Einladung erneut gesendet. Der vorherige Link ist ungültig.',
    revoked: 'Einladung widerrufen.',
  },
};

/** The bulk actions of both lists. */
const bulk: typeof English.bulk = {
  labels: { users: 'Ausgewählte Benutzer', invitations: 'Ausgewählte Einladungen' },
  none: 'Wählen Sie mindestens eine Zeile aus.',
  tooMany: (maximum: number) => `Wählen Sie höchstens ${maximum} Zeilen aus.`,
  cancel: 'Abbrechen',
  outcomes: 'Ergebnis jeder Zeile',
  refused: 'Abgelehnt',
  noneDone: 'Es wurde nichts geändert. Die Liste nennt die Gründe.',
  summary: (done: number, refused: number) =>
    refused === 0
      ? `Alle ${done} erledigt.`
      : `${done} erledigt, ${refused} abgelehnt. Abgelehnte Zeilen sind unverändert.`,
  gone: 'In dieser Organisation nicht mehr vorhanden.',
  back: 'Zurück zur Liste',
  users: {
    suspend: {
      submit: zone.suspend.submit,
      question: (count: number) => (count === 1 ? '1 Mitglied sperren?' : `${count} Mitglieder sperren?`),
      consequence: zone.suspend.consequence,
      title: 'Mitglieder sperren',
      done: 'Gesperrt',
    },
    restore: {
      submit: zone.restore.submit,
      question: (count: number) => (count === 1 ? '1 Mitglied entsperren?' : `${count} Mitglieder entsperren?`),
      consequence: zone.restore.consequence,
      title: 'Mitglieder entsperren',
      done: 'Aktiv',
    },
  },
  invitations: {
    resend: {
      submit: invitations.resend.submit,
      question: (count: number) => (count === 1 ? '1 Einladung erneut senden?' : `${count} Einladungen erneut senden?`),
      consequence: 'Jede Person erhält einen neuen Link, der 7\u00a0Tage gilt. Die vorherigen Links werden ungültig.',
      title: 'Einladungen erneut senden',
      done: 'Erneut gesendet',
    },
    revoke: {
      submit: invitations.revoke.submit,
      question: (count: number) => (count === 1 ? '1 Einladung widerrufen?' : `${count} Einladungen widerrufen?`),
      consequence: 'Die Links darin werden ungültig. Sie können die Personen erneut einladen.',
      title: 'Einladungen widerrufen',
      done: 'Widerrufen',
    },
  },
};

/** The pages of the console about users and invitations. */
export const people: typeof English = { ...shared, list, user, invitations, bulk };
