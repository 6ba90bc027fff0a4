import { type Content, html } from '../../../web/html.ts';
import type { consoleApplications as English } from './texts-applications.ts';

/** The scopes that are groups of permissions, and the scopes of OpenID Connect. */
const scopes: typeof English.scopes = {
  groupsTitle: 'Alles',
  groups: {
    'svc:read': 'Alle Daten in den Diensten der Organisation lesen',
    'svc:write': 'Alle Daten in den Diensten der Organisation lesen und ändern',
    'svc:admin': 'Alle Berechtigungen der Plattform, auch künftige',
  },
  openidTitle: 'Personen, die sich anmelden',
  openid: {
    openid: 'Wissen, wer sich angemeldet hat',
    profile: 'Name, Bild, Geburtsdatum und Adressen lesen',
    email: 'E-Mail-Adresse und Kontakte lesen',
    offline_access: 'Verbunden bleiben, wenn sie Ihr Produkt nicht verwenden',
  },
  notHeld: (words: Content) => html`${words}. Das haben Sie selbst nicht und können es daher nicht vergeben.`,
};

/** The API keys of an application. */
const keys: typeof English.keys = {
  title: 'API-Schlüssel',
  label: (application: string) => `API-Schlüssel von ${application}`,
  create: 'Schlüssel erstellen',
  columns: {
    name: 'Name',
    scopes: 'Berechtigungen',
    state: 'Status',
    lastUsed: 'Zuletzt verwendet',
    expires: 'Läuft ab',
    created: 'Erstellt',
  },
  states: { active: 'Aktiv', soon: 'Läuft bald ab', expired: 'Abgelaufen' },
  never: 'Nie',
  more: (count: number) => `+${count}`,
  summary: (lastUsed: Content) => html`Zuletzt verwendet: ${lastUsed}`,
  none: {
    title: 'Noch keine API-Schlüssel',
    words:
      'Ihr Backend sendet mit jeder Anfrage einen Schlüssel. Seine Berechtigungen legen fest, was er darf. Erstellen Sie einen und probieren Sie ihn aus:',
    code: 'curl',
  },
  form: {
    title: 'API-Schlüssel erstellen',
    lead: (application: string) =>
      html`Für <bdi>${application}</bdi>. Der Schlüssel handelt als die Anwendung, nie als ein Benutzer.`,
    name: 'Name',
    nameHint: 'Wo er verwendet wird, zum Beispiel ein Dienst oder ein Server.',
    nameMissing: 'Geben Sie einen Namen ein.',
    expires: 'Läuft ab',
    days: { '30': 'In 30\u00a0Tagen', '90': 'In 90\u00a0Tagen', '365': 'In 1\u00a0Jahr' },
    onDay: (words: string, date: string) => `${words}, ${date}`,
    date: 'An einem Datum',
    dateLabel: 'Ablaufdatum',
    dateHint: 'Gilt für „An einem Datum“. Der Schlüssel funktioniert bis zum Ende dieses Tages, UTC.',
    dateMissing: 'Geben Sie den Tag ein, an dem der Schlüssel abläuft.',
    dateWrong: 'Geben Sie ein Datum wie 2027-11-30 ein.',
    never: 'Nie',
    scopes: 'Berechtigungen',
    scopesHint: 'Wählen Sie nur, was der Schlüssel braucht.',
    scopesMissing: 'Wählen Sie mindestens eine Berechtigung.',
  },
  secret: {
    title: 'Kopieren Sie den Schlüssel jetzt. Er wird nur einmal angezeigt.',
    name: 'Schlüssel',
    words:
      'Wir speichern nur einen Hash. Geht er verloren, erstellen Sie einen anderen und widerrufen Sie diesen. Bewahren Sie ihn auf einem Server auf, nie in einem Browser oder einer App.',
    next: 'Ein erstes Ereignis senden',
  },
  facts: {
    id: 'Schlüssel-ID',
    created: 'Erstellt',
    lastUsed: 'Zuletzt verwendet',
    expires: 'Läuft ab',
    scopes: 'Berechtigungen',
  },
  idName: 'Schlüssel-ID',
  neverUsed: 'Nie verwendet',
  revoke: {
    title: 'Diesen Schlüssel widerrufen',
    words: 'Anfragen damit werden innerhalb einer Sekunde abgelehnt. Das lässt sich nicht rückgängig machen.',
    submit: 'Schlüssel widerrufen',
    question: 'Diesen API-Schlüssel widerrufen?',
    consequence: 'Anfragen damit werden innerhalb einer Sekunde abgelehnt. Das lässt sich nicht rückgängig machen.',
    confirm: 'Schlüssel widerrufen',
  },
};

/** The OAuth client of an application. */
const client: typeof English.client = {
  title: 'OAuth-Client',
  none: 'Erstellen Sie einen Client, wenn sich Personen bei Ihrem Produkt mit ihrem Konto auf dieser Plattform anmelden sollen.',
  create: 'Client erstellen',
  edit: 'Bearbeiten',
  facts: {
    clientId: 'Client-ID',
    secret: 'Client-Geheimnis',
    grants: 'Grants',
    redirects: 'Redirect-URIs',
    logouts: 'Logout-URIs',
    scopes: 'Scopes',
    discovery: 'Discovery',
  },
  idName: 'Client-ID',
  discoveryName: 'Discovery-Adresse',
  development: 'Entwicklung',
  secretSet: (date: Content) => html`<code>••••••••</code> <span class="quiet">festgelegt am ${date}</span>`,
  previousUntil: (date: Content) => html`Das vorherige Geheimnis funktioniert bis zum ${date}.`,
  noSecret: 'Keines. Clients ohne Geheimnis verwenden PKCE.',
  nothing: 'Keine',
  kinds: {
    client_secret_basic: 'Auf einem Server, mit Geheimnis',
    client_secret_post: 'Auf einem Server, mit Geheimnis im Body der Anfrage',
    none: 'Im Browser oder in einer App, ohne Geheimnis',
  },
  grants: {
    authorization_code: 'Authorization Code mit PKCE',
    refresh_token: 'Refresh Token',
    client_credentials: 'Client Credentials',
  },
  grantWords: {
    authorization_code: 'Personen melden sich an und kommen mit einem Code zurück',
    refresh_token: 'Personen bleiben angemeldet: Tokens werden erneuert',
    client_credentials: 'Die Anwendung ruft die API im eigenen Namen auf',
  },
  form: {
    createTitle: 'OAuth-Client erstellen',
    editTitle: 'OAuth-Client bearbeiten',
    lead: 'Für Personen, die sich bei Ihrem Produkt mit ihrem Konto auf dieser Plattform anmelden.',
    editLead: 'Beim Speichern entsteht auch ein neues Geheimnis. Das vorherige funktioniert noch 24\u00a0Stunden.',
    kind: 'Wo er läuft',
    grants: 'Grants',
    grantsLegend: 'Wie er Tokens erhält',
    redirects: 'Redirect-URIs',
    redirectsHint:
      'Wohin Personen nach der Anmeldung zurückkehren, eine Adresse pro Zeile. Jede muss genau übereinstimmen.',
    logouts: 'Logout-URIs',
    logoutsHint: 'Wohin Personen nach der Abmeldung zurückkehren, eine Adresse pro Zeile.',
    scopes: 'Scopes',
    scopesHint: 'Was der Client anfordern darf. Personen müssen zustimmen, bevor er etwas über sie erfährt.',
    create: 'Client erstellen',
    save: 'Speichern und Geheimnis ersetzen',
    savePublic: 'Speichern',
  },
  secret: {
    title: 'Kopieren Sie das Client-Geheimnis jetzt. Es wird nur einmal angezeigt.',
    name: 'Geheimnis',
    words:
      'Wir speichern nur einen Hash. Geht es verloren, ersetzen Sie es. Bewahren Sie es auf einem Server auf, nie in einem Browser oder einer App.',
  },
  replace: {
    submit: 'Geheimnis ersetzen',
    question: 'Das Client-Geheimnis ersetzen?',
    consequence: 'Ein neues Geheimnis wird einmal angezeigt. Das vorherige funktioniert noch 24\u00a0Stunden.',
    confirm: 'Geheimnis ersetzen',
  },
  remove: {
    title: 'OAuth-Client löschen',
    words: 'Personen können sich nicht mehr damit anmelden, und alle seine Tokens werden ungültig.',
    submit: 'Client löschen',
    question: 'Den OAuth-Client löschen?',
    consequence:
      'Personen können sich nicht mehr damit anmelden, und alle seine Tokens werden ungültig. Das lässt sich nicht rückgängig machen.',
    confirm: 'Client löschen',
  },
};

/** The console's pages of applications. */
export const consoleApplications: typeof English = {
  title: 'Anwendungen',
  lead: 'Was die API dieser Organisation aufruft: Ihr Backend, Ihre Website, ein Skript.',
  create: 'Neue Anwendung',
  label: 'Anwendungen',
  columns: {
    name: 'Name',
    slug: 'Kurzname',
    keys: 'API-Schlüssel',
    lastUsed: 'Zuletzt verwendet',
    created: 'Erstellt',
  },
  keyCount: (count: number, isMore: boolean) =>
    count === 0 ? 'Keine Schlüssel' : `${count}${isMore ? ' oder mehr' : ''} Schlüssel`,
  never: 'Nie',
  none: {
    title: 'Noch keine Anwendungen',
    words:
      'Eine Anwendung enthält die API-Schlüssel Ihres Backends und den OAuth-Client, mit dem sich Personen bei ihr anmelden.',
  },
  back: 'Anwendungen',
  tabs: { label: 'Anwendung', overview: 'Schlüssel und Client', settings: 'Einstellungen' },
  idName: 'Anwendungs-ID',
  form: {
    title: 'Neue Anwendung',
    lead: 'Eine für jedes Programm, das die API aufruft, damit jedes eigene Schlüssel hat.',
    name: 'Name',
    nameMissing: 'Geben Sie einen Namen ein.',
    slug: 'Kurzname',
    slugMissing:
      'Geben Sie einen Kurznamen ein: Dieser Name enthält keine lateinischen Buchstaben oder Ziffern, aus denen er gebildet werden kann.',
    slugHint:
      'Teil der Adresse. Eindeutig auf dieser Plattform und nicht änderbar. Bleibt das Feld leer, wird er aus dem Namen gebildet.',
    description: 'Beschreibung',
    submit: 'Anwendung erstellen',
  },
  settings: {
    submit: 'Speichern',
    danger: 'Gefahrenzone',
    remove: 'Anwendung löschen',
    removeWords:
      'Die Schlüssel der Anwendung werden innerhalb einer Sekunde abgelehnt, und Personen können sich nicht mehr mit ihrem OAuth-Client anmelden.',
    confirm: (slug: string) => `Zur Bestätigung ${slug} eingeben`,
    confirmWrong: (slug: string) => `Geben Sie ${slug} genau so ein, wie es hier steht.`,
  },
  notices: {
    created: 'Anwendung erstellt. Erstellen Sie einen API-Schlüssel, um sie zu verwenden.',
    saved: 'Änderungen gespeichert.',
    deleted: 'Anwendung gelöscht.',
    revoked: 'API-Schlüssel widerrufen.',
    'client-saved': 'OAuth-Client gespeichert.',
    'client-deleted': 'OAuth-Client gelöscht.',
  },
  quickstart: {
    title: 'Schnelleinstieg',
    guides: 'Alle Anleitungen',
    words:
      'Die Werte dieser Organisation sind eingesetzt. Legen Sie Schlüssel und Geheimnisse in Umgebungsvariablen ab.',
    noClient: 'Die Beispiele mit Anmeldung brauchen einen OAuth-Client.',
    labels: { curl: 'curl', express: 'Express', next: 'Next.js', browser: 'Browser', go: 'Go', python: 'Python' },
  },
  keys,
  client,
  scopes,
};
