import { html } from '../../../web/html.ts';
import type { file as EnglishFile, fileSettings as EnglishSettings } from './texts-file.ts';

/** The page of one file, in German. */
export const file: typeof EnglishFile = {
  tabs: { label: 'Datei', overview: 'Übersicht', settings: 'Einstellungen' },
  download: 'Herunterladen',
  preview: 'Vorschau',
  open: 'In neuem Tab öffnen',
  noPreview: 'Für diesen Typ gibt es keine Vorschau.',
  notEmbedded: 'Keine Vorschau: Der Bucket erlaubt keinem anderen Ursprung, seine Dateien zu lesen.',
  truncated: (size) => `Die ersten ${size}.`,
  emptyFile: 'Die Datei ist leer.',
  facts: {
    title: 'Angaben',
    key: 'Schlüssel',
    id: 'Objekt-ID',
    size: 'Größe',
    type: 'Typ',
    access: 'Zugriff',
    uploaded: 'Hochgeladen',
    changed: 'Geändert',
    version: 'Version',
    sha256: 'SHA-256, zugleich der ETag',
    metadata: 'Metadaten',
    noMetadata: 'Keine',
  },
  names: { key: 'Schlüssel', id: 'Objekt-ID', version: 'Version', sha256: 'SHA-256', url: 'Adresse' },
  exactSize: (words, bytes) => `${words}, ${bytes}\u00a0Byte`,
  address: {
    title: 'Öffentliche Adresse',
    words: 'Hier können alle die Datei lesen.',
    private: 'Die Datei ist privat: Sie hat keine öffentliche Adresse.',
  },
  link: {
    title: 'Signierter Link',
    words: 'Wer den Link hat, kann die Datei lesen, bis er abläuft, auch nachdem Sie selbst keinen Zugriff mehr haben.',
    lifetime: 'Gültig für',
    lifetimes: { 300: '5\u00a0Minuten', 900: '15\u00a0Minuten', 3600: '1\u00a0Stunde' },
    submit: 'Link erstellen',
    wrong: 'Wählen Sie eine der Zeiten aus.',
    ready: (until) => html`Kopieren Sie den Link jetzt. Er wird nur einmal angezeigt. Ende der Gültigkeit: ${until}.`,
    readyTitle: 'Signierter Link',
    name: 'Link',
  },
  variants: {
    title: 'Bildvarianten',
    words:
      'Hängen Sie Parameter an die öffentliche Adresse an. Die Variante entsteht bei der ersten Anfrage und bleibt dann gespeichert.',
    private: 'Varianten gibt es nur von öffentlichen Bildern.',
    label: 'Variante',
    presets: { original: 'Original', thumb: 'Miniatur', card: 'Karte', social: 'Social' },
    width: 'Breite, px',
    height: 'Höhe, px',
    fit: 'Einpassung',
    quality: 'Qualität, 1 bis 100',
    format: 'Format',
    unset: 'Standard',
    wrong: {
      w: 'Geben Sie eine ganze Zahl von 1 bis 4096 ein.',
      h: 'Geben Sie eine ganze Zahl von 1 bis 4096 ein.',
      q: 'Geben Sie eine ganze Zahl von 1 bis 100 ein.',
      fit: 'Wählen Sie eine dieser Optionen aus.',
      f: 'Wählen Sie eine dieser Optionen aus.',
    },
    submit: 'Variante anzeigen',
    url: 'Bild-URL',
    tag: 'HTML',
  },
  notices: {
    uploaded: 'Datei ersetzt.',
    moved: 'Datei verschoben.',
  },
};

/** The settings of one file, in German. */
export const fileSettings: typeof EnglishSettings = {
  notices: { saved: 'Datei gespeichert.' },
  readOnly: html`Sie können hier lesen, aber nichts ändern: Ihrer Rolle fehlt <code>storage.upload</code>.`,
  lacks: 'Sie können keine Dateien dieser Organisation ändern: Ihrer Rolle fehlt die Berechtigung storage.upload.',
  lacksDelete:
    'Sie können keine Dateien dieser Organisation verschieben oder löschen: Ihrer Rolle fehlt die Berechtigung storage.delete.',
  title: 'Zugriff und Metadaten',
  public: 'Öffentlich',
  publicHint: 'Alle können die Datei ohne Anmeldedaten lesen.',
  privateBucket: 'Der Bucket ist privat und damit auch alle Dateien darin.',
  metadata: 'Metadaten',
  metadataHint: html`Ein Eintrag pro Zeile, etwa <code>alt: Ein Stadtrad</code>. Namen bestehen aus Kleinbuchstaben.`,
  metadataWrong: (line) =>
    `Zeile ${line}: Schreiben Sie einen Namen in Kleinbuchstaben, einen Doppelpunkt und einen Wert. Jeder Name darf nur einmal vorkommen.`,
  submit: 'Datei speichern',
  move: {
    title: 'Verschieben oder umbenennen',
    words: 'Die Adresse ändert sich. Links auf die alte funktionieren dann nicht mehr.',
    bucket: 'Bucket',
    key: 'Schlüssel',
    missing: 'Geben Sie einen Schlüssel ein.',
    exists:
      'Eine Datei mit diesem Schlüssel ist bereits vorhanden. Wählen Sie aus, dass sie ersetzt wird, oder geben Sie einen anderen Schlüssel ein.',
    replace: 'Datei mit diesem Schlüssel ersetzen',
    submit: 'Datei verschieben',
  },
  replace: {
    title: 'Inhalt ersetzen',
    words: 'Die Adresse bleibt gleich, die Version ändert sich.',
  },
  remove: {
    title: 'Datei löschen',
    words: 'Links auf die Datei funktionieren dann nicht mehr. Das lässt sich nicht rückgängig machen.',
    submit: 'Datei löschen',
    question: 'Diese Datei löschen?',
    consequence: 'Links darauf funktionieren dann nicht mehr. Das lässt sich nicht rückgängig machen.',
    confirm: 'Datei löschen',
  },
};
