import { type CallOutput, call } from '../../../lib/contract/context.ts';
import { type Refusal, refusalOfFilters, submitForm } from '../../../web/attempt.ts';
import { type ColumnChoice, type Hidden, hiddenIn } from '../../../web/columns.ts';
import { downloadOf, renderExport } from '../../../web/download.ts';
import { renderFilters, withQuery } from '../../../web/filters.ts';
import { type Html, html } from '../../../web/html.ts';
import { singleValues } from '../../../web/list-query.ts';
import { renderLiveList, renderReload } from '../../../web/live-list.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  renderOrganizationPage,
} from '../../../web/organization-page.ts';
import { type PageAnswer, redirectTo, renderFragment } from '../../../web/page.ts';
import { renderState } from '../../../web/states.ts';
import { type Columns, renderEmpty, renderTable } from '../../../web/table.ts';
import { renderWhen, renderWhenWithin } from '../../../web/time.ts';
import type { ListedEvent } from './customer-events.ts';
import { renderEventsTabs } from './event-tabs.ts';
import { renderFirstEvent, sendSampleEvent } from './sample-event.ts';
import { texts } from './texts.ts';

/** The events of an organization as they arrive. */
export const eventsPages = {
  'pages.events.list': organizationPage('events', {
    rest: 'GET',
    summary: 'Show the events of an organization as they arrive',
    handler: (visit) => renderEvents(visit),
  }),
  'pages.events.send-sample': organizationPage('events', {
    rest: 'POST /sample',
    summary: 'Send the sample event',
    handler: sendSample,
  }),
};

type Events = CallOutput<'context.events.list'>;

const filters = ['eventName', 'customerId', 'source', 'understood'] as const;
type Filtered = Partial<Record<(typeof filters)[number], string>>;
const noEvents: Events = { data: [], nextCursor: null };

async function sendSample(visit: OrganizationVisit): Promise<PageAnswer> {
  const sent = await sendSampleEvent(visit);
  return sent.refusal ? renderEvents(visit, sent.refusal) : redirectTo(sent.answer);
}

async function renderEvents(visit: OrganizationVisit, unsent?: Refusal): Promise<PageAnswer> {
  const { cursor, fragment, ...filtered } = singleValues(visit.query, [...filters, 'cursor', 'fragment']);
  const query = { limit: '50', ...filtered, ...(cursor && { cursor }) } as { limit: string };
  const { refusal, ...found } = await submitForm(filters, () => call(visit.ctx, 'context.events.list', { query }));
  const input = { query: filtered } as { query: object };
  const file = refusal ? null : downloadOf(visit, { name: 'events', action: 'context.events.list', input });
  if (file) return file;
  const events = 'answer' in found ? found.answer : noEvents;
  const path = pathOf(visit, 'events');
  const hidden = hiddenIn(visit.query);
  const columns = columnsOf(visit);
  const kept = { ...filtered, ...hidden };
  const list = renderList(visit, events, { filtered, cursor, columns, hidden });
  if (fragment === 'list' && !refusal) return renderFragment(list);
  const t = texts().events;
  const labels = { eventName: t.name, customerId: t.customer, source: t.source, understood: t.understood };
  const isLive = cursor === undefined && !refusal;
  return renderOrganizationPage(visit, {
    title: t.title,
    lead: t.lead,
    acts: html`${isLive && renderReload(withQuery(path, kept))}${events.data.length > 0 && renderExport(path, filtered)}`,
    refusal: unsent ?? (refusal && refusalOfFilters(refusal, labels)),
    isLive,
    body: html`${renderEventsTabs(visit, 'accepted')}
${renderEventFilters(path, filtered, { columns, hidden, cursor })}
${isLive ? renderLiveList(withQuery(path, { ...kept, fragment: 'list' }), list) : !refusal && list}`,
  });
}

function renderEventFilters(path: string, filtered: Filtered, columns: ColumnChoice): Html {
  const t = texts().events;
  return renderFilters({
    action: path,
    search: { name: 'eventName', label: t.name, value: filtered.eventName ?? '' },
    fields: [
      { name: 'customerId', label: t.customer, value: filtered.customerId ?? '' },
      { name: 'source', label: t.source, value: filtered.source ?? '' },
    ],
    chips: [
      {
        name: 'understood',
        label: t.understood,
        value: filtered.understood ?? '',
        options: [
          ['true', t.yes],
          ['false', t.no],
        ],
      },
    ],
    columns,
  });
}

type Place = { filtered: Filtered; cursor: string | undefined; columns: Columns<ListedEvent>; hidden: Hidden };

function renderList(visit: OrganizationVisit, events: Events, { filtered, cursor, columns, hidden }: Place): Html {
  const t = texts().events;
  const path = pathOf(visit, 'events');
  const kept = { ...filtered, ...hidden };
  const next = events.nextCursor && withQuery(path, { ...kept, cursor: events.nextCursor });
  return renderTable<ListedEvent>({
    label: filtered.customerId === undefined ? t.caption.received : t.caption.ofCustomer,
    height: 'compact',
    columns,
    hidden,
    rows: events.data,
    empty: renderNone(visit, next, Object.keys(filtered).length > 0 || cursor !== undefined),
    pager: { next, nextWords: t.older, first: cursor === undefined ? null : withQuery(path, kept) },
  });
}

function columnsOf(visit: OrganizationVisit): Columns<ListedEvent> {
  const { columns } = texts().events;
  return [
    { heading: columns.event, cell: (event) => renderEventName(visit, event) },
    { heading: columns.state, cell: renderStanding, isState: true },
    { heading: columns.customer, key: 'customer', cell: (event) => renderCustomerLink(visit, event) },
    { heading: columns.source, key: 'source', cell: ({ source }) => html`<bdi>${source.system}</bdi>`, isMinor: true },
    { heading: columns.received, key: 'received', cell: ({ receivedAt }) => renderWhen(receivedAt), isNumber: true },
  ];
}

function renderEventName(visit: OrganizationVisit, { eventId, eventName, customerId, receivedAt }: ListedEvent): Html {
  const summary = html`<bdi>${customerId ?? texts().events.states.none}</bdi>, ${renderWhenWithin(receivedAt)}`;
  return html`<span class="req"><a class="name" href="${pathOf(visit, 'events', [eventId])}"><code>${eventName}</code></a><span class="sub phone clip">${summary}</span></span>`;
}

/** Whether a story interprets the event, counts it by its name, or does not have it. */
export function renderStanding({ customerId, understood }: ListedEvent): Html {
  const t = texts().events.states;
  if (customerId === null) return renderState(t.none, 'off');
  return understood ? renderState(t.understood, 'good') : renderState(t.counted, 'warn');
}

export function renderCustomerLink(visit: OrganizationVisit, { customerId }: ListedEvent): Html | null {
  if (customerId === null) return null;
  return html`<a class="link over" href="${pathOf(visit, 'customers', [customerId])}"><bdi>${customerId}</bdi></a>`;
}

/** Renders what an empty page shows: a page with filters may be empty while older events match. */
function renderNone(visit: OrganizationVisit, next: string | null, isFiltered: boolean): Html {
  const t = texts().events;
  if (next !== null) {
    return renderEmpty({ words: t.notYet, acts: html`<a class="btn" href="${next}" rel="next">${t.more}</a>` });
  }
  if (isFiltered) return renderEmpty(t.notFound);
  return renderFirstEvent(visit, { icon: 'event', ...t.empty });
}
