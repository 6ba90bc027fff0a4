import type { CallOutput } from '../../../lib/contract/context.ts';
import { day, now } from '../../../lib/data/clock.ts';
import { capitalize } from '../../../lib/format/capitalize.ts';
import { perLanguage } from '../../../web/catalogue.ts';
import { type Html, html } from '../../../web/html.ts';
import { type IconName, renderIcon } from '../../../web/icons.ts';
import { type OrganizationVisit, pathOf } from '../../../web/organization-page.ts';
import { renderPager } from '../../../web/table.ts';
import { renderWhen } from '../../../web/time.ts';
import { understoodAs } from '../story/understood.ts';
import { texts } from './texts.ts';

export type ListedEvent = CallOutput<'context.events.list'>['data'][number];

/** Renders the events of a customer by day, the newest first. */
export function renderCustomerEvents(
  visit: OrganizationVisit,
  customerId: string,
  { data, nextCursor }: CallOutput<'context.events.list'>,
  isLater: boolean,
): Html {
  const t = texts().customer.events;
  const path = (query: Record<string, string> = {}): string => pathOf(visit, 'customers', [customerId], query);
  return html`<aside aria-labelledby="h-events" tabindex="0">
<header><div class="row between"><h2 id="h-events">${t.title}</h2><a class="btn plain sm" href="${pathOf(visit, 'events', [], { customerId })}">${renderIcon('filter', 'sm')}${t.more}</a></div></header>
<div class="events">
${data.length === 0 && html`<p class="quiet small">${t.none}</p>`}
${[...Map.groupBy(data, dayOf)].map(
  ([heading, events]) => html`<h3>${heading}</h3>
<ol class="line">${events.map((event) => renderEvent(visit, event))}</ol>`,
)}
${renderPager({
  next: nextCursor && path({ cursor: nextCursor }),
  nextWords: t.older,
  first: isLater ? path() : null,
})}
</div></aside>`;
}

const monthAndYear = perLanguage(
  (language) => new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' }),
);

/** The heading of an event's day: today, yesterday or the month, in UTC. */
function dayOf({ occurredAt }: ListedEvent): string {
  const t = texts().customer.events;
  const daysAgo = Math.floor(now().getTime() / day) - Math.floor(Date.parse(occurredAt) / day);
  if (daysAgo <= 0) return t.today;
  return daysAgo === 1 ? t.yesterday : monthAndYear().format(new Date(occurredAt));
}

function renderEvent(visit: OrganizationVisit, event: ListedEvent): Html {
  const { eventId, eventName, occurredAt, source, payload, understood } = event;
  const t = texts().customer.events;
  const href = pathOf(visit, 'events', [eventId]);
  return html`<li><span class="pip${understood && ' accent'}">${renderIcon(iconOf(eventName), 'xs')}</span><div><p><a class="link" href="${href}">${t.event(spoken(eventName), understoodAs(event))}</a></p><span class="sub">${t.source(html`<code>${eventName}</code>`, source.system)}</span><details><summary>${t.payload}</summary><pre dir="ltr">${JSON.stringify(payload, null, 2)}</pre></details></div>${renderWhen(occurredAt)}</li>
`;
}

/** An event's name as words: `order.partially_refunded` is "Order partially refunded". */
function spoken(eventName: string): string {
  const words = eventName
    .replace(/[._-]+/g, ' ')
    .replace(/([a-z])([A-Z])/g, (_all, end, start) => `${end} ${start.toLowerCase()}`);
  return capitalize(words);
}

/** Icons by words in the name of an event; the first that is found. */
const icons: readonly (readonly [RegExp, IconName])[] = [
  [/ship|dispatch|deliver|transit/i, 'truck'],
  [/pack|return/i, 'box'],
  [/payment|charge|paid|refund|dispute/i, 'card'],
  [/subscription|trial|renew/i, 'refresh'],
  [/order|purchase|invoice|checkout/i, 'receipt'],
  [/ticket|case/i, 'help'],
  [/message|chat|conversation|sms|email/i, 'chat'],
  [/page|screen|view/i, 'eye'],
  [/user|customer|contact|account/i, 'user'],
];

const iconOf = (eventName: string): IconName => icons.find(([words]) => words.test(eventName))?.[1] ?? 'event';
