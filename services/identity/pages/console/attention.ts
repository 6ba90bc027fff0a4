import { call } from '../../../../lib/contract/context.ts';
import { day, fromNow } from '../../../../lib/data/clock.ts';
import { type Html, html } from '../../../../web/html.ts';
import { renderIcon } from '../../../../web/icons.ts';
import { formatCount } from '../../../../web/numbers.ts';
import { type OrganizationVisit, pathOf } from '../../../../web/organization-page.ts';
import { renderShortTime } from '../../../../web/time.ts';
import { texts } from '../texts.ts';
import { ifAllowed } from './if-allowed.ts';

const kinds = ['mails', 'notifications', 'events', 'requests'] as const;
type Kind = (typeof kinds)[number];

/** Recent failures of one kind. `times`: when each happened, the newest first. */
type Failures = { times: string[]; hasMore: boolean };

/** The most failures that are counted; more are shown as `100+`. */
const counted = '100';
/** Messages are checked weekly, events and requests daily. */
const daysOf: Record<Kind, number> = { mails: 7, notifications: 7, events: 1, requests: 1 };

/** Renders the latest failures, which need someone. Null without any, and for a member who may see none. */
export async function renderAttention(visit: OrganizationVisit): Promise<Html | null> {
  const found = await Promise.all(kinds.map(async (kind) => [kind, await ifAllowed(readers[kind](visit))] as const));
  const rows = found.flatMap(([kind, failures]) =>
    failures !== null && failures.times.length > 0 ? [renderFailures(visit, kind, failures)] : [],
  );
  if (rows.length === 0) return null;
  return html`<section class="sec" aria-labelledby="h-attention">
<div class="sec-head"><h2 id="h-attention">${texts().overview.attention.title}</h2></div>
<ul class="list">${rows}</ul></section>`;
}

function renderFailures(visit: OrganizationVisit, kind: Kind, { times, hasMore }: Failures): Html {
  const t = texts().overview.attention;
  const words = t.failed[kind](times.length, `${formatCount(times.length)}${hasMore ? '+' : ''}`);
  return html`<li><span class="ico bad">${renderIcon('alert', 'xs')}</span><span class="grow">${words} <a class="link" href="${listOf(visit, kind)}" aria-label="${t.showNamed(words)}">${t.show}</a></span>${renderShortTime(times[0] ?? '')}</li>
`;
}

function listOf(visit: OrganizationVisit, kind: Kind): string {
  if (kind === 'events') return pathOf(visit, 'events', ['refused']);
  if (kind === 'requests') return pathOf(visit, 'logs', ['requests']);
  return pathOf(visit, 'messages', [], { outcome: 'failed', kind: kind === 'mails' ? 'mail' : 'notification' });
}

const startOf = (kind: Kind): string => fromNow(-daysOf[kind] * day).toISOString();

const readers: Record<Kind, (visit: OrganizationVisit) => Promise<Failures>> = {
  async mails({ ctx }) {
    const query = { status: 'failed', since: startOf('mails'), limit: counted } as const;
    const { data, nextCursor } = await call(ctx, 'mail.messages.list', { query });
    return { times: data.map(({ createdAt }) => createdAt), hasMore: nextCursor !== null };
  },
  async notifications({ ctx }) {
    const query = { status: 'failed', since: startOf('notifications'), limit: counted } as const;
    const { data, nextCursor } = await call(ctx, 'notification.notifications.list', { query });
    return { times: data.map(({ createdAt }) => createdAt), hasMore: nextCursor !== null };
  },
  async events({ ctx }) {
    const { data } = await call(ctx, 'context.events.refused', { query: { limit: counted } });
    const times = data.map(({ refusedAt }) => refusedAt).filter((at) => at >= startOf('events'));
    return { times, hasMore: times.length === Number(counted) };
  },
  async requests({ ctx, organization: { slug } }) {
    const query = { from: startOf('requests'), limit: counted };
    const { data, nextCursor } = await call(ctx, 'identity.requests.list', { path: { slug }, query });
    return { times: data.map(({ answeredAt }) => answeredAt), hasMore: nextCursor !== null };
  },
};
