import { html } from '../../../web/html.ts';
import type { consoleSettings as English } from './texts-settings.ts';

/** The console's settings of an organization. */
export const consoleSettings: typeof English = {
  title: 'Einstellungen',
  sections: {
    general: 'Allgemein',
    brand: 'Marke',
    security: 'Sicherheit',
    retention: 'Aufbewahrung',
    danger: 'Gefahrenzone',
  },
  general: {
    words: 'Der Name, den Mitglieder und eingeladene Personen sehen.',
    name: 'Name',
    nameMissing: 'Geben Sie einen Namen ein.',
    submit: 'Änderungen speichern',
    slug: 'Kurzname',
    slugHint: 'Teil der Adressen dieser Konsole und der API. Der Kurzname kann nicht geändert werden.',
    slugName: 'Kurzname',
    id: 'Organisations-ID',
    idHint: html`Ihr Backend sendet sie als <code>x-tenant-id</code>.`,
    idName: 'Organisations-ID',
    created: 'Erstellt',
  },
  brand: {
    words:
      'Mitglieder sehen sie in dieser Konsole, eingeladene Personen in der Einladung und Nutzer beim Anmelden in Ihren Anwendungen.',
    logo: 'Logo',
    logoOf: (organization: string): string => `Logo von ${organization}`,
    logoHint: (most: string): string => `PNG, JPEG, WebP, AVIF oder GIF, höchstens ${most}. Alle können es sehen.`,
    fileMissing: 'Wählen Sie ein Bild aus.',
    tooLarge: 'Das Bild ist zu groß. Wählen Sie ein kleineres.',
    removeLogo: 'Logo entfernen',
    color: 'Farbe',
    colorHint: 'Die Farbe von Schaltflächen und Links. Wo sie schlecht lesbar wäre, wird sie dunkler oder heller.',
    colorUnset: 'Nicht gesetzt: Schaltflächen und Links haben die Farbe der Plattform.',
    saveColor: 'Farbe speichern',
    removeColor: 'Farbe entfernen',
    none: html`<span class="quiet">Keine Angabe</span>`,
    platform: (platform: string): string => `Diese Seiten zeigen immer auch den Namen ${platform}.`,
  },
  security: {
    words: 'Wer dieser Organisation beitreten kann und wie oft sich Mitglieder anmelden.',
    domains: 'E-Mail-Domains der Mitglieder',
    domainsHint:
      'Eine je Zeile, ohne @. Einladungen an andere Adressen werden abgelehnt. Wer schon Mitglied ist, bleibt es. Ein leeres Feld lässt jede Domain zu.',
    everyDomain: 'Jede Domain',
    hours: 'Stunden bis zur nächsten Anmeldung',
    hoursHint:
      'Gezählt ab der Anmeldung. Bei einem leeren Feld gilt eine Anmeldung bis zu 90\u00a0Tage. API-Schlüssel und Zugriffstoken sind nicht betroffen.',
    hoursWrong: 'Geben Sie ganze Stunden ein, oder lassen Sie das Feld leer.',
    wholeSession: 'So lange die Anmeldung gilt',
    submit: 'Regeln speichern',
  },
  retention: {
    words: 'Wie lange Daten aufbewahrt werden, bevor sie gelöscht werden. Das bestimmt Ihr Tarif.',
    customers: 'Ereignisse, Verläufe und Unterhaltungen',
    audit: 'Audit-Protokoll',
    days: (days: string, count: number): string => (count === 1 ? '1\u00a0Tag' : `${days}\u00a0Tage`),
    unknown: html`<span class="quiet">Gerade nicht verfügbar</span>`,
    hint: 'Ein kleinerer Tarif verkürzt diese Zeiten 30\u00a0Tage nach der Änderung.',
    plan: 'Tarife vergleichen',
  },
  danger: {
    words: 'Diese Aktionen lassen sich nicht rückgängig machen.',
    remove: {
      title: 'Organisation löschen',
      words: 'Löscht diese Organisation mit allem, was dazugehört:',
      consequences: [
        'Innerhalb einer Sekunde verlieren Mitglieder den Zugriff, und API-Schlüssel und OAuth-Clients werden ungültig.',
        'Anwendungen, Ereignisse, Verläufe, Dateien, E-Mails und Unterhaltungen werden gelöscht.',
        'Das Abonnement endet sofort.',
        'Der Kurzname bleibt vergeben. Rechnungen und das Audit-Protokoll werden aufbewahrt.',
      ],
      ownersOnly: 'Nur ein Inhaber kann die Organisation löschen.',
      confirm: (slug: string): string => `Zur Bestätigung ${slug} eingeben`,
      confirmWrong: (slug: string): string => `Geben Sie ${slug} genau so ein, wie es hier steht.`,
      submit: 'Organisation löschen',
    },
  },
  lacks: (permission: string): string =>
    `Ihrer Rolle fehlt ${permission}. Ein Inhaber oder Administrator kann Ihnen diese Berechtigung geben.`,
  notices: {
    saved: 'Änderungen gespeichert.',
    logo: 'Logo gespeichert.',
    'logo-removed': 'Logo entfernt.',
    color: 'Farbe gespeichert.',
    'color-removed': 'Farbe entfernt.',
    security: 'Regeln gespeichert.',
  },
};
