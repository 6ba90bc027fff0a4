import type { activity as English } from '../en/activity.ts';
import { detailOf, eventName } from './kept.ts';
import { countOf, dayOf, listOf, numberOf, quote, timesOf } from './words.ts';

export const activity: typeof English = {
  all: (parts) => `es gab ${listOf(parts)}`,
  views: ({ count, only, favourite, at }) => {
    const day = dayOf(at);
    const when = count > 1 ? `(zuletzt am ${day})` : `am ${day}`;
    if (only) return `${countOf(count, 'Aufruf', 'Aufrufe')} der Seite ${quote(only)} ${when}`;
    if (count === 1) return `1 Seitenaufruf ${when}`;
    const often = favourite ? `am häufigsten ${quote(favourite.name)}, ${timesOf(favourite.count)}; ` : '';
    return `${numberOf(count)} Seitenaufrufe (${often}zuletzt am ${day})`;
  },
  logins: (count, at) =>
    count === 1 ? `1 Anmeldung am ${dayOf(at)}` : `${numberOf(count)} Anmeldungen (zuletzt am ${dayOf(at)})`,
  updates: (count, at) =>
    count === 1 ? `1 Profiländerung am ${dayOf(at)}` : `${numberOf(count)} Profiländerungen (zuletzt am ${dayOf(at)})`,
  others: ({ hidden, shown }) => {
    const earlier = hidden > 0 ? `${countOf(hidden, 'früheres Ereignis', 'frühere Ereignisse')} anderer Art` : '';
    const names = shown.map(({ name, count, at, detail }) => {
      const facts = detail && detailOf(detail);
      const called = quote(eventName(name));
      if (count > 1) return `${called} ${timesOf(count)} (zuletzt am ${dayOf(at)}${facts && `; ${facts}`})`;
      return `${called} am ${dayOf(at)}${facts && ` (${facts})`}`;
    });
    return `die Daten zeigen ${listOf([earlier, ...names])}`;
  },
};
