import { html } from '../../../web/html.ts';
import { counterIn } from '../../../web/numbers.ts';
import type { en } from './texts.ts';
import { file, fileSettings } from './texts-file-de.ts';

const countOf = counterIn('de');
const count = (files: number): string => countOf(files, 'Datei', 'Dateien');

const access: typeof en.access = { public: 'Öffentlich', private: 'Privat' };

const buckets: typeof en.buckets = {
  lead: 'Dateien liegen in Buckets. Ein öffentlicher Bucket ist für alle lesbar, ein privater nur mit einem signierten Link oder einem API-Schlüssel.',
  create: 'Bucket erstellen',
  label: 'Buckets, die ältesten zuerst',
  columns: { name: 'Bucket', access: 'Zugriff', objects: 'Dateien', size: 'Größe', created: 'Erstellt' },
  summary: (files, size) => `${count(files)}, ${size}`,
  notices: { deleted: 'Bucket gelöscht. Die Dateien darin sind entfernt, der Name bleibt für Sie reserviert.' },
  meters: {
    storage: 'Speicher',
    traffic: 'Datenverkehr in diesem Monat',
    of: (used, limit) => `${used} von ${limit}`,
    notIncluded: 'Nicht in Ihrem Tarif',
    usedUp: 'Aufgebraucht',
  },
  none: {
    title: 'Noch keine Buckets',
    words: 'Ein Bucket enthält die Dateien Ihres Produkts: Bilder, Dokumente, Uploads Ihrer Benutzer.',
    code: 'Bucket erstellen',
  },
  form: {
    title: 'Bucket erstellen',
    lead: 'Der Name steht in der Adresse jeder Datei und lässt sich nicht ändern.',
    name: 'Name',
    nameHint:
      '3 bis 63 Kleinbuchstaben, Ziffern und Bindestriche. Auf der Plattform eindeutig, beginnen Sie also mit Ihrem eigenen Namen.',
    nameMissing: 'Geben Sie einen Namen ein.',
    public: 'Öffentlich',
    publicHint: 'Alle können die Dateien ohne Anmeldedaten lesen. Eine einzelne Datei kann trotzdem privat sein.',
    types: 'Erlaubte Typen',
    typesHint: html`Ein Typ pro Zeile, etwa <code>image/*</code> oder <code>application/pdf</code>. Ohne Angabe sind alle Typen erlaubt.`,
    size: 'Größte Datei, in MB',
    sizeHint: 'Etwa 20 oder 0,5. Ohne Angabe gilt das Limit der Plattform.',
    maxObjectBytesWrong: 'Geben Sie eine Zahl wie 20 oder 0,5 ein.',
    decimalMark: ',',
    cache: 'Cache-Control öffentlicher Dateien',
    cacheHint: html`Etwa <code>public, max-age=3600</code>. Ohne Angabe eine Minute.`,
    origins: 'Ursprünge, die Dateien per Skript lesen dürfen',
    originsHint: html`Ein Ursprung pro Zeile, etwa <code>https://shop.example.com</code>, oder <code>*</code> für alle. Ohne Angabe können andere Websites die Dateien nicht einbetten.`,
    originsWrong: 'Geben Sie Ursprünge wie https://shop.example.com ohne Pfad oder * ein.',
    expiry: 'Alte Dateien löschen',
    expiryHint: html`Eine Regel pro Zeile: Tage, dann der Anfang der Schlüssel, etwa <code>7 tmp/</code>. Eine Zahl allein gilt für alle Dateien.`,
    expiryWrong: 'Beginnen Sie jede Zeile mit einer Anzahl von Tagen, etwa 7 tmp/.',
    lacks:
      'Sie können die Buckets dieser Organisation nicht ändern: Ihrer Rolle fehlt die Berechtigung storage.buckets.write.',
    submit: 'Bucket erstellen',
  },
};

const settings: typeof en.settings = {
  title: 'Einstellungen',
  lead: (bucket) =>
    html`Für den Bucket <bdi>${bucket}</bdi>. Neue Regeln für Typen und Größen gelten für spätere Uploads.`,
  notices: { saved: 'Einstellungen gespeichert.' },
  idName: 'Bucket-ID',
  facts: { id: 'ID', access: 'Zugriff', objects: 'Inhalt', created: 'Erstellt' },
  submit: 'Einstellungen speichern',
  danger: 'Gefahrenzone',
  remove: 'Bucket löschen',
  removeWords: (files) =>
    `Löscht den Bucket mit ${count(files)}. Links darauf funktionieren dann nicht mehr. Das lässt sich nicht rückgängig machen.`,
  confirm: (bucket) => `Geben Sie zur Bestätigung ${bucket} ein`,
  confirmWrong: (bucket) => `Geben Sie genau ${bucket} ein.`,
};

const folder: typeof en.folder = {
  buckets: 'Buckets',
  path: 'Ordner',
  settings: 'Einstellungen',
  newFolder: 'Neuer Ordner',
  folderForm: {
    title: 'Neuer Ordner',
    lead: 'Ordner sind die Teile der Schlüssel vor einem Schrägstrich. Dieser besteht ab seiner ersten Datei.',
    name: 'Name',
    missing: 'Geben Sie einen Namen ein.',
    submit: 'Ordner öffnen',
  },
  content: (files, size) => `${count(files)}, ${size} im Bucket`,
  created: (day) => html`Erstellt am ${day}`,
  search: 'Nach dem Anfang des Namens suchen',
  label: (place) => `Dateien in ${place}`,
  found: (search) => `Dateien, die mit ${search} beginnen`,
  columns: { name: 'Name', type: 'Typ', size: 'Größe', changed: 'Geändert' },
  folderType: 'Ordner',
  folders: 'Ordner',
  views: { label: 'Ansicht', list: 'Liste', tiles: 'Kacheln' },
  notFound: (search) => html`Hier beginnt keine Datei mit „<bdi>${search}</bdi>“.`,
  skipped: 'Die Dateien hier sind abgelaufen und werden gelöscht.',
  more: 'Weitere Dateien',
  empty: {
    title: 'Noch keine Dateien',
    words: 'Laden Sie oben Dateien hoch, oder senden Sie sie von Ihrem Server.',
    code: 'Datei hochladen',
  },
  notices: {
    created: 'Bucket erstellt.',
    'file-deleted': 'Datei gelöscht.',
    'files-deleted': 'Dateien gelöscht.',
  },
  uploaded: (key) => `${key} ist hochgeladen.`,
  chosen: 'Ausgewählte Dateien',
  remove: {
    submit: 'Löschen',
    title: (files) => `${count(files)} löschen?`,
    lead: 'Links darauf funktionieren dann nicht mehr. Das lässt sich nicht rückgängig machen.',
    list: 'Zu löschende Dateien',
    confirm: (files) => `${count(files)} löschen`,
    cancel: 'Dateien behalten',
    none: 'Wählen Sie zuerst die zu löschenden Dateien aus.',
    lacks: 'Sie können keine Dateien dieser Organisation löschen: Ihrer Rolle fehlt die Berechtigung storage.delete.',
    failed: (keys) =>
      `Nicht gelöscht: ${keys}. Eine andere Anfrage hat sie geändert, oder sie sind nicht mehr vorhanden. Versuchen Sie es erneut.`,
  },
};

const upload: typeof en.upload = {
  lacks: 'Sie können keine Dateien in diese Organisation hochladen: Ihrer Rolle fehlt die Berechtigung storage.upload.',
  lacksHint: html`Sie können lesen, aber nichts hochladen: Ihrer Rolle fehlt <code>storage.upload</code>.`,
  limits: (types, size) => (types === null ? `Höchstens ${size} pro Datei.` : `${types}, höchstens ${size} pro Datei.`),
  refused: {
    PRECONDITION_FAILED:
      'Eine Datei mit diesem Namen ist bereits vorhanden. Wählen Sie aus, dass sie ersetzt wird, oder benennen Sie Ihre Datei um.',
    PERMISSION_DENIED:
      'Eine Datei mit diesem Namen ist bereits vorhanden, und um sie zu ersetzen, fehlt Ihrer Rolle die Berechtigung storage.delete.',
    CONFLICT: 'Nicht hochgeladen: Ein anderer Upload hat die Datei gleichzeitig geändert. Versuchen Sie es erneut.',
    INPUT_INVALID:
      'Nicht hochgeladen: Wählen Sie eine Datei, deren Typ dieser Bucket erlaubt und deren Inhalt diesem Typ entspricht.',
    BODY_TOO_LARGE: 'Nicht hochgeladen: Die Datei ist größer, als dieser Bucket erlaubt.',
    PLAN_LIMIT_EXCEEDED:
      'Nicht hochgeladen: Der Speicher Ihres Tarifs ist aufgebraucht. Löschen Sie Dateien, oder wechseln Sie den Tarif.',
    SERVICE_NOT_INCLUDED: 'Nicht hochgeladen: Ihr Tarif enthält keinen Speicher.',
    PAYMENT_REQUIRED: 'Nicht hochgeladen: Eine Zahlung Ihrer Organisation ist überfällig.',
    SIGNATURE_INVALID: 'Diese Seite war zu lange geöffnet. Wählen Sie die Datei noch einmal aus.',
    STORE_FULL:
      'Nicht hochgeladen: Die Plattform hat keinen Platz für weitere Dateien. Wenden Sie sich an den Betreiber.',
    NOT_FOUND: 'Nicht hochgeladen: Der Bucket wurde gelöscht.',
  },
  otherRefusal: 'Nicht hochgeladen. Versuchen Sie es erneut.',
  exists: (size, when) => html`Bereits vorhanden: ${size}, ${when}.`,
  mayNotReplace: 'Bereits vorhanden. Um die Datei zu ersetzen, fehlt Ihrer Rolle storage.delete.',
};

/** The German texts of the pages about buckets and files. */
export const de: typeof en = {
  title: 'Dateien',
  guide: 'Anleitung zu Dateien',
  access,
  buckets,
  settings,
  folder,
  upload,
  file,
  fileSettings,
};
