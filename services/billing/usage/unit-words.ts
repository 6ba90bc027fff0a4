import type { Language } from '../../../lib/format/language.ts';
import { type BuiltInMeter, isBuiltInMeter, type Meter, type MeterKind, meterOf } from '../quota/meters.ts';

/** The units of the platform's meters, for mails. */
const builtIn: Record<Language, Record<BuiltInMeter, string>> = {
  en: {
    'context.eventsPerDay': 'events today',
    'intelligence.recommendationsPerDay': 'recommendations today',
    'notification.sendsPerMonth': 'notifications this month',
    'mail.sendsPerMonth': 'mails this month',
    'storage.bandwidthGbPerMonth': 'gigabytes delivered this month',
    'storage.storageGb': 'gigabytes stored',
    'connect.agentSeats': 'agent seats',
  },
  de: {
    'context.eventsPerDay': 'Ereignisse heute',
    'intelligence.recommendationsPerDay': 'Empfehlungen heute',
    'notification.sendsPerMonth': 'Benachrichtigungen in diesem Monat',
    'mail.sendsPerMonth': 'E-Mails in diesem Monat',
    'storage.bandwidthGbPerMonth': 'ausgelieferte Gigabyte in diesem Monat',
    'storage.storageGb': 'gespeicherte Gigabyte',
    'connect.agentSeats': 'Plätze für Bearbeiter',
  },
};

/** The words after the name of a meter that a service declares. */
const periods: Record<Language, Record<MeterKind, string>> = {
  en: { day: ' today', month: ' this month', gauge: '' },
  de: { day: ' heute', month: ' in diesem Monat', gauge: '' },
};

/** The units that a meter counts, such as "events today". */
export function unitsInWords(meter: Meter, language: Language): string {
  if (isBuiltInMeter(meter)) return builtIn[language][meter];
  const { name, kind } = meterOf(meter);
  return `${name}${periods[language][kind]}`;
}
