import { type CallOutput, call } from '../../../lib/contract/context.ts';
import { type ErrorCode, errorCode } from '../../../lib/contract/errors.ts';
import { submitForm } from '../../../web/attempt.ts';
import { type Content, type Html, html } from '../../../web/html.ts';
import { singleValues } from '../../../web/list-query.ts';
import { renderLiveList, renderReload } from '../../../web/live-list.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  renderOrganizationPage,
} from '../../../web/organization-page.ts';
import { type PageAnswer, renderFragment } from '../../../web/page.ts';
import { renderEmpty, renderTable } from '../../../web/table.ts';
import { texts as shared } from '../../../web/texts.ts';
import { renderWhen } from '../../../web/time.ts';
import { anotherField } from '../ingest/refused-events.ts';
import { renderEventsTabs } from './event-tabs.ts';
import { texts } from './texts.ts';

/** The events that were refused, and why. */
export const refusedPages = {
  'pages.events.refused': organizationPage('events', {
    rest: 'GET /refused',
    summary: 'Show the refused events of an organization',
    handler: renderRefused,
  }),
};

type Refused = CallOutput<'context.events.refused'>;
type RefusedEvent = Refused['data'][number];
/** The names of senders by their ids. */
type Names = ReadonlyMap<string, string>;

const none: Refused = { data: [], nextCursor: null };

async function renderRefused(visit: OrganizationVisit): Promise<PageAnswer> {
  const { cursor, fragment } = singleValues(visit.query, ['cursor', 'fragment']);
  const query = { limit: '50', ...(cursor && { cursor }) };
  const { refusal, ...found } = await submitForm([], () => call(visit.ctx, 'context.events.refused', { query }));
  const refused = 'answer' in found ? found.answer : none;
  const list = renderList(visit, refused, cursor, await namesOf(visit, refused.data));
  if (fragment === 'list' && !refusal) return renderFragment(list);
  const path = (more: Record<string, string> = {}) => pathOf(visit, 'events', ['refused'], more);
  const isLive = cursor === undefined && !refusal;
  return renderOrganizationPage(visit, {
    title: texts().events.title,
    lead: texts().refused.lead,
    acts: isLive && renderReload(path()),
    refusal,
    isLive,
    body: html`${renderEventsTabs(visit, 'refused')}
${isLive ? renderLiveList(path({ fragment: 'list' }), list) : !refusal && list}`,
  });
}

/** The names of the organization's applications, where there are senders to name and the member may read them. */
async function namesOf({ ctx }: OrganizationVisit, refused: readonly RefusedEvent[]): Promise<Names> {
  if (!refused.some(({ sender }) => sender.type === 'application')) return new Map();
  try {
    const { data } = await call(ctx, 'identity.applications.list', { query: { limit: '100' } });
    return new Map(data.map(({ id, name }) => [id, name]));
  } catch (error) {
    if (errorCode(error) === null) throw error;
    return new Map();
  }
}

function renderList(
  visit: OrganizationVisit,
  { data, nextCursor }: Refused,
  cursor: string | undefined,
  names: Names,
): Html {
  const t = texts().refused;
  const { columns } = t;
  const path = (more: Record<string, string> = {}) => pathOf(visit, 'events', ['refused'], more);
  return renderTable<RefusedEvent>({
    label: t.caption,
    height: 'tall',
    columns: [
      { heading: columns.event, cell: renderEvent },
      { heading: columns.reason, cell: renderReason },
      { heading: columns.sender, cell: (one) => renderSender(one, names) },
      { heading: columns.refused, cell: ({ refusedAt }) => renderWhen(refusedAt), isNumber: true, isState: true },
    ],
    rows: data,
    empty: renderEmpty({ icon: 'ok', ...t.empty }),
    pager: {
      next: nextCursor && path({ cursor: nextCursor }),
      nextWords: t.older,
      first: cursor === undefined ? null : path(),
    },
  });
}

function renderEvent({ eventId, eventName, isBatch, error, message, details }: RefusedEvent): Html {
  const t = texts().refused;
  const [first] = details;
  const reason = first
    ? `${nameOfField(first)}: ${shared().refusals.detail(first.message)}`
    : sentenceOf(error, message);
  return html`<code>${eventName ?? t.nameless}</code>${isBatch && html` <span class="badge">${t.batch}</span>`}<span class="sub desk id">${eventId}</span><span class="sub phone">${reason}</span>`;
}

/** The sentence of a refusal, which is stored in English, in the language of the page. */
function sentenceOf(error: string, message: string): string {
  return shared().refusals.message(error as ErrorCode, message);
}

/** The path of a field within the event. One that the platform's schemas cannot have is not stored. */
function nameOfField({ path }: RefusedEvent['details'][number]): string {
  return path === anotherField ? texts().refused.anotherField : path;
}

/** The message of each field, or the message of the error alone. */
function renderReason({ error, message, details, omitted }: RefusedEvent): Content {
  const t = texts().refused;
  const reasons = details.map(
    (detail) =>
      html`<span class="sub"><code>${nameOfField(detail)}</code> ${shared().refusals.detail(detail.message)}</span>`,
  );
  return html`<span>${sentenceOf(error, message)}</span> <code class="badge">${error}</code>${reasons}${omitted > 0 && html`<span class="sub">${t.omitted(omitted)}</span>`}`;
}

function renderSender({ sender }: RefusedEvent, names: Names): Html {
  const name = names.get(sender.id) ?? texts().refused.senders[sender.type];
  return html`<bdi>${name}</bdi><span class="sub id">${sender.id}</span>`;
}
