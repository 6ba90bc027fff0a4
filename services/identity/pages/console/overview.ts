import { type CallOutput, call } from '../../../../lib/contract/context.ts';
import { day, now } from '../../../../lib/data/clock.ts';
import { gigabyte } from '../../../../lib/format/bytes.ts';
import { capitalize } from '../../../../lib/format/capitalize.ts';
import { isOfDomains, normalizeEmail } from '../../../../lib/format/email-address.ts';
import { senderDomains } from '../../../../lib/net/sender-address.ts';
import { perLanguage } from '../../../../web/catalogue.ts';
import { renderChart, renderStats, type Stat } from '../../../../web/chart.ts';
import { type Html, html } from '../../../../web/html.ts';
import { renderIcon } from '../../../../web/icons.ts';
import { renderMeter } from '../../../../web/meter.ts';
import { formatSize } from '../../../../web/numbers.ts';
import {
  type OrganizationVisit,
  organizationPage,
  pathOf,
  renderOrganizationPage,
} from '../../../../web/organization-page.ts';
import type { PageAnswer } from '../../../../web/page.ts';
import { texts as shared } from '../../../../web/texts.ts';
import { flashMessage } from '../../../../web/user-page.ts';
import { texts } from '../texts.ts';
import { renderActivity } from './activity.ts';
import { renderAttention } from './attention.ts';
import { type Facts, renderFirstSteps } from './first-steps.ts';
import { ifAllowed } from './if-allowed.ts';

/** The first page of an organization's console: today's figures, what happened, what to do next, and the plan. */
export const overviewPages = {
  'pages.console.overview': organizationPage('overview', {
    rest: 'GET',
    summary: 'Show what happens in an organization',
    handler: renderOverview,
  }),
};

type Subscription = CallOutput<'billing.subscription.describe'>;
type Day = { start: Date; used: number };

/** Days of the chart; the line compares each with the same weekday a fortnight before. */
const days = 14;
const gigabyteMeters = new Set(['storage.storageGb', 'storage.bandwidthGbPerMonth']);
/** Nearest to their limits. */
const shownMeters = 3;

async function renderOverview(visit: OrganizationVisit): Promise<PageAnswer> {
  const { ctx, orgId, shell } = visit;
  const [subscription, history, keys, customers, mails, sender, members, attention, activity] = await Promise.all([
    ifAllowed(call(ctx, 'billing.subscription.describe', { body: { orgId } })),
    ifAllowed(readDays(visit)),
    ifAllowed(hasApiKey(visit)),
    ifAllowed(call(ctx, 'context.story.customers', { query: { limit: '1' } })),
    ifAllowed(call(ctx, 'mail.messages.list', { query: { limit: '1' } })),
    ifAllowed(call(ctx, 'mail.settings.read', {})),
    ifAllowed(call(ctx, 'identity.members.list', { path: { slug: visit.organization.slug }, query: { limit: '2' } })),
    renderAttention(visit),
    ifAllowed(renderActivity(visit)),
  ]);
  const domains = senderDomains(orgId);
  const mayBill = shell.seen.has('usage');
  const used = usedOf(subscription);
  const facts: Facts = {
    key: keys ?? null,
    event: subscription && history ? used('context.eventsPerDay') > 0 || history.some((one) => one.used > 0) : null,
    story: customers && customers.data.length > 0,
    upload: subscription && used('storage.storageGb') > 0,
    mail: mails && mails.data.length > 0,
    // The step needs a domain that the operator allows.
    sender: sender && domains.length > 0 ? isOfDomains(normalizeEmail(sender.from), domains) : null,
    member: members && members.data.length > 1,
  };
  const t = texts().overview;
  const firstSteps = renderFirstSteps(visit, facts);
  // Without events the chart is empty, and on a phone it would be above the steps.
  const isNew = facts.event === false;
  return renderOrganizationPage(visit, {
    title: t.title,
    lead: t.today(longDate().format(now())),
    notice: flashMessage(visit, t.notices),
    body: html`${subscription && mayBill && renderStats(statsOf(visit, subscription, history))}
<div class="cockpit"><div>
${isNew && firstSteps}
${attention}
${history && subscription && mayBill && renderEvents(history, used('context.eventsPerDay'))}
${activity}
</div><aside>
${!isNew && firstSteps}
${subscription && mayBill && renderQuota(visit, subscription)}
</aside></div>`,
  });
}

function usedOf(subscription: Subscription | null) {
  return (name: Subscription['usage'][number]['meter']): number =>
    subscription?.usage.find(({ meter }) => meter === name)?.used ?? 0;
}

async function hasApiKey({ ctx }: OrganizationVisit): Promise<boolean> {
  const { data } = await call(ctx, 'identity.applications.list', { query: { limit: '20' } });
  for (const { id } of data) {
    const keys = await call(ctx, 'identity.api-keys.list', { path: { id }, query: { limit: '1' } });
    if (keys.data.length > 0) return true;
  }
  return false;
}

/** The events of the ended days of the chart and of the days they are compared with, the newest first. */
async function readDays({ ctx, orgId }: OrganizationVisit): Promise<Day[]> {
  const query = { meter: 'context.eventsPerDay', limit: String(2 * days) } as const;
  const { data } = await call(ctx, 'billing.usage.list-history', { path: { orgId }, query });
  return data.map(({ period, used }) => ({ start: new Date(period.split(' / ')[0] ?? ''), used }));
}

const longDate = perLanguage(
  () => new Intl.DateTimeFormat(shared().dateLocale, { dateStyle: 'full', timeZone: 'UTC' }),
);
const shortDate = perLanguage(
  () => new Intl.DateTimeFormat(shared().dateLocale, { day: 'numeric', month: 'long', timeZone: 'UTC' }),
);
const figure = perLanguage((language) => new Intl.NumberFormat(language, { maximumFractionDigits: 2 }));

function statsOf(visit: OrganizationVisit, subscription: Subscription, history: Day[] | null): Stat[] {
  const t = texts().overview.stats;
  const used = usedOf(subscription);
  const lastWeek = history && usedOn(history, startOfDay(7));
  const format = (value: number): string => figure().format(value);
  const href = pathOf(visit, 'usage');
  return [
    {
      label: t.events,
      value: format(used('context.eventsPerDay')),
      note: lastWeek !== null && t.lastWeek(format(lastWeek), weekday().format(now())),
      href,
    },
    { label: t.mails, value: format(used('mail.sendsPerMonth')), href },
    { label: t.notifications, value: format(used('notification.sendsPerMonth')), href },
    { label: t.storage, value: formatSize(used('storage.storageGb') * gigabyte), href },
  ];
}

const weekday = perLanguage((language) => new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' }));

/** The start of the UTC day, some days ago. */
function startOfDay(ago: number): number {
  return Math.floor(now().getTime() / day) * day - ago * day;
}

function usedOn(history: readonly Day[], start: number): number {
  return history.find((one) => one.start.getTime() === start)?.used ?? 0;
}

function renderEvents(history: readonly Day[], today: number): Html {
  const t = texts().overview.chart;
  const bars = Array.from({ length: days }, (_, index) => {
    const ago = days - 1 - index;
    const start = startOfDay(ago);
    return {
      label: shortDate().format(start),
      value: ago === 0 ? today : usedOn(history, start),
      previous: usedOn(history, startOfDay(ago + days)),
      isOpen: ago === 0,
    };
  });
  const hasPrevious = bars.some(({ previous }) => previous > 0);
  const format = (value: number): string => figure().format(Math.round(value));
  const total = bars.reduce((sum, { value }) => sum + value, 0);
  return html`<section class="sec" aria-label="${t.title}">${renderChart({
    title: html`<h2>${t.title}</h2>`,
    series: t.series,
    bars: bars.map((bar) => ({ ...bar, previous: hasPrevious ? bar.previous : null })),
    axis: [0, 4, 8].map((index) => bars[index]?.label ?? '').concat(t.today),
    format,
    summary: t.summary(format(total), format(today)),
  })}</section>`;
}

function renderQuota(visit: OrganizationVisit, subscription: Subscription): Html {
  const t = texts().overview.quota;
  const included = subscription.usage.filter((one) => one.limit !== null && one.limit > 0);
  const share = ({ used, limit }: (typeof included)[number]): number => used / (limit ?? 1);
  const nearest = included.toSorted((one, other) => share(other) - share(one)).slice(0, shownMeters);
  return html`<section class="sec" aria-labelledby="h-quota">
<div class="sec-head"><h2 id="h-quota">${t.title(subscription.title)}</h2><a class="btn plain sm" href="${pathOf(visit, 'usage')}">${t.more}${renderIcon('right')}</a></div>
<ul class="stack">${nearest.map((one) => {
    const { meter, used, limit } = one;
    const format = (value: number): string =>
      gigabyteMeters.has(meter) ? formatSize(value * gigabyte) : figure().format(value);
    const words = t.of(format(used), format(limit ?? 0));
    return renderMeter({ name: labelOf(one), words, used, limit: limit ?? 0, tag: null });
  })}</ul></section>`;
}

/** The label of a meter; of one that a service declares, from its declaration. */
function labelOf({ meter, kind, name }: Subscription['usage'][number]): string {
  const { meters, declared } = texts().overview.quota;
  if (name) return declared[kind](capitalize(name));
  return (meters as Record<string, string>)[meter] ?? meter;
}
