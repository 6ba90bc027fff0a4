import { inGerman } from './problems-de.ts';
import type { en } from './texts.ts';

const templates: typeof en.templates = {
  subject: 'Betreff',
  subjectHint: 'Für Kanäle, die einen Betreff haben, etwa E-Mail.',
  text: 'Text',
  textHint: 'Werte sind {{ name }}, Blöcke {% if %} und {% for %}, wie in Liquid.',
  html: 'HTML',
  htmlHint: 'Für E-Mail. Andere Kanäle senden den Text.',
  whatsapp: 'Genehmigte WhatsApp-Vorlage',
  whatsappName: 'Name bei WhatsApp',
  whatsappNameHint:
    'WhatsApp nimmt freien Text innerhalb von 24\u00a0Stunden nach einer Antwort an. Sonst ist eine genehmigte Vorlage nötig.',
  whatsappLanguage: 'Sprache bei WhatsApp',
  whatsappLanguageHint: 'Etwa de oder en_US.',
  whatsappParameters: 'Parameter',
  whatsappParametersHint: 'Ein Parameter pro Zeile, in ihrer Reihenfolge. Sie dürfen Variablen enthalten.',
  channel: 'Kanal',
  recipient: 'Empfänger',
  recipientHint: 'Die Adresse beim Anbieter, etwa eine Telefonnummer oder die ID eines Chats.',
  starters: {
    'order-received': { name: 'Bestellung eingegangen', description: 'Bestätigt den Eingang einer Bestellung.' },
    'order-shipped': {
      name: 'Bestellung versendet',
      description: 'Teilt mit, dass eine Bestellung unterwegs ist, mit einem Link zur Sendungsverfolgung.',
    },
    appointment: { name: 'Terminerinnerung', description: 'Erinnert an einen Termin.' },
    code: { name: 'Einmalcode', description: 'Sendet einen Code, der eine Anmeldung bestätigt.' },
  },
};

const channels: typeof en.channels = {
  title: 'Kanäle',
  lead: 'Wie Benachrichtigungen Personen erreichen. Von mehreren Verbindungen eines Kanals wird die mit der niedrigsten Priorität zuerst versucht.',
  caption: 'Verbindungen',
  connect: 'Kanal verbinden',
  empty: {
    title: 'Noch keine Kanäle',
    words:
      'Verbinden Sie einen Bot, eine Telefonnummer, Ihre Website oder einen Webhook, und senden Sie darüber eine Testnachricht.',
  },
  columns: {
    name: 'Name',
    channel: 'Kanal',
    provider: 'Anbieter',
    state: 'Status',
    priority: 'Priorität',
    changed: 'Geändert',
  },
  states: {
    draft: 'Nicht bestätigt',
    connected: 'Verbunden',
    error: 'Vom Anbieter abgelehnt',
    disabled: 'Ausgeschaltet',
  },
  providers: {
    telegram: { name: 'Telegram', words: 'Ein Bot, der in Chats schreibt.' },
    whatsapp: { name: 'WhatsApp', words: 'Eine Nummer der WhatsApp Cloud API.' },
    sms: { name: 'SMS über Twilio', words: 'Textnachrichten an Telefonnummern.' },
    mail: { name: 'E-Mail der Plattform', words: 'E-Mails mit dem Absender dieser Organisation.' },
    web: { name: 'Posteingang der Website', words: 'Nachrichten im Chat Ihrer Website.' },
    webhook: {
      name: 'Webhook',
      words: 'Eine signierte Anfrage an einen Server von Ihnen, der die Nachricht zustellt.',
    },
    mailbox: {
      name: 'Entwicklungspostfach',
      words: 'Nachrichten werden aufbewahrt und nirgendwohin gesendet, um einen Kanal zu testen.',
    },
  },
  notices: {
    connected: 'Kanal verbunden.',
    saved: 'Verbindung gespeichert.',
    credentials: 'Anmeldedaten gespeichert.',
    tested: 'Testnachricht gesendet.',
    disconnected: 'Kanal getrennt.',
  },
  lacks: 'Ihnen fehlt die Berechtigung notification.channels.write.',
};

/** The German texts of the channels in the console. */
export const de: typeof en = {
  templates,
  channels,
  connect: {
    title: 'Kanal verbinden',
    lead: 'Wählen Sie einen Anbieter aus. Seine Anmeldedaten werden zuerst geprüft, verschlüsselt gespeichert und nie wieder angezeigt.',
    with: (provider) => `${provider} verbinden`,
    providerWrong: 'Wählen Sie einen dieser Anbieter aus.',
    channel: 'Kanal',
    name: 'Name',
    nameHint: 'Nur für Sie. Empfänger sehen ihn nicht.',
    priority: 'Priorität',
    priorityHint: '0 bis 1000. Die niedrigste wird zuerst versucht.',
    priorityWrong: 'Geben Sie eine ganze Zahl von 0 bis 1000 ein.',
    submit: 'Kanal verbinden',
    noCredentials: 'Dieser Anbieter benötigt keine Anmeldedaten.',
  },
  credentials: {
    botToken: { label: 'Bot-Token', hint: 'Von BotFather in Telegram.' },
    phoneNumberId: { label: 'ID der Telefonnummer', hint: 'Die numerische ID der Nummer bei Meta.' },
    accessToken: { label: 'Zugriffstoken', hint: 'Vom WhatsApp-Business-Konto.' },
    accountSid: { label: 'Konto-SID', hint: 'AC und 32 hexadezimale Ziffern.' },
    apiKeySid: {
      label: 'SID des API-Schlüssels',
      hint: 'Mit ihr ist das Auth-Token das Geheimnis dieses API-Schlüssels.',
    },
    authToken: { label: 'Auth-Token', hint: 'Vom Konto, oder das Geheimnis des API-Schlüssels.' },
    from: {
      label: 'Absender',
      hint: 'Eine Nummer wie +491701234567, ein Absendername oder die SID eines Messaging Service.',
    },
    url: { label: 'URL', hint: 'Die https-Adresse, an die die Benachrichtigungen gehen.' },
    secret: { label: 'Signaturgeheimnis', hint: 'whsec_ und 24 bis 64 zufällige Byte in Base64.' },
    siteId: {
      label: 'Website-ID',
      hint: 'Neue Unterhaltungen beginnen auf dieser Website. Ohne Angabe gilt die erste.',
    },
  },
  channel: {
    idName: 'Kanal-ID',
    facts: {
      title: 'Angaben',
      channel: 'Kanal',
      provider: 'Anbieter',
      priority: 'Priorität',
      verified: 'Bestätigt',
      never: 'Nie',
      created: 'Verbunden',
    },
    problem: inGerman,
    lastError: (message) => `Meldung vom Anbieter: ${inGerman(message)}`,
    draft: 'Diese Verbindung sendet nichts, bis eine Testnachricht erfolgreich ist.',
    settings: {
      title: 'Einstellungen',
      enabled: 'Über diese Verbindung senden',
      submit: 'Einstellungen speichern',
    },
    credentials: {
      title: 'Anmeldedaten',
      words: 'Sie werden nie angezeigt. Um sie zu ersetzen, geben Sie alle ein; der Anbieter prüft sie zuerst.',
      submit: 'Anmeldedaten ersetzen',
    },
    test: {
      title: 'Testnachricht',
      words: 'Sendet eine Nachricht über diese Verbindung. Sie verbraucht eine Einheit des Tarifs.',
      submit: 'Testnachricht senden',
      recipient: 'Empfänger',
      missing: 'Geben Sie einen Empfänger ein.',
      hints: {
        telegram: 'Die ID eines Chats oder der @Name eines Kanals.',
        whatsapp: 'Eine Telefonnummer mit Landesvorwahl.',
        sms: 'Eine Telefonnummer mit Landesvorwahl.',
        mail: 'Eine E-Mail-Adresse.',
        web: 'Die ID eines Besuchers oder eines Kunden.',
        webhook: 'Ihr eigener Name für den Empfänger.',
        mailbox: 'Ein beliebiger Name.',
      },
      failed: (reason) => `Die Testnachricht wurde nicht gesendet: ${inGerman(reason)}`,
      pending: 'Der Anbieter hat noch nicht geantwortet. Die Nachricht wartet auf den nächsten Versuch.',
      unknown: 'Der Anbieter hat keinen Grund genannt.',
    },
    remove: {
      zone: 'Gefahrenzone',
      title: 'Diesen Kanal trennen',
      words:
        'Die Anmeldedaten werden gelöscht. Wartende Benachrichtigungen nehmen eine andere Verbindung des Kanals, wenn es eine gibt.',
      submit: 'Trennen',
      question: (name) => `${name} trennen?`,
      confirm: 'Trennen',
    },
  },
  notification: {
    facts: {
      recipient: 'Empfänger',
      channel: 'Kanal',
      provider: 'Anbieter',
      providerMessage: 'Nachricht beim Anbieter',
    },
    testMessage: 'Keine: eine Testnachricht eines Kanals',
    showMail: 'Die E-Mail',
    timeline: {
      queued: () => 'Angenommen',
      rejected: (provider) => `${provider ?? 'Der Anbieter'}: nicht angenommen`,
      sent: (provider) => (provider === null ? 'Gesendet' : `Gesendet über ${provider}`),
      failed: () => 'Nicht gesendet, ohne weitere Versuche',
    },
  },
};
