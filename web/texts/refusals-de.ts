import { type LimitName, limitWords } from '../../lib/clients/plan-limits.ts';
import type { ErrorCode } from '../../lib/contract/errors.ts';
import { detailInGerman, inGerman, type Sentence } from './refusal-details-de.ts';

/** Words for people by the code of an error, where its message has none below. */
const byCode: Record<ErrorCode, string> = {
  INPUT_INVALID: 'Einige Angaben fehlen oder sind ungültig.',
  REQUEST_MALFORMED: 'Die Anfrage ist kein gültiges HTTP.',
  JSON_MALFORMED: 'Der Inhalt ist kein gültiges JSON.',
  PATH_INVALID: 'Die Adresse enthält ein ungültiges Zeichen.',
  CURSOR_INVALID: 'Diese Seite der Liste gibt es nicht mehr. Beginnen Sie wieder auf der ersten Seite.',
  WEBHOOK_INVALID: 'Der Webhook hat keine gültige und aktuelle Signatur.',
  TENANT_REQUIRED: 'Die Organisation fehlt in der Anfrage.',
  TENANT_INVALID: 'Die Anfrage nennt keine gültige Organisations-ID.',
  SIGNATURE_INVALID: 'Dieser Link ist ungültig, für einen anderen Zweck bestimmt oder abgelaufen.',
  CREDENTIAL_REQUIRED: 'Melden Sie sich an, um fortzufahren.',
  CREDENTIAL_INVALID: 'Ihre Sitzung ist beendet. Melden Sie sich erneut an.',
  IDENTITY_INVALID: 'Die Identität des Besuchers ist nicht gültig bestätigt.',
  PAYMENT_REQUIRED: 'Das Abonnement ist abgelaufen. Verlängern Sie es, um fortzufahren.',
  PLAN_LIMIT_EXCEEDED: 'Das Limit des Tarifs ist erreicht. Für mehr wechseln Sie in einen größeren Tarif.',
  SERVICE_NOT_INCLUDED: 'Der Tarif enthält diesen Dienst nicht.',
  PERMISSION_DENIED: 'Ihnen fehlt die Berechtigung dafür.',
  TENANT_MISMATCH: 'Sie gehören nicht zu dieser Organisation.',
  USER_REQUIRED: 'Das kann nur ein Benutzer tun, keine Anwendung.',
  SESSION_REQUIRED: 'Das kann nur ein angemeldeter Benutzer tun.',
  ORIGIN_REFUSED: 'Diese Anfrage kam von einer anderen Website.',
  AGENT_REQUIRED: 'Den Posteingang nutzen nur Bearbeiter. Ein Inhaber kann Sie dazu machen.',
  ORGANIZATION_SUSPENDED: 'Der Betreiber der Plattform hat diese Organisation gesperrt. Wenden Sie sich an ihn.',
  SESSION_TOO_OLD: 'Diese Organisation verlangt eine neuere Anmeldung. Melden Sie sich neu an.',
  EMAIL_DOMAIN_NOT_ALLOWED: 'Die Organisation nimmt keine Mitglieder mit einer Adresse dieser Domain auf.',
  SITE_DISABLED: 'Das Widget dieser Website ist ausgeschaltet.',
  VISITOR_BLOCKED: 'Dieser Besucher ist gesperrt.',
  OWNER_REQUIRED: 'Das kann nur ein Inhaber der Organisation tun.',
  SCOPE_NOT_HELD: 'Sie können nur Berechtigungen vergeben oder entziehen, die Sie selbst haben.',
  REGISTRATION_CLOSED:
    'Für ein neues Konto brauchen Sie eine Einladung oder eine Adresse einer Domain, die der Betreiber zulässt.',
  ROLE_READ_ONLY: 'Diese Rolle gehört zur Plattform und kann weder geändert noch gelöscht werden.',
  NOT_FOUND: 'Das gibt es nicht, oder es wurde entfernt.',
  ROUTE_NOT_FOUND: 'Unter dieser Adresse gibt es nichts.',
  STORY_NOT_FOUND: 'Für diese Person gibt es noch keinen Verlauf.',
  METHOD_NOT_ALLOWED: 'Diese Adresse lässt die Anfrage nicht zu.',
  REQUEST_TIMEOUT: 'Die Anfrage ist nicht rechtzeitig eingetroffen. Versuchen Sie es erneut.',
  EVENT_ALREADY_SENT: 'Ein Ereignis mit dieser ID wurde bereits angenommen.',
  SLUG_TAKEN: 'Dieser Kurzname ist vergeben. Wählen Sie einen anderen.',
  BUCKET_NAME_TAKEN: 'Dieser Bucket-Name ist vergeben. Wählen Sie einen anderen.',
  SIGNATURE_USED: 'Dieser Link wurde bereits verwendet. Er gilt für einen einzigen Upload.',
  LAST_OWNER: 'Eine Organisation braucht mindestens einen Inhaber. Machen Sie zuerst eine andere Person zum Inhaber.',
  OWN_MEMBERSHIP: 'Sie können sich nicht selbst sperren. Verlassen Sie stattdessen die Organisation.',
  ALREADY_MEMBER: 'Diese Person ist bereits Mitglied der Organisation.',
  INVITATION_PENDING:
    'Diese Adresse ist bereits eingeladen. Senden Sie die Einladung noch einmal oder widerrufen Sie sie.',
  INVITATION_NOT_OPEN: 'Die Einladung wurde angenommen oder widerrufen, oder sie ist abgelaufen.',
  CONTACT_EXISTS: 'Sie haben diesen Kontakt bereits.',
  CONTACT_IS_LOGIN: 'Mit dieser Adresse melden Sie sich an. Wählen Sie dafür zuerst eine andere.',
  EMAIL_TAKEN: 'Mit dieser Adresse meldet sich ein anderes Konto an.',
  LIMIT_REACHED: 'Das Limit ist erreicht. Löschen Sie zuerst einen Eintrag.',
  PLAN_IS_CURRENT: 'Die Organisation hat diesen Tarif mit diesem Abrechnungszeitraum bereits.',
  PLAN_IS_FREE: 'Die Organisation nutzt den kostenlosen Tarif. Es gibt nichts zu kündigen oder fortzusetzen.',
  MESSAGE_NOT_RESENDABLE:
    'Nur eine fehlgeschlagene Nachricht, deren Inhalt noch gespeichert ist, lässt sich erneut senden.',
  JOB_RUNNING: 'Diese Aufgabe läuft gerade. Warten Sie, bis sie beendet ist.',
  CONFLICT: 'Jemand hat dies gleichzeitig geändert. Laden Sie die Seite neu und versuchen Sie es erneut.',
  IDEMPOTENCY_MISMATCH: 'Diese Anfrage wurde bereits mit anderem Inhalt gesendet.',
  IDEMPOTENCY_IN_PROGRESS: 'Diese Anfrage wird bereits verarbeitet. Warten Sie einen Moment.',
  PRECONDITION_FAILED: 'Dies wurde inzwischen geändert. Laden Sie die Seite neu und versuchen Sie es erneut.',
  BODY_TOO_LARGE: 'Das sind zu viele Daten auf einmal.',
  CONTENT_TYPE_UNSUPPORTED: 'Dieses Format wird nicht unterstützt.',
  RANGE_NOT_SATISFIABLE: 'Dieser Teil der Datei existiert nicht.',
  RATE_LIMITED: 'Zu viele Anfragen. Versuchen Sie es etwas später erneut.',
  HEADERS_TOO_LARGE: 'Die Adresse ist zu lang.',
  INTERNAL: 'Bei uns ist ein Problem aufgetreten. Versuchen Sie es gleich noch einmal.',
  REVISION_NOT_REACHED: 'Die Änderung ist hier noch nicht angekommen. Versuchen Sie es gleich noch einmal.',
  UNAVAILABLE: 'Ein Teil der Plattform ist nicht verfügbar. Versuchen Sie es gleich noch einmal.',
  MAIL_DISABLED: 'E-Mail ist auf dieser Plattform ausgeschaltet. Es wurde nichts gesendet oder geändert.',
  PAYMENTS_DISABLED: 'Zahlungen sind auf dieser Plattform ausgeschaltet. Es kann kein Tarif gekauft werden.',
  STORE_FULL: 'Die Plattform hat keinen Platz für weitere Dateien. Wenden Sie sich an ihren Betreiber.',
};

/** The resources that plans limit. */
const limits: Record<LimitName, string> = {
  permissions: 'Berechtigungen',
  roles: 'Rollen',
  assignments: 'Rollenzuweisungen',
  members: 'Mitglieder',
  applications: 'Anwendungen',
  apiKeys: 'API-Schlüssel',
  oauthClients: 'OAuth-Clients',
  buckets: 'Buckets',
  objects: 'Objekte',
  bucketNames: 'Bucket-Namen, gelöschte Buckets eingeschlossen',
  imageVariantMegabytes: 'MB an Bildvarianten',
  mailTemplates: 'E-Mail-Vorlagen',
  suppressions: 'gesperrte Adressen',
  notificationTemplates: 'Benachrichtigungsvorlagen',
  channels: 'Kanalverbindungen',
  sites: 'Websites',
  blocks: 'gesperrte Besucher, Kunden und Adressen',
  auditDays: 'Tage des Audit-Protokolls',
};

/** Messages of the API that say more than their code does. */
const messages: readonly Sentence[] = [
  [
    /^The organization’s plan allows (\d+) (.+); remove some, or upgrade for more\.$/,
    (count, words) =>
      `Der Tarif der Organisation enthält höchstens ${count} ${limitOf(words)}. Entfernen Sie einige oder wechseln Sie in einen größeren Tarif.`,
  ],
  [
    /^Your role in this organization lacks the permission (.+)\.$/,
    (permission) => `Ihrer Rolle in dieser Organisation fehlt die Berechtigung ${permission}.`,
  ],
  [
    /^You cannot grant or revoke the role (.+): it has permissions that you do not hold\.$/,
    (role) =>
      `Sie können die Rolle ${role} nicht vergeben oder entziehen: Sie enthält Berechtigungen, die Sie nicht haben.`,
  ],
  [
    /^You cannot grant (.+): the credential does not hold it\.$/,
    (key) => `Sie können ${key} nicht vergeben: Sie haben diese Berechtigung selbst nicht.`,
  ],
  [
    /^You cannot grant or take (.+): you do not hold it\.$/,
    (key) => `Sie können ${key} weder vergeben noch entziehen: Sie haben diese Berechtigung selbst nicht.`,
  ],
  [
    /^You are the only owner of (.+): make someone else an owner there, or delete the organization, first\.$/,
    (slugs) =>
      `Sie sind der einzige Inhaber von ${slugs}. Machen Sie dort zuerst eine andere Person zum Inhaber oder löschen Sie die Organisation.`,
  ],
  [
    /^You have (\d+) contacts already; remove one first\.$/,
    (count) => `Sie haben bereits ${count} Kontakte. Entfernen Sie zuerst einen.`,
  ],
  [
    /^You have (\d+) addresses already; remove one first\.$/,
    (count) => `Sie haben bereits ${count} Adressen. Entfernen Sie zuerst eine.`,
  ],
  [
    /^The organization has (\d+) saved replies already; remove one first\.$/,
    (count) => `Die Organisation hat bereits ${count} gespeicherte Antworten. Entfernen Sie zuerst eine.`,
  ],
  [
    /^You can belong to (\d+) organizations; leave one first\.$/,
    (count) => `Sie können höchstens ${count} Organisationen angehören. Verlassen Sie zuerst eine.`,
  ],
  [
    /^You can create at most (\d+) organizations; delete one first\.$/,
    (count) => `Sie können höchstens ${count} Organisationen erstellen. Löschen Sie zuerst eine.`,
  ],
  [
    /^At most (\d+) invitations can be open; revoke one first\.$/,
    (count) => `Höchstens ${count} Einladungen können offen sein. Widerrufen Sie zuerst eine.`,
  ],
  [
    /^The template has (\d+) versions, the maximum\. Create another template\.$/,
    (count) => `Die Vorlage hat bereits ${count} Versionen, das ist das Maximum. Erstellen Sie eine andere Vorlage.`,
  ],
  [
    /^The organization has (\d+) messages waiting to be sent\. Try again later\.$/,
    (count) => `Die Organisation hat ${count} Nachrichten, die auf den Versand warten. Versuchen Sie es später erneut.`,
  ],
  [
    /^The subscription continues in (\w+)\. The currency can only change with a payment now\.$/,
    (currency) =>
      `Das Abonnement läuft in ${currency} weiter. Die Währung ändert sich nur mit einer Zahlung, die sofort fällig ist.`,
  ],
  [/^The invoice is (?:\w+): no payment is due\.$/, () => 'Für diese Rechnung ist keine Zahlung fällig.'],
  [
    /^The organization has this plan until the end of the period: resume the subscription to keep it\.$/,
    () =>
      'Die Organisation hat diesen Tarif bis zum Ende des Zeitraums. Setzen Sie das Abonnement fort, um ihn zu behalten.',
  ],
  [
    /^The organization will have this plan when the period ends\.$/,
    () => 'Die Organisation erhält diesen Tarif am Ende des Zeitraums.',
  ],
  [
    /^The subscription has ended\. Open a new checkout to subscribe again\.$/,
    () => 'Das Abonnement ist beendet. Beginnen Sie einen neuen Bezahlvorgang.',
  ],
  [
    /^This invitation was sent to another address; log in with the account that has it\.$/,
    () => 'Diese Einladung ging an eine andere Adresse. Melden Sie sich mit dem Konto an, zu dem sie gehört.',
  ],
  [
    /^To change a membership you need the permission console\.orgs\.write\.$/,
    () => 'Um eine Mitgliedschaft zu ändern, brauchen Sie die Berechtigung console.orgs.write.',
  ],
];

function limitOf(words: string): string {
  const names = Object.keys(limitWords) as LimitName[];
  const name = names.find((one) => limitWords[one] === words);
  return name === undefined ? words : limits[name];
}

/** Why the platform refused an input, in German. */
export const refusals = {
  message: (code: ErrorCode, message: string): string =>
    inGerman(messages, message) ?? detailInGerman(message) ?? byCode[code],
  // The rule of a field that is not known here is better read in English than not at all.
  detail: (message: string): string => detailInGerman(message) ?? message,
  ofUploads: {
    BODY_TOO_LARGE: 'Die Datei ist zu groß.',
    CONTENT_TYPE_UNSUPPORTED: 'Dieses Dateiformat ist hier nicht erlaubt.',
    CREDENTIAL_INVALID: byCode.CREDENTIAL_INVALID,
    CREDENTIAL_REQUIRED: byCode.CREDENTIAL_REQUIRED,
    INPUT_INVALID: 'Diese Datei ist hier nicht erlaubt.',
    NOT_FOUND: byCode.NOT_FOUND,
    PAYMENT_REQUIRED: byCode.PAYMENT_REQUIRED,
    PERMISSION_DENIED: byCode.PERMISSION_DENIED,
    PLAN_LIMIT_EXCEEDED: byCode.PLAN_LIMIT_EXCEEDED,
    PRECONDITION_FAILED: 'Eine Datei mit diesem Namen gibt es bereits.',
    RATE_LIMITED: byCode.RATE_LIMITED,
    SERVICE_NOT_INCLUDED: byCode.SERVICE_NOT_INCLUDED,
    STORE_FULL: byCode.STORE_FULL,
  } as Partial<Record<string, string>>,
};
