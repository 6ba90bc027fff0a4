import { type Html, html } from '../../../../web/html.ts';
import { showTime } from '../../../../web/time.ts';
import type { Subscription } from './subscription.ts';

type Usage = Subscription['usage'][number];

const names: Record<Usage['meter'], { name: string; unit?: string }> = {
  'context.eventsPerDay': { name: 'Events today' },
  'intelligence.recommendationsPerDay': { name: 'Recommendations today' },
  'notification.sendsPerMonth': { name: 'Notifications this month' },
  'mail.sendsPerMonth': { name: 'Mails this month' },
  'storage.bandwidthGbPerMonth': { name: 'Delivered this month', unit: 'GB' },
  'storage.storageGb': { name: 'Stored', unit: 'GB' },
  'connect.agentSeats': { name: 'Agent seats' },
};

/** Usage above this share of the limit is shown in another colour. */
const highShare = 0.8;
const format = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

/** A number for display. */
export function numberInWords(number: number): string {
  return format.format(number);
}

/** The usage of each limit of the plan; days and months are in UTC. */
export function showUsage({ usage, status }: Subscription): Html {
  const missing = usage.filter(({ limit }) => limit === null).map(({ meter }) => names[meter].name.toLowerCase());
  return html`${status === 'expired' && html`<p>Nothing of this can be used before it is paid.</p>`}
<ul class="items meters">${usage.map(showMeter)}</ul>
${missing.length > 0 && html`<p class="hint">Not included: ${missing.join(', ')}.</p>`}`;
}

function showMeter({ meter, used, limit, periodEnd }: Usage): Html | null {
  if (limit === null) return null;
  const { name, unit } = names[meter];
  const words = `${numberInWords(used)} of ${numberInWords(limit)}${unit ? ` ${unit}` : ''}`;
  return html`<li><h3>${name}</h3>
<p>${words}${used >= limit && html` <span class="tag">Used up</span>`}</p>
${limit > 0 && html`<meter aria-label="${name}" min="0" max="${limit}" high="${limit * highShare}" optimum="0" value="${Math.min(used, limit)}"></meter>`}
${periodEnd && html`<p class="hint">Resets on ${showTime(periodEnd)}</p>`}</li>`;
}
