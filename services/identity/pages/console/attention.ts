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

/** Recent failures of one kind. */
type Failures = { kind: Kind; count: number; hasMore: boolean; latestAt: string };

/** The most failures that are counted; more are shown as `100+`. */
const counted = '100';
/** Messages are checked weekly, events and requests daily. */
const daysOf: Record<Kind, number> = { mails: 7, notifications: 7, events: 1, requests: 1 };

/** Renders the latest failures, which need someone. Null without any, and for a member who may see none. */
export async function renderAttention(visit: OrganizationVisit): Promise<Html | null> {
  const found = await Promise.all(kinds.map((kind) => ifAllowed(readers[kind](visit))));
  const failures = found.filter((one) => one !== null).filter(({ count }) => count > 0);
  if (failures.length === 0) return null;
  const t = texts().overview.attention;
  return html`<section class="sec" aria-labelledby="h-attention">
<div class="sec-head"><h2 id="h-attention">${t.title}</h2></div>
<ul class="list">${failures.map((one) => renderFailures(visit, one))}</ul></section>`;
}

function renderFailures(visit: OrganizationVisit, { kind, count, hasMore, latestAt }: Failures): Html {
  const t = texts().overview.attention;
  const words = t.failed[kind](count, `${formatCount(count)}${hasMore ? '+' : ''}`);
  return html`<li><span class="ico bad">${renderIcon('alert', 'xs')}</span><span class="grow">${words} <a class="link" href="${listOf(visit, kind)}" aria-label="${t.showNamed(words)}">${t.show}</a></span>${renderShortTime(latestAt)}</li>
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
    return failuresOf(
      'mails',
      data.map(({ createdAt }) => createdAt),
      nextCursor,
    );
  },
  async notifications({ ctx }) {
    const query = { status: 'failed', since: startOf('notifications'), limit: counted } as const;
    const { data, nextCursor } = await call(ctx, 'notification.notifications.list', { query });
    return failuresOf(
      'notifications',
      data.map(({ createdAt }) => createdAt),
      nextCursor,
    );
  },
  async events({ ctx }) {
    const { data } = await call(ctx, 'context.events.refused', { query: { limit: counted } });
    const times = data.map(({ refusedAt }) => refusedAt).filter((at) => at >= startOf('events'));
    return failuresOf('events', times, times.length === Number(counted) ? 'more' : null);
  },
  async requests({ ctx, organization: { slug } }) {
    const query = { from: startOf('requests'), limit: counted };
    const { data, nextCursor } = await call(ctx, 'identity.requests.list', { path: { slug }, query });
    return failuresOf(
      'requests',
      data.map(({ answeredAt }) => answeredAt),
      nextCursor,
    );
  },
};

/** `times`: of the failures, the newest first. */
function failuresOf(kind: Kind, times: string[], nextCursor: string | null): Failures {
  return { kind, count: times.length, hasMore: nextCursor !== null, latestAt: times[0] ?? '' };
}
