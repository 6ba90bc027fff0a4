import { once } from '../../lib/concurrency/once.ts';
import type { MailTexts } from './system-mail-texts.ts';

const unasked =
  'Alle Inhaber der Organisation erhalten diese E-Mail. Wenn Sie sie nicht erwartet haben, fragen Sie die anderen.';

const days = once(() => new Intl.DateTimeFormat('de-DE', { dateStyle: 'long', timeZone: 'UTC' }));

/** The names of the built-in roles. */
const roles = new Map([
  ['owner', 'Inhaber'],
  ['admin', 'Administrator'],
  ['member', 'Mitglied'],
]);

/** The UTC date of an instant, formatted for people. */
function dateOf(instant: string): string {
  return days().format(new Date(instant));
}

/** The mails about a plan. */
const plans: Pick<
  MailTexts,
  'paymentFailed' | 'subscriptionCanceled' | 'subscriptionEnded' | 'subscriptionExpired' | 'quotaWarning'
> = {
  paymentFailed: ({ organizationName, plan, graceUntil, billingLink }) => ({
    subject: `Eine Zahlung für ${organizationName} ist fehlgeschlagen`,
    heading: 'Eine Zahlung ist fehlgeschlagen',
    paragraphs: [
      `Der Tarif ${plan} von ${organizationName} konnte nicht bezahlt werden.`,
      `Bis zum ${dateOf(graceUntil)} funktioniert alles weiter. Bitte zahlen Sie bis dahin, oder wählen Sie einen anderen Tarif.`,
    ],
    button: { label: 'Zahlen oder Tarif wählen', link: billingLink },
    unasked,
  }),
  subscriptionCanceled: ({ organizationName, plan, endsAt, billingLink }) => ({
    subject: `Der Tarif von ${organizationName} ist gekündigt`,
    heading: `Der Tarif ${plan} ist gekündigt`,
    paragraphs: [
      `${organizationName} hat den Tarif ${plan} bis zum ${dateOf(endsAt)} und wechselt danach zum kostenlosen Tarif.`,
      'Haben Sie es sich anders überlegt? Setzen Sie den Tarif vorher fort.',
    ],
    button: { label: 'Tarif ansehen', link: billingLink },
    unasked,
  }),
  subscriptionEnded: ({ organizationName, plan, billingLink }) => ({
    subject: `Der Tarif von ${organizationName} ist beendet`,
    heading: `Der Tarif ${plan} ist beendet`,
    paragraphs: [
      `${organizationName} hat jetzt den kostenlosen Tarif. Gespeicherte Daten bleiben im Rahmen der Limits dieses Tarifs erhalten.`,
    ],
    button: { label: 'Tarif wählen', link: billingLink },
    unasked,
  }),
  subscriptionExpired: ({ organizationName, plan, freeFrom, billingLink }) => ({
    subject: `${organizationName} ist bis zur Zahlung gesperrt`,
    heading: 'Der Tarif wurde nicht bezahlt',
    paragraphs: [
      `Der Tarif ${plan} von ${organizationName} wurde nicht rechtzeitig bezahlt, und die Dienste sind gesperrt.`,
      `Sie laufen weiter, sobald eine Zahlung eingeht. Am ${dateOf(freeFrom)} fällt die Organisation auf den kostenlosen Tarif zurück.`,
    ],
    button: { label: 'Zahlen oder Tarif wählen', link: billingLink },
    unasked,
  }),
  quotaWarning: ({ organizationName, what, percent, used, limit, billingLink }) => ({
    subject: `${organizationName} hat ${percent}\u00a0% des Tarifs verbraucht: ${what}`,
    heading: `${percent}\u00a0% sind verbraucht: ${what}`,
    paragraphs: [
      `${organizationName} hat ${used} von ${limit} verbraucht, die der Tarif enthält.`,
      'Was über das Limit hinausgeht, wird abgelehnt, bis der Tarif mehr enthält.',
    ],
    button: { label: 'Tarif ansehen', link: billingLink },
    unasked,
  }),
};

/** The German texts of the platform's own mails. */
export const de: MailTexts = {
  ...plans,
  emailVerification: ({ link }) => ({
    subject: 'Bestätigen Sie diese E-Mail-Adresse',
    heading: 'Bestätigen Sie diese E-Mail-Adresse',
    paragraphs: [
      'Diese E-Mail-Adresse wurde einem Konto hinzugefügt. Um zu bestätigen, dass sie Ihnen gehört, öffnen Sie den Link, und melden Sie sich bei diesem Konto an.',
    ],
    button: { label: 'Diese Adresse bestätigen', link },
    unasked:
      'Wenn Sie sie nicht hinzugefügt haben, müssen Sie nichts tun: Ohne die Bestätigung bleibt sie unbestätigt.',
  }),
  invitation: ({ link, organizationName, inviterName, role }) => {
    const invited = inviterName === organizationName ? 'Sie sind eingeladen' : `${inviterName} lädt Sie ein`;
    return {
      subject: `Einladung zu ${organizationName}`,
      heading: `${organizationName} beitreten`,
      paragraphs: [`${invited}, ${organizationName} mit der Rolle „${roles.get(role) ?? role}“ beizutreten.`],
      button: { label: 'Einladung ansehen', link },
      unasked: 'Wenn Sie diese E-Mail nicht erwartet haben, ignorieren Sie sie.',
    };
  },
  loginEmailChanged: ({ newEmail }) => ({
    subject: 'Ihre E-Mail-Adresse für die Anmeldung wurde geändert',
    heading: 'Ihre E-Mail-Adresse für die Anmeldung wurde geändert',
    paragraphs: [`Ab jetzt melden Sie sich bei Ihrem Konto mit ${newEmail} an und nicht mehr mit dieser Adresse.`],
    unasked:
      'Wenn Sie das nicht waren, informieren Sie bitte sofort den Betreiber dieser Plattform, denn Sie können sich hier jetzt nicht mehr anmelden.',
  }),
  passwordChanged: ({ recoveryLink }) => ({
    subject: 'Ihr Passwort wurde geändert',
    heading: 'Ihr Passwort wurde geändert',
    paragraphs: ['Das Passwort Ihres Kontos wurde soeben geändert. Wenn Sie das waren, müssen Sie nichts tun.'],
    button: { label: 'Das war ich nicht: neues Passwort wählen', link: recoveryLink },
    unasked:
      'Wenn Sie das nicht waren, wählen Sie sofort ein neues Passwort: Dadurch werden alle von Ihrem Konto abgemeldet.',
  }),
  recovery: ({ link }) => ({
    subject: 'Wählen Sie ein neues Passwort',
    heading: 'Wählen Sie ein neues Passwort',
    paragraphs: [
      'Jemand, wahrscheinlich Sie, hat ein neues Passwort für Ihr Konto angefordert.',
      'Der Link funktioniert einmal, innerhalb einer Stunde. Geben Sie ihn nicht weiter: Wer ihn hat, kann Ihr Passwort festlegen.',
    ],
    button: { label: 'Neues Passwort wählen', link },
    unasked: 'Wenn Sie das nicht angefordert haben, müssen Sie nichts tun: Ihr Passwort bleibt, wie es ist.',
  }),
  registrationExisting: ({ loginLink, recoveryLink }) => ({
    subject: 'Sie haben bereits ein Konto',
    heading: 'Sie haben bereits ein Konto',
    paragraphs: [
      'Jemand, wahrscheinlich Sie, hat versucht, sich mit dieser E-Mail-Adresse zu registrieren. Sie gehört bereits zu einem Konto, melden Sie sich also einfach an.',
    ],
    button: { label: 'Anmelden', link: loginLink },
    alternative: { label: 'Wenn Sie Ihr Passwort nicht mehr wissen, wählen Sie ein neues:', link: recoveryLink },
    unasked: 'Wenn Sie das nicht waren, müssen Sie nichts tun: Ihr Konto hat sich nicht geändert.',
  }),
  registration: ({ link }) => ({
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    heading: 'Willkommen',
    paragraphs: [
      'Bitte bestätigen Sie Ihre E-Mail-Adresse, dann ist Ihr Konto bereit.',
      'Der Link funktioniert 24\u00a0Stunden lang.',
    ],
    button: { label: 'Meine Adresse bestätigen', link },
    unasked: 'Wenn Sie sich nicht registriert haben, müssen Sie nichts tun: Ohne die Bestätigung entsteht kein Konto.',
  }),
  openLink: 'Wenn die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse in Ihrem Browser:',
};
