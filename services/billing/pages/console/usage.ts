import { once } from '../../../../lib/once.ts';
import { language } from '../../../../web/catalogue.ts';
import { type Html, html } from '../../../../web/html.ts';
import { renderMeter } from '../../../../web/meter.ts';
import { renderTime } from '../../../../web/time.ts';
import { texts } from '../texts.ts';
import type { Subscription } from './subscription.ts';

type Usage = Subscription['usage'][number];
type Included = Usage & { limit: number };

const million = 1_000_000;
const format = once(() => new Intl.NumberFormat(language, { maximumFractionDigits: 2 }));
const compact = once(() => new Intl.NumberFormat(language, { notation: 'compact' }));

/** A number for display: `4,806`, and `10M` for whole millions. */
export function numberInWords(number: number): string {
  return (number >= million && number % million === 0 ? compact() : format()).format(number);
}

/** The usage of each limit of the plan; days and months are in UTC. */
export function renderUsage({ usage, status }: Subscription): Html {
  const t = texts().console.usage;
  const isIncluded = (one: Usage): one is Included => one.limit !== null;
  const missing = usage.filter((one) => !isIncluded(one)).map(({ meter }) => t.meters[meter].name.toLowerCase());
  return html`${status === 'expired' && html`<p>${t.unpaid}</p>`}
<ul class="items meters">${usage.filter(isIncluded).map(renderUsed)}</ul>
<p class="hint">${renderResets(usage)}${missing.length > 0 && html` ${t.notIncluded(missing.join(', '))}`}</p>`;
}

function renderUsed({ meter, used, limit }: Included): Html {
  const { amount, meters, usedUp } = texts().console.usage;
  const { name, unit }: { name: string; unit?: string } = meters[meter];
  const words = amount(numberInWords(used), numberInWords(limit), unit);
  return renderMeter({ name, words, used, limit, tag: used >= limit ? usedUp : null });
}

/** When the limits of a day and of a month are reset, once for all of them. */
function renderResets(usage: Usage[]): Html {
  const { dailyReset, monthlyReset } = texts().console.usage;
  const endOf = (suffix: string) =>
    usage.find(({ meter, periodEnd }) => meter.endsWith(suffix) && periodEnd !== null)?.periodEnd;
  const [daily, monthly] = [endOf('PerDay'), endOf('PerMonth')];
  return html`${daily && dailyReset(renderTime(daily))} ${monthly && monthlyReset(renderTime(monthly))}`;
}
