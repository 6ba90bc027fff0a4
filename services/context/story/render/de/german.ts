import type { english } from '../en/english.ts';
import { activity } from './activity.ts';
import { contact } from './contact.ts';
import { open } from './open.ts';
import { person, title } from './person.ts';
import { orders, payments } from './purchases.ts';
import { subscription } from './subscription.ts';
import { listOf, months } from './words.ts';

const sentences = [
  `Am \\d{1,2}\\. (?:${months.join('|')}) \\d{4} (?:ging(?:en)?|schlug|wurde|gab es)`,
  ...['An diesem Tag ging', 'Zwischen dem \\d+\\.', 'Es (?:gab|ging(?:en)?|schlugen|wurden)'],
  ...['Die Bestellung(?:en)? wurden?', 'Das Abonnement', 'Die Testphase', 'Die Daten zeigen'],
  ...[
    'Nach (?:Stornierungen|Erstattungen) über',
    'Bisher ist kein Kauf',
    'Keine offenen Bestellungen',
    'Stand \\d+\\.',
  ],
];

/** Writes stories in German, without a pronoun for a person whose gender is not known. */
export const german: typeof english = {
  list: listOf,
  months,
  noPurchase: 'bisher ist kein Kauf verzeichnet',
  beginnings: sentences.join('|'),
  title,
  person,
  orders,
  payments,
  subscription,
  contact,
  activity,
  open,
};
