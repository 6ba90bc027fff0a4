import { type CallOutput, call } from '../../../lib/contract/context.ts';
import { day } from '../../../lib/data/clock.ts';
import { capitalize } from '../../../lib/format/capitalize.ts';
import { perLanguage } from '../../../web/catalogue.ts';
import { renderChart } from '../../../web/chart.ts';
import { withQuery } from '../../../web/filters.ts';
import { type Html, html } from '../../../web/html.ts';
import { readAllPages } from '../../../web/list-query.ts';
import { type OrganizationVisit, pathOf } from '../../../web/organization-page.ts';
import { texts as sharedTexts } from '../../../web/texts.ts';
import { now } from '../clock.ts';
import type { Subscription } from './subscription.ts';
import { texts } from './texts.ts';
import { formatOf, isIncluded, isOffered, type Usage, unitOf } from './usage.ts';

type Period = CallOutput<'billing.usage.list-history'>['data'][number];

/** The time that the charts show. */
const views = ['days', 'months'] as const;
type View = (typeof views)[number];

/** A part of the time: a day or a month in UTC, as milliseconds since 1970, without its end. */
type Span = { start: number; end: number };

const shownDays = 30;
const shownMonths = 12;

/** Renders the usage of each meter: by day for 30 days, or by month for 12 months, as the address says. */
export async function renderUsageHistory(visit: OrganizationVisit, { usage }: Subscription): Promise<Html> {
  const view = views.find((one) => one === visit.query.history) ?? 'days';
  const t = texts().console.history;
  const meters = usage.filter((meter) => isOffered(meter) && isIncluded(meter) && isCounted(meter, view));
  const histories = await Promise.all(
    meters.map(async (meter) => ({ meter, sums: await readSums(visit, meter, view) })),
  );
  const isUsed = ({ sums }: History): boolean => sums.some(({ sum }) => sum > 0);
  const used = histories.filter(isUsed);
  const unused = histories.filter((history) => !isUsed(history));
  return html`<section class="sec" id="history" aria-labelledby="h-history"><div class="sec-head"><h2 id="h-history">${t.title}</h2><div class="seg" role="group" aria-label="${t.label}">${views.map((one) => renderSwitch(visit, one, one === view))}</div></div>
${used.length > 0 && html`<div class="two">${used.map((history) => renderHistory(history, view))}</div>`}
${unused.length > 0 && html`<p class="hint after">${t.unused[view](unused.map(({ meter }) => nameOf(meter)).join(', '))}</p>`}
${view === 'days' && html`<p class="hint after">${t.byMonth}</p>`}</section>`;
}

/** Whether a meter is counted in periods that the view shows: a gauge has none, and a month is not counted by day. */
function isCounted({ kind }: Usage, view: View): boolean {
  return kind === 'day' || (kind === 'month' && view === 'months');
}

type Sum = Span & { sum: number };
type History = { meter: Usage; sums: readonly Sum[] };

/** The usage of a meter in each span of the view, the oldest first. Ended periods are in the history, the present is not. */
async function readSums({ ctx, orgId }: OrganizationVisit, meter: Usage, view: View): Promise<Sum[]> {
  const read = (query: { limit: string; cursor?: string }) =>
    call(ctx, 'billing.usage.list-history', { path: { orgId }, query: { ...query, meter: meter.meter } });
  // A page has more than the days that are shown.
  const periods = view === 'days' ? (await read({ limit: '100' })).data : await readAllPages(read);
  const spans = view === 'days' ? lastDays() : lastMonths();
  return spans.map((span, index) => {
    const present = index === spans.length - 1 ? meter.used : 0;
    return { ...span, sum: present + sumOf(periods, span) };
  });
}

function sumOf(periods: readonly Period[], { start, end }: Span): number {
  return periods.reduce((sum, { period, used }) => {
    const began = Date.parse(period.split(' / ')[0] ?? '');
    return began >= start && began < end ? sum + used : sum;
  }, 0);
}

function lastDays(): Span[] {
  const today = Math.floor(now().getTime() / day) * day;
  return Array.from({ length: shownDays }, (_, index) => {
    const start = today - (shownDays - 1 - index) * day;
    return { start, end: start + day };
  });
}

function lastMonths(): Span[] {
  const at = now();
  const startOf = (ago: number): number => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - ago, 1);
  return Array.from({ length: shownMonths }, (_, index) => {
    const ago = shownMonths - 1 - index;
    return { start: startOf(ago), end: startOf(ago - 1) };
  });
}

function renderSwitch(visit: OrganizationVisit, view: View, isCurrent: boolean): Html {
  const href = withQuery(pathOf(visit, 'usage'), { history: view === 'days' ? '' : view });
  return html`<a href="${href}#history"${isCurrent && html` aria-current="true"`}>${texts().console.history.views[view]}</a>`;
}

const dates = perLanguage(() => {
  const { dateLocale } = sharedTexts();
  return {
    days: new Intl.DateTimeFormat(dateLocale, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
    months: new Intl.DateTimeFormat(dateLocale, { month: 'short', year: 'numeric', timeZone: 'UTC' }),
  };
});

/** The share of its limit from which a chart shows the limit; bars would be too low below it. */
const limitShownFrom = 0.2;

function renderHistory({ meter, sums }: History, view: View): Html {
  const t = texts().console.history;
  const name = nameOf(meter);
  const format = formatOf(meter.meter);
  const bars = sums.map(({ start, sum }, index) => {
    const label = dates()[view].format(start);
    return { label, value: sum * unitOf(meter.meter), previous: null, isOpen: index === sums.length - 1 };
  });
  const total = format(bars.reduce((all, { value }) => all + value, 0));
  const present = format(bars.at(-1)?.value ?? 0);
  const marked = view === 'days' ? [0, 10, 20, 29] : [0, 4, 8, 11];
  const limit = limitOf(meter, view);
  const isNear = limit !== null && bars.some(({ value }) => value >= limit * limitShownFrom);
  return renderChart({
    title: html`<h3>${t.titles[view](name)}</h3>`,
    series: { now: t.totals[view](total), previous: '' },
    bars,
    axis: marked.map((index) => bars[index]?.label ?? ''),
    format,
    summary: t.summaries[view](name, total, present),
    ...(isNear && { limit: { value: limit, words: t.limit(format(limit)) } }),
  });
}

/** The limit of a bar in units; null where a bar is the sum of several periods. */
function limitOf({ meter, kind, limit }: Usage, view: View): number | null {
  return limit !== null && (kind === 'day') === (view === 'days') ? limit * unitOf(meter) : null;
}

/** The name of a meter without its period; a service declares the names of its meters. */
function nameOf({ meter, name }: Usage): string {
  const known: Record<string, string | undefined> = texts().console.history.meters;
  return known[meter] ?? (name ? capitalize(name) : meter);
}
