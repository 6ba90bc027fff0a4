import { type Content, html } from '../../../web/html.ts';
import type { logs as English } from './texts-logs.ts';

/** The console's logs of an organization. */
export const logs: typeof English = {
  title: 'Protokolle',
  lead: 'Wer was in dieser Organisation getan hat und von wo.',
  kept: (days: string): string =>
    `Wer was in dieser Organisation getan hat und von wo. ${days}\u00a0Tage lang aufbewahrt.`,
  label: 'Audit-Protokoll, neueste zuerst',
  file: 'audit-protokoll',
  columns: { who: 'Wer', action: 'Aktion', about: 'Betrifft', from: 'Von', when: 'Wann' },
  summary: (action: string, about: Content) => html`${action}: ${about}`,
  times: (count: number): string => (count === 1 ? 'einmal' : `${count}-mal`),
  filters: {
    action: 'Aktion',
    actionPlaceholder: 'Aktion, z.\u00a0B. api-key.created',
    actorId: 'Benutzer- oder Anwendungs-ID',
    targetId: 'Ressourcen-ID',
  },
  none: {
    title: 'Noch nichts protokolliert',
    words: 'Anmeldungen sowie Änderungen an Mitgliedern, Schlüsseln, Rollen und Einstellungen erscheinen hier.',
    filtered: 'Keine Einträge entsprechen diesen Filtern.',
  },
  record: {
    sentence: (who: string, action: string): string => `${who}: ${action}`,
    byActor: 'Mehr von diesem Akteur',
    onTarget: 'Mehr zu dieser Ressource',
    facts: {
      action: 'Aktion',
      who: 'Wer',
      credential: 'Zugangsdaten',
      about: 'Betrifft',
      when: 'Wann',
      last: 'Zuletzt',
      count: 'Anzahl',
      address: 'IP-Adresse',
      client: 'Client',
      request: 'Anfrage-ID',
      id: 'Eintrags-ID',
    },
    none: 'Keine Angabe',
    idNames: {
      actor: 'ID des Akteurs',
      credential: 'ID der Zugangsdaten',
      target: 'Ressourcen-ID',
      request: 'Anfrage-ID',
      id: 'Eintrags-ID',
    },
    changes: 'Änderungen',
    changesLabel: 'Werte vorher und nachher',
    fields: { field: 'Feld', before: 'Vorher', after: 'Nachher' },
    whole: 'Eintrag',
  },
  requests: {
    lead: 'Abgelehnte und fehlgeschlagene Anfragen und der Grund dafür. 7\u00a0Tage lang aufbewahrt.',
    file: 'anfragen',
    label: 'Abgelehnte und fehlgeschlagene Anfragen, neueste zuerst',
    columns: { request: 'Anfrage', status: 'Antwort', error: 'Fehler', took: 'Dauer', by: 'Von', when: 'Wann' },
    summary: (error: string, by: Content) => html`${error}, ${by}`,
    milliseconds: (count: string): string => `${count}\u00a0ms`,
    omitted: (count: string, isOne: boolean): string =>
      isOne ? '1 weitere in dieser Minute' : `${count} weitere in dieser Minute`,
    filters: {
      requestId: 'Anfrage-ID',
      text: 'Anfrage-ID oder Fehlercode',
      status: 'HTTP-Status',
      refused: '4xx, abgelehnt',
      failed: '5xx, fehlgeschlagen',
      method: 'Methode',
      error: 'Fehlercode',
      callerId: 'Aufrufer- oder Schlüssel-ID',
    },
    callers: { application: 'Eine Anwendung', user: 'Ein Benutzer', website: 'Ein Besucher einer Website' },
    none: {
      title: 'Keine abgelehnten oder fehlgeschlagenen Anfragen in den letzten 7\u00a0Tagen',
      words:
        'Anfragen Ihrer API-Schlüssel, Zugriffstoken, Sitzungen und Widgets, die mit einem Fehler beantwortet werden, erscheinen hier nach wenigen Sekunden. Anfragen ohne gültige Zugangsdaten gehören zu keiner Organisation.',
      filtered: 'Keine Anfragen entsprechen diesen Filtern.',
      errors: 'Alle Fehlercodes',
      sample: 'Eine Anfrage, die abgelehnt wird',
    },
    elsewhere: {
      lead: 'Siehe auch:',
      refusedEvents: 'abgelehnte Ereignisse',
    },
    show: {
      byCaller: 'Mehr von diesem Aufrufer',
      sameError: 'Gleicher Fehler',
      sameId: 'Alle mit dieser Anfrage-ID',
      facts: {
        request: 'Anfrage',
        route: 'Endpunkt',
        status: 'HTTP-Status',
        when: 'Beantwortet',
        took: 'Dauer',
        by: 'Von',
        credential: 'Zugangsdaten',
        client: 'Client',
        requestId: 'Anfrage-ID',
        omitted: 'Nicht aufgeführt',
      },
      none: 'Keine Angabe',
      omitted: (count: string, isOne: boolean): string =>
        isOne
          ? '1 weitere fehlgeschlagene Anfrage derselben Minute wurde nur gezählt.'
          : `${count} weitere fehlgeschlagene Anfragen derselben Minute wurden nur gezählt.`,
      idNames: { caller: 'ID des Aufrufers', credential: 'ID der Zugangsdaten', request: 'Anfrage-ID' },
      guide: 'Was zu tun ist',
      reference: 'Alle Fehlercodes',
      details: 'Ungültige Felder',
      detailsLabel: 'Felder und die Regeln, die sie verletzen',
      fields: { path: 'Feld', message: 'Regel' },
      whole: 'Eintrag',
    },
  },
};
