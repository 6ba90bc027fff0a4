import { settings } from '../../lib/settings/settings.ts';
import { type Html, html, joined } from '../html.ts';
import type { en } from './en.ts';
import { permissions } from './permissions-de.ts';
import { refusals } from './refusals-de.ts';

const code = (text: string): Html => html`<code>${text}</code>`;
const count = (rows: number): string => rows.toLocaleString('de');

/** The German texts that pages of all services share. */
export const de: typeof en = {
  dateLocale: 'de-DE',
  size: (amount, unit) => `${amount}\u00a0${unit === 'bytes' ? 'Byte' : unit}`,
  time: {
    styleWithin: 'long',
    inUtc: (time) => `${time} UTC`,
    // In the dative: a sentence says in which time.
    seconds: (count) => (count === 1 ? 'einer Sekunde' : `${count} Sekunden`),
    minutes: (count) => (count === 1 ? 'einer Minute' : `${count} Minuten`),
  },
  forms: {
    refusedTitle: (title) => `Fehler: ${title}`,
    optional: 'optional',
    checkMarked: (count) =>
      count === 1 ? 'Prüfen Sie das markierte Feld.' : `Prüfen Sie die ${count} markierten Felder.`,
    tooManyAttempts: (wait) => `Zu viele Versuche. Versuchen Sie es in ${wait} erneut.`,
    noCookie: 'Cookies sind erforderlich. Lassen Sie Cookies für diese Website zu und versuchen Sie es erneut.',
    openTooLong: 'Diese Seite war zu lange geöffnet. Versuchen Sie es erneut.',
    otherSession:
      'Sie haben sich nach dem Öffnen dieser Seite neu angemeldet. Prüfen Sie Ihre Änderungen und versuchen Sie es erneut.',
  },
  dialog: { cancel: 'Abbrechen' },
  mailboxClosed: {
    title: 'Öffnen Sie das Postfach mit seinem Link',
    advice:
      'Beim Start gibt die Plattform den Link zu dieser Seite mit dem zugehörigen Token aus. Öffnen Sie ihn einmal in diesem Browser.',
  },
  console: {
    navigation: 'Konsole',
    breadcrumb: 'Navigationspfad',
    shortcuts: 'Schnellzugriff',
    skip: 'Zum Inhalt springen',
    menu: 'Menü',
    docs: 'Doku',
    documentation: 'Dokumentation',
    account: 'Ihr Konto',
    back: 'Zurück zur Konsole',
    organizations: 'Organisationen',
    newOrganization: 'Neue Organisation',
    logOut: 'Abmelden',
    search: 'Suchen',
    palette: {
      label: 'Seite, Benutzer, Kunde oder ID einer Anfrage oder Nachricht suchen',
      results: 'Ergebnisse',
      close: 'Schließen: Esc',
      escape: 'Esc',
    },
    language: 'Sprache',
    themes: { label: 'Design', system: 'System', light: 'Hell', dark: 'Dunkel' },
    groups: { identity: 'Identität', messaging: 'Kommunikation', data: 'Daten', organization: 'Organisation' },
    areas: {
      overview: 'Übersicht',
      inbox: 'Posteingang',
      roles: 'Rollen',
      applications: 'Anwendungen',
      users: 'Benutzer',
      invitations: 'Einladungen',
      customers: 'Kunden',
      templates: 'Vorlagen',
      notificationTemplates: 'Benachrichtigungsvorlagen',
      messages: 'Nachrichten',
      suppressions: 'Gesperrte Adressen',
      channels: 'Kanäle',
      sender: 'E-Mail-Absender',
      websites: 'Websites',
      files: 'Dateien',
      events: 'Ereignisse',
      logs: 'Protokolle',
      usage: 'Verbrauch und Abrechnung',
      settings: 'Einstellungen',
    },
    tabs: 'Registerkarten',
    logs: {
      audit: 'Audit-Protokoll',
      requests: 'Anfragen',
      messages: 'Nachrichten',
      from: 'Von',
      to: 'Bis',
      dayWrong: 'Geben Sie ein Datum wie 2026-11-30 ein.',
      older: 'Ältere',
    },
    areaTabs: {
      templates: 'E-Mail',
      notificationTemplates: 'Benachrichtigungen',
      channels: 'Verbindungen',
    },
    accountPages: {
      profile: 'Profil',
      organizations: 'Organisationen',
      password: 'Passwort',
      contacts: 'Kontakte',
      addresses: 'Adressen',
      sessions: 'Sitzungen',
      applications: 'Anwendungen',
      data: 'Ihre Daten',
    },
    notAllowed: {
      title: (area) => `Sie können „${area}“ nicht öffnen`,
      words: (permissions): Html =>
        html`Ihrer Rolle in dieser Organisation fehlt ${joined(permissions.map(code), ' oder ')}. Ein Inhaber oder Administrator kann Ihnen diese Berechtigung geben.`,
      back: 'Zur Übersicht',
    },
    suspended: {
      badge: 'Gesperrt',
      title: (organization) => `${organization} ist gesperrt`,
      lead: 'Der Betreiber dieser Plattform hat diese Organisation gesperrt. Die Daten bleiben erhalten.',
      since: 'Seit',
      reason: 'Grund',
      contact: 'Kontakt',
      operator: (platform) => `Bitten Sie den Betreiber von ${platform}, die Sperrung aufzuheben.`,
      meaning: 'Während der Sperrung',
      consequences: [
        'API-Schlüssel, Zugriffstokens und die Konsole werden abgelehnt, und es werden keine Tokens ausgestellt.',
        'Öffentliche Dateien, signierte Links und der Chat der Websites sind geschlossen.',
        'Bereits angenommene Nachrichten warten.',
        'Aufbewahrung, Löschung und Rechnungen laufen weiter.',
        'Ihr Konto und Ihre anderen Organisationen sind nicht betroffen.',
      ],
      invoices: 'Rechnungen anzeigen',
    },
    readOnly: (permission): Html =>
      html`Sie können hier alles ansehen, aber nichts ändern: Ihrer Rolle fehlt <code>${permission}</code>.`,
  },
  upload: {
    title: 'Hochladen',
    file: 'Datei',
    drop: 'Dateien oder Ordner hier ablegen oder',
    choose: 'Dateien auswählen',
    submit: 'Hochladen',
    replace: 'Datei mit demselben Namen ersetzen',
    uploads: 'Uploads',
    running: 'Wird hochgeladen: {done} von {all}',
    ended: '{done} von {all} hochgeladen',
    waiting: 'Wartet',
    progress: '{percent} %',
    secondsLeft: '{percent} %, noch {left} s',
    minutesLeft: '{percent} %, noch {left} min',
    storing: 'Wird gespeichert',
    done: 'Fertig',
    lost: 'Verbindung unterbrochen. Neuer Versuch folgt',
    failed: 'Nicht hochgeladen. Versuchen Sie es erneut',
    loggedOut: 'Sie sind abgemeldet. Laden Sie die Seite neu',
    cancel: 'Upload von {name} abbrechen',
    retry: '{name} erneut hochladen',
    replaceOne: '{name} ersetzen',
    replaceWord: 'Ersetzen',
    close: 'Uploads schließen',
  },
  operator: {
    title: 'Betreiberkonsole',
    badge: 'Betreiber',
    back: 'Zurück zur Konsole',
    groups: { tenants: 'Mandanten', operations: 'Betrieb' },
    areas: {
      organizations: 'Organisationen',
      users: 'Benutzer',
      overview: 'Übersicht',
      registration: 'Registrierung',
      nodes: 'Knoten',
      queues: 'Warteschlangen',
      jobs: 'Aufgaben',
    },
    organization: {
      tabs: { label: 'Organisation', overview: 'Übersicht', plan: 'Tarif und Rechnungen', audit: 'Audit-Protokoll' },
      idName: 'Organisations-ID',
    },
    states: {
      active: 'Aktiv',
      trialing: 'Noch nicht bezahlt',
      past_due: 'Überfällig',
      expired: 'Abgelaufen',
      incomplete: 'Erste Zahlung ausstehend',
      canceled: 'Gelöscht',
    },
    unknown: 'Unbekannt',
    suspended: 'Gesperrt',
    suspension: (since, reason): Html => html`<p>Gesperrt seit ${since}: <bdi>${reason}</bdi></p>`,
  },
  chart: { asTable: 'Als Tabelle anzeigen', period: 'Zeitraum' },
  meter: (name, percent) => `${name}: ${percent} % verbraucht`,
  list: {
    pages: 'Seiten',
    next: 'Weiter',
    first: 'Erste Seite',
    apply: 'Filtern',
    clear: 'Filter zurücksetzen',
    remove: (filter) => `Filter „${filter}“ entfernen`,
    bulk: { select: (name) => `${name} auswählen`, selected: 'ausgewählt' },
    export: {
      act: 'Exportieren',
      bound: (rows) => `Wie gefiltert, höchstens ${count(rows)} Zeilen`,
      formats: { csv: 'CSV', ndjson: 'NDJSON' },
      cutOff: (rows) => `Diese Datei enthält nur die ersten ${count(rows)} Zeilen.`,
    },
  },
  live: { reload: 'Neu laden', live: 'Live' },
  copy: {
    copy: (name) => `${name} kopieren`,
    copied: 'Kopiert.',
    failed: 'Ihr Browser hat das Kopieren verhindert. Markieren Sie den Text und kopieren Sie ihn.',
  },
  scopes: {
    known: {
      openid: 'Ihre Identität bestätigen',
      profile: 'Ihr Profil ansehen: Name, Bild, Geschlecht, Geburtsdatum und Adressen',
      email: 'Ihre E-Mail-Adresse und Ihre Kontakte ansehen',
      offline_access: 'Verbunden bleiben, auch wenn Sie die Anwendung nicht nutzen',
      'svc:read': 'Alle Daten in den Diensten der Organisation lesen',
      'svc:write': 'Alle Daten in den Diensten der Organisation lesen und ändern',
      'svc:admin': 'Uneingeschränkt auf die Organisation zugreifen, einschließlich ihrer Verwaltung',
    },
    other: (scope): Html => html`Die Berechtigung <code>${scope}</code> nutzen`,
  },
  permissions,
  permissionGroups: {
    access: 'Zugriffskontrolle',
    billing: 'Abrechnung',
    connect: 'Posteingang und Websites',
    console: 'Konsole',
    context: 'Ereignisse und Verläufe',
    mail: 'E-Mail',
    notification: 'Benachrichtigungen',
    storage: 'Speicher',
  },
  taxes: { inclusive: 'Preise enthalten alle Steuern.' },
  refusals,
  errors: {
    byCode: {
      RATE_LIMITED: {
        title: 'Zu viele Anfragen',
        words: 'Zu viele Anfragen in kurzer Zeit. Warten Sie einen Moment und versuchen Sie es dann erneut.',
      },
      ORIGIN_REFUSED: {
        title: 'Dieses Formular kam von einer anderen Website',
        words: `Wir nehmen Formulare nur von unseren eigenen Seiten an. Öffnen Sie ${settings.PUBLIC_URL} und versuchen Sie es erneut.`,
      },
      CONTENT_TYPE_UNSUPPORTED: {
        title: 'Format nicht unterstützt',
        words: 'Diese Seite nimmt nur ihr eigenes Formular an. Gehen Sie zurück und versuchen Sie es erneut.',
      },
      METHOD_NOT_ALLOWED: {
        title: 'Diese Seite kann nicht neu geladen werden',
        words: 'Sie war die Antwort auf ein Formular. Gehen Sie zurück und beginnen Sie von vorn.',
      },
      BODY_TOO_LARGE: {
        title: 'Zu viele Daten',
        words: 'Das Formular ist zu groß. Kürzen Sie Ihre Eingabe und versuchen Sie es erneut.',
      },
      CREDENTIAL_INVALID: {
        title: 'Sie sind abgemeldet',
        words: 'Ihre Sitzung ist beendet. Melden Sie sich erneut an, um fortzufahren.',
      },
      ROUTE_NOT_FOUND: {
        title: 'Seite nicht gefunden',
        words: 'Unter dieser Adresse gibt es keine Seite. Prüfen Sie die Adresse oder öffnen Sie Ihr Konto.',
      },
      ORGANIZATION_SUSPENDED: {
        title: 'Diese Organisation ist gesperrt',
        words: 'Der Betreiber dieser Plattform hat sie gesperrt. Wenden Sie sich an den Betreiber.',
      },
      NOT_FOUND: {
        title: 'Nicht gefunden',
        words: 'Das gibt es nicht, oder es wurde entfernt. Prüfen Sie die Adresse oder öffnen Sie Ihr Konto.',
      },
      INTERNAL: {
        title: 'Etwas ist schiefgegangen',
        words: 'Bei uns ist ein Problem aufgetreten. Versuchen Sie es gleich noch einmal.',
      },
      MAIL_DISABLED: {
        title: 'E-Mail ist ausgeschaltet',
        words:
          'Diese Seite ist nicht verfügbar, weil diese Plattform keine E-Mails sendet. Wenden Sie sich an den Betreiber der Plattform.',
      },
      PAYMENTS_DISABLED: {
        title: 'Zahlungen sind ausgeschaltet',
        words:
          'Diese Plattform nimmt keine Zahlungen an. Um Ihren Tarif zu ändern, wenden Sie sich an ihren Betreiber.',
      },
      UNAVAILABLE: {
        title: 'Vorübergehend nicht verfügbar',
        words: 'Ein Teil der Plattform antwortet nicht. Versuchen Sie es gleich noch einmal.',
      },
    },
    otherTitle: 'Etwas ist schiefgegangen',
    report: (requestId): Html =>
      html`Wenn das Problem weiterhin auftritt, nennen Sie uns die Anfrage-ID <code>${requestId}</code>.`,
    toAccount: 'Zu Ihrem Konto',
  },
};
