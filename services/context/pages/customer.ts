import { type CallOutput, call } from '../../../lib/contract/context.ts';
import { apiError, errorCode } from '../../../lib/contract/errors.ts';
import { defaultLanguage } from '../../../lib/format/language.ts';
import { pageLanguage, perLanguage } from '../../../web/catalogue.ts';
import { renderCopyable } from '../../../web/copy.ts';
import { type Fact, renderFacts } from '../../../web/facts.ts';
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
import { renderAvatar } from '../../../web/states.ts';
import { renderWhen, renderWhenWithin } from '../../../web/time.ts';
import { flashMessage } from '../../../web/user-page.ts';
import { paragraphsOf } from '../story/render/summary.ts';
import { writerOf } from '../story/render/writer.ts';
import { renderCustomerEvents } from './customer-events.ts';
import type { Customer } from './customers.ts';
import { texts } from './texts.ts';

/** A customer: the story to read, the facts, the events it was composed from. */
export const customerPages = {
  'pages.customers.show': organizationPage('customers', {
    rest: 'GET /:customerId',
    summary: "Read a customer's story",
    handler: renderCustomer,
  }),
};

export type Story = CallOutput<'context.story.read'>;

async function renderCustomer(visit: OrganizationVisit): Promise<PageAnswer> {
  const story = await readStory(visit);
  const { cursor } = singleValues(visit.query, ['cursor']);
  const [listed, events] = await Promise.all([
    findListed(visit, story.customerId),
    call(visit.ctx, 'context.events.list', {
      query: { customerId: story.customerId, limit: '20', ...(cursor && { cursor }) },
    }),
  ]);
  return renderOrganizationPage(visit, {
    title: listed?.name ?? story.customerId,
    parents: parentsOf(visit),
    head: html``,
    notice: flashMessage(visit, texts().customer.notices),
    body: html`<div class="reading"><div>
<article class="story" aria-labelledby="story-title">
${renderBy(visit, story, listed)}
<h1 id="story-title"><bdi dir="ltr">${withoutBreaks(story.title)}</bdi></h1>
<p class="by">${renderSources(story, listed)}</p>
${paragraphsOf(story.summary, pageLanguage()).map((paragraph) => html`<p dir="ltr">${withoutBreaks(paragraph)}</p>`)}
</article>
${listed && renderCustomerFacts(listed)}
${renderRequest(story)}
</div>
${renderCustomerEvents(visit, story.customerId, events, cursor !== undefined)}
</div>`,
  });
}

/** The links from the area to a page of a customer. */
export const parentsOf = (visit: OrganizationVisit): readonly (readonly [string, string])[] => [
  [pathOf(visit, 'customers'), texts().customers.title],
];

/** The story of a customer, by default of the one in the path; NOT_FOUND without one. */
export async function readStory(
  { ctx, path }: OrganizationVisit,
  customerId: string | undefined = path.customerId,
): Promise<Story> {
  try {
    return await call(ctx, 'context.story.read', {
      path: { customerId: customerId ?? '' },
      query: { language: pageLanguage() },
    });
  } catch (error) {
    throw errorCode(error) === 'STORY_NOT_FOUND' ? apiError('NOT_FOUND') : error;
  }
}

/** The customer in the list of customers; null while they are not in it. */
export async function findListed({ ctx }: OrganizationVisit, customerId: string): Promise<Customer | null> {
  const { data } = await call(ctx, 'context.story.customers', { query: { q: customerId, limit: '20' } });
  return data.find((one) => one.customerId === customerId) ?? null;
}

function renderBy(visit: OrganizationVisit, { customerId }: Story, listed: Customer | null): Html {
  const t = texts().customer;
  const hrefOf = (act: string): string => pathOf(visit, 'customers', [customerId, act]);
  return html`<div class="by row wrap">${renderAvatar({ name: listed?.name ?? customerId, id: customerId, size: 'md' })}<span class="grow">${t.by(renderCopyable('customer-id', customerId, t.idName))}</span>${visit.mayChange && html`<span class="row"><a class="btn sm" href="${hrefOf('merge')}">${renderIcon('link')}${t.merge.act}</a><a class="btn danger sm" href="${hrefOf('erase')}">${renderIcon('trash')}${t.erase.act}</a></span>`}</div>`;
}

function renderSources({ updatedAt }: Story, listed: Customer | null): Content {
  const t = texts().customer;
  return listed
    ? t.composed(t.eventCount(listed.eventCount), renderWhenWithin(updatedAt))
    : t.updated(renderWhenWithin(updatedAt));
}

function renderCustomerFacts({ open, firstEventAt, lastEventAt, emails, phones }: Customer): Html {
  const t = texts().customer.facts;
  const counts = [
    [t.orders, open.orders],
    [t.payments, open.payments],
    [t.subscriptions, open.subscriptions],
    [t.tickets, open.tickets],
  ] as const;
  const facts: Fact[] = [
    [t.first, renderWhen(firstEventAt)],
    [t.last, renderWhen(lastEventAt)],
    ...emails.map((email) => [t.emails, html`<bdi>${email}</bdi>`] as const),
    ...phones.map((phone) => [t.phones, html`<bdi>${phone}</bdi>`] as const),
  ];
  return html`<dl class="four" aria-label="${t.title}">${counts.map(([name, count]) => html`<div><dt>${name}</dt><dd>${count}</dd></div>`)}</dl>
${renderFacts(facts, true)}`;
}

function renderRequest({ customerId }: Story): Html {
  const t = texts().customer;
  const language = pageLanguage();
  const query = language === defaultLanguage ? '' : `?language=${language}`;
  const request = `GET /v1/story/customers/${encodeURIComponent(customerId)}${query}`;
  return html`<div class="hint after">${t.api} ${renderCopyable('request', request, t.apiName)}</div>`;
}

const dates = perLanguage(
  (language) => new RegExp(String.raw`(\d{1,2}\.?) (${writerOf(language).months.join('|')}) (\d{4})`, 'g'),
);
const amounts = /(\d) ([A-Z]{3}\b|[$¥])/g;

/** A text whose dates and amounts stay on one line. */
function withoutBreaks(text: string): string {
  return text.replace(dates(), '$1\u00a0$2\u00a0$3').replace(amounts, '$1\u00a0$2');
}
