import { type CallOutput, call } from '../../../lib/contract/context.ts';
import { capitalize } from '../../../lib/format/capitalize.ts';
import { submitForm } from '../../../web/attempt.ts';
import { pageLanguage } from '../../../web/catalogue.ts';
import { type Hidden, hiddenIn } from '../../../web/columns.ts';
import { downloadOf, renderExport } from '../../../web/download.ts';
import { renderFilters, withQuery } from '../../../web/filters.ts';
import { type Content, type Html, html } from '../../../web/html.ts';
import { renderIcon } from '../../../web/icons.ts';
import { singleValues } from '../../../web/list-query.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  renderOrganizationPage,
} from '../../../web/organization-page.ts';
import type { PageAnswer } from '../../../web/page.ts';
import { renderAvatar, renderBanner, renderState } from '../../../web/states.ts';
import { type Columns, renderEmpty, renderName, renderTable } from '../../../web/table.ts';
import { renderWhen, renderWhenWithin } from '../../../web/time.ts';
import { flashMessage } from '../../../web/user-page.ts';
import { findUnfinishedErasures } from '../customer-erasures.ts';
import { renderFirstEvent } from './sample-event.ts';
import { texts } from './texts.ts';

/** The customers of an organization, found by an id, an address or the beginning of a name. */
export const customersPages = {
  'pages.customers.list': organizationPage('customers', {
    rest: 'GET',
    summary: 'Find a customer of an organization',
    handler: renderCustomers,
  }),
};

export type Customer = CallOutput<'context.story.customers'>['data'][number];

const pageSize = '50';
export const noCustomers: CallOutput<'context.story.customers'> = { data: [], nextCursor: null };

async function renderCustomers(visit: OrganizationVisit): Promise<PageAnswer> {
  const { q, cursor } = singleValues(visit.query, ['q', 'cursor']);
  const which = q ? { q } : {};
  const language = pageLanguage();
  const query = { limit: pageSize, ...which, language, ...(cursor && { cursor }) };
  const { refusal, ...found } = await submitForm([], () => call(visit.ctx, 'context.story.customers', { query }));
  const input = { query: { ...which, language } };
  const file = refusal ? null : downloadOf(visit, { name: 'customers', action: 'context.story.customers', input });
  if (file) return file;
  const list = 'answer' in found ? found.answer : noCustomers;
  const path = pathOf(visit, 'customers');
  const hidden = hiddenIn(visit.query);
  const columns = columnsOf(visit);
  const isWithoutAny = !q && !cursor && list.data.length === 0;
  const t = texts().customers;
  const erasures = await renderErasures(visit);
  return renderOrganizationPage(visit, {
    title: t.title,
    lead: t.lead,
    acts: html`${list.data.length > 0 && renderExport(path, { q: q ?? '' })}<a class="btn" href="${pathOf(visit, 'events')}">${renderIcon('event')}${t.events}</a>`,
    notice: flashMessage(visit, t.notices),
    refusal,
    body: html`${erasures}${!isWithoutAny && renderFilters({ action: path, search: { name: 'q', label: t.search, placeholder: t.placeholder, value: q ?? '' }, columns: { columns, hidden, cursor } })}
${!refusal && renderList(visit, list, { q, cursor, path, columns, hidden })}`,
  });
}

/** Says that erasures are not complete, and what they wait for. */
async function renderErasures({ ctx, orgId }: OrganizationVisit): Promise<Html | null> {
  const erasures = await findUnfinishedErasures(ctx.broker, orgId);
  if (!erasures) return null;
  const { count, since, services } = erasures;
  const words = texts().customers.unfinished(count, renderWhenWithin(since.toISOString()), services.join(', '));
  return renderBanner({ tone: 'warn', icon: 'clock', words: html`<p>${words}</p>` });
}

type Place = {
  q: string | undefined;
  cursor: string | undefined;
  path: string;
  columns: Columns<Customer>;
  hidden: Hidden;
};

function renderList(
  visit: OrganizationVisit,
  { data, nextCursor }: CallOutput<'context.story.customers'>,
  { q, cursor, path, columns, hidden }: Place,
): Html {
  const t = texts().customers;
  const here = { q: q ?? '', ...hidden };
  return renderTable<Customer>({
    label: q ? t.caption.found : t.caption.latest,
    height: 'tall',
    columns,
    hidden,
    rows: data,
    empty:
      q || cursor
        ? renderEmpty(t.notFound(q ?? ''))
        : renderFirstEvent(visit, { icon: 'story', ...texts().customers.empty }),
    pager: {
      next: nextCursor && withQuery(path, { ...here, cursor: nextCursor }),
      nextWords: t.next,
      first: cursor ? withQuery(path, here) : null,
    },
  });
}

function columnsOf(visit: OrganizationVisit): Columns<Customer> {
  const t = texts().customers;
  const { columns } = t;
  return [
    {
      heading: columns.customer,
      cell: (one) => renderCustomerName(one, pathOf(visit, 'customers', [one.customerId])),
    },
    { heading: columns.story, key: 'story', cell: renderStory, isMinor: true },
    { heading: columns.open, cell: renderOpen, isState: true },
    { heading: columns.events, key: 'events', cell: ({ eventCount }) => t.count(eventCount), isNumber: true },
    { heading: columns.last, key: 'last', cell: ({ lastEventAt }) => renderWhen(lastEventAt), isNumber: true },
  ];
}

/** Renders the name of a customer in a list, with a link that covers the row. */
export function renderCustomerName({ customerId, name, title }: Customer, href: string): Html {
  return renderName({
    href,
    name: name ?? customerId,
    detail: name !== null && html`<bdi>${customerId}</bdi>`,
    summary: title ?? customerId,
    picture: renderAvatar({ name: name ?? customerId, id: customerId }),
  });
}

/** The title of the story without the name, which is next to it. */
function renderStory({ name, title }: Customer): Content {
  if (title === null) return html`<span class="quiet">${texts().customers.composing}</span>`;
  const named = `${name}, `;
  const words = title.startsWith(named) ? capitalize(title.slice(named.length)) : title;
  return html`<span class="headline"><bdi dir="ltr">${words}</bdi></span>`;
}

/** The open matters of a customer, the most pressing first. */
function renderOpen({ open }: Customer): Html {
  const t = texts().customers.open;
  const states = [
    open.payments > 0 && renderState(t.payments(open.payments), 'bad'),
    open.tickets > 0 && renderState(t.tickets(open.tickets), 'warn'),
    open.orders > 0 && renderState(t.orders(open.orders), 'off'),
    open.subscriptions > 0 && renderState(t.subscriptions(open.subscriptions), 'good'),
  ].filter((state) => state !== false);
  return states.length === 0
    ? html`<span class="quiet">${t.none}</span>`
    : html`<span class="open-items">${states}</span>`;
}
