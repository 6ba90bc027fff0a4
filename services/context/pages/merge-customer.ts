import { call } from '../../../lib/contract/context.ts';
import { type Refusal, refuse, submitForm } from '../../../web/attempt.ts';
import { pageLanguage } from '../../../web/catalogue.ts';
import { type Fact, renderFacts } from '../../../web/facts.ts';
import { renderFilters, withQuery } from '../../../web/filters.ts';
import { renderForm } from '../../../web/form-page.ts';
import { type Html, html } from '../../../web/html.ts';
import { singleValues } from '../../../web/list-query.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  rejectChange,
  renderOrganizationPage,
} from '../../../web/organization-page.ts';
import { type PageAnswer, redirectTo } from '../../../web/page.ts';
import { renderAvatar, renderBadge } from '../../../web/states.ts';
import { renderEmpty, renderTable } from '../../../web/table.ts';
import { renderWhen } from '../../../web/time.ts';
import { openUserFlow } from '../../../web/user-page.ts';
import { idAfterMerge } from '../customer-merges.ts';
import { findListed, parentsOf, readStory, type Story } from './customer.ts';
import { type Customer, noCustomers, renderCustomerName } from './customers.ts';
import { texts } from './texts.ts';

const mergeForm = 'context.customer.merge';
const confirmPath = '/:customerId/merge/:otherId';

/** The pages that find the other customer, show both, and merge them. */
export const mergeCustomerPages = {
  'pages.customers.find-other': organizationPage('customers', {
    rest: 'GET /:customerId/merge',
    summary: 'Find the customer to merge with',
    handler: renderSearch,
  }),
  'pages.customers.ask-merge': organizationPage('customers', {
    rest: `GET ${confirmPath}`,
    summary: 'Confirm the merge of two customers',
    handler: (visit) => renderConfirmation(visit),
  }),
  'pages.customers.merge': organizationPage('customers', {
    rest: `POST ${confirmPath}`,
    summary: 'Merge two customers',
    handler: merge,
  }),
};

const pageSize = '20';

async function renderSearch(visit: OrganizationVisit): Promise<PageAnswer> {
  const { customerId } = await readStory(visit);
  const t = texts().customer.merge;
  const { q, cursor } = singleValues(visit.query, ['q', 'cursor']);
  const query = { limit: pageSize, language: pageLanguage(), ...(q && { q }), ...(cursor && { cursor }) };
  const isAsked = visit.mayChange && q !== undefined;
  const { refusal, ...found } = isAsked
    ? await submitForm([], () => call(visit.ctx, 'context.story.customers', { query }))
    : { refusal: visit.mayChange ? null : refuse({}, t.notAllowed, 403) };
  const { data, nextCursor } = 'answer' in found ? found.answer : noCustomers;
  const back = pathOf(visit, 'customers', [customerId]);
  const path = pathOf(visit, 'customers', [customerId, 'merge']);
  const list = {
    rows: data.filter((one) => one.customerId !== customerId),
    next: nextCursor && withQuery(path, { q: q ?? '', cursor: nextCursor }),
    first: cursor ? withQuery(path, { q: q ?? '' }) : null,
  };
  const { search: label, placeholder } = texts().customers;
  return renderOrganizationPage(visit, {
    title: t.title,
    lead: t.lead,
    parents: [...parentsOf(visit), [back, customerId]],
    refusal,
    body: html`${visit.mayChange && renderFilters({ action: path, search: { name: 'q', label, placeholder, value: q ?? '' } })}
${isAsked && !refusal && renderCandidates(visit, customerId, q, list)}
<div class="acts after"><a class="btn" href="${back}">${t.cancel}</a></div>`,
  });
}

type Candidates = { rows: Customer[]; next: string | null; first: string | null };

function renderCandidates(visit: OrganizationVisit, customerId: string, q: string, list: Candidates): Html {
  const { columns, caption, count, next: nextWords } = texts().customers;
  const t = texts().customer.merge;
  return renderTable<Customer>({
    label: caption.found,
    height: 'tall',
    columns: [
      {
        heading: columns.customer,
        cell: (one) => renderCustomerName(one, pathOf(visit, 'customers', [customerId, 'merge', one.customerId])),
      },
      { heading: t.contact, cell: ({ emails, phones }) => html`<bdi>${emails[0] ?? phones[0]}</bdi>`, isMinor: true },
      { heading: columns.events, cell: ({ eventCount }) => count(eventCount), isNumber: true, isState: true },
      { heading: columns.last, cell: ({ lastEventAt }) => renderWhen(lastEventAt), isNumber: true },
    ],
    rows: list.rows,
    empty: renderEmpty(t.notFound(q)),
    pager: { next: list.next, nextWords, first: list.first },
  });
}

/** A customer of the two: the story, and the entry in the list of customers; null while they are not in it. */
type Merged = { story: Story; listed: Customer | null };

async function renderConfirmation(visit: OrganizationVisit, refused?: Refusal): Promise<PageAnswer> {
  const stories = [await readStory(visit), await readStory(visit, visit.path.otherId)] as const;
  const ids = stories.map(({ customerId }) => customerId) as [string, string];
  const [customerId, otherId] = ids;
  if (customerId === otherId) return redirectTo(pathOf(visit, 'customers', [customerId], { done: 'same' }));
  const kept = await idAfterMerge(visit.orgId, ids);
  const both = await Promise.all(
    stories.map(async (story): Promise<Merged> => ({ story, listed: await findListed(visit, story.customerId) })),
  );
  const t = texts().customer.merge;
  const refusal = visit.mayChange ? refused : refuse({}, t.notAllowed, 403);
  const path = pathOf(visit, 'customers', [customerId]);
  return renderOrganizationPage(visit, {
    title: t.question,
    parents: [...parentsOf(visit), [path, customerId], [pathOf(visit, 'customers', [customerId, 'merge']), t.title]],
    refusal,
    body: html`<p>${t.words(renderId(kept), renderId(kept === customerId ? otherId : customerId))}</p>
<div class="two sec">${both.map((one) => renderMerged(visit, one, one.story.customerId === kept))}</div>
<div class="sec">${
      visit.mayChange &&
      renderForm({
        action: pathOf(visit, 'customers', [customerId, 'merge', otherId]),
        flow: openUserFlow(visit, mergeForm),
        submit: t.submit,
        isDangerous: true,
      })
    }
<div class="acts after"><a class="btn" href="${path}">${t.cancel}</a></div></div>`,
  });
}

const renderId = (id: string): Html => html`<code class="brk"><bdi>${id}</bdi></code>`;

function renderMerged(visit: OrganizationVisit, { story, listed }: Merged, isKept: boolean): Html {
  const { customerId: id, title } = story;
  const t = texts().customer.merge;
  const { facts: words } = texts().customer;
  const { columns, count } = texts().customers;
  const name = listed?.name ?? id;
  const heading = `h-${isKept ? 'kept' : 'merged'}`;
  const facts: Fact[] = [
    [t.id, renderId(id)],
    [columns.story, html`<bdi dir="ltr">${title}</bdi>`],
    ...(listed?.emails ?? []).map((email) => [words.emails, html`<bdi>${email}</bdi>`] as const),
    ...(listed?.phones ?? []).map((phone) => [words.phones, html`<bdi>${phone}</bdi>`] as const),
    ...(listed
      ? ([
          [columns.events, count(listed.eventCount)],
          [words.first, renderWhen(listed.firstEventAt)],
          [words.last, renderWhen(listed.lastEventAt)],
        ] as const)
      : []),
  ];
  return html`<section aria-labelledby="${heading}"><div class="row wrap">${renderAvatar({ name, id, size: 'md' })}<h2 id="${heading}"><a class="link" href="${pathOf(visit, 'customers', [id])}"><bdi>${name}</bdi></a></h2>${isKept && renderBadge(t.kept, 'accent')}</div>
${renderFacts(facts, true)}</section>`;
}

async function merge(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, path } = visit;
  const { customerId = '', otherId = '' } = path;
  const rejected = rejectChange(visit, mergeForm, texts().customer.merge.notAllowed);
  if (rejected) return renderConfirmation(visit, rejected);
  const input = { path: { customerId }, query: {}, body: { customerId: otherId } };
  const { refusal, ...merged } = await submitForm([], () => call(ctx, 'context.story.merge', input));
  if (!('answer' in merged)) return renderConfirmation(visit, refusal ?? undefined);
  return redirectTo(pathOf(visit, 'customers', [merged.answer.customerId], { done: 'merged' }));
}
