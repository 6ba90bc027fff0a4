import { capitalize } from '../../../lib/format/capitalize.ts';
import { perLanguage } from '../../../web/catalogue.ts';
import { type Html, html } from '../../../web/html.ts';
import { measureUse, renderMeter } from '../../../web/meter.ts';
import { formatSize } from '../../../web/numbers.ts';
import { renderBanner } from '../../../web/states.ts';
import { renderTime } from '../../../web/time.ts';
import { findMeter } from '../quota/meters.ts';
import type { Subscription } from './subscription.ts';
import { texts } from './texts.ts';

export type Usage = Subscription['usage'][number];
type Included = Usage & { limit: number };

/** The platform has no recommendations yet, only their entitlement. */
export const isOffered = ({ meter }: Usage): boolean => meter !== 'intelligence.recommendationsPerDay';
export const isIncluded = (one: Usage): one is Included => one.limit !== null;

const million = 1_000_000;
const format = perLanguage((language) => new Intl.NumberFormat(language, { maximumFractionDigits: 2 }));
const compact = perLanguage((language) => new Intl.NumberFormat(language, { notation: 'compact' }));

/** A number for display: `4,806`, and `10M` for whole millions. */
export function numberInWords(number: number): string {
  return (number >= million && number % million === 0 ? compact() : format()).format(number);
}

/** How many units one of a meter's limit is: the bytes of a gigabyte, 1 for others. */
export const unitOf = (meter: string): number => findMeter(meter)?.unit ?? 1;

/** The function that formats units of a meter: bytes as a size. */
export const formatOf = (meter: string): ((units: number) => string) =>
  unitOf(meter) === 1 ? numberInWords : formatSize;

/** An amount in the unit of a meter's limit for display: `4,806`, `3.18 KB`. */
export const amountInWords = (meter: string, amount: number): string => formatOf(meter)(amount * unitOf(meter));

/** The usage of each limit of the plan; days and months are in UTC. */
export function renderUsage({ usage, status }: Subscription): Html {
  const { headings, usage: t } = texts().console;
  const offered = usage.filter(isOffered);
  const missing = offered.filter((one) => !isIncluded(one)).map(nameInSentence);
  return html`<section class="sec first" aria-labelledby="h-usage"><div class="sec-head"><h2 id="h-usage">${headings.usage}</h2><span class="quiet small">${renderResets(usage)}</span></div>
${status === 'expired' && html`<p>${t.unpaid}</p>`}
<ul class="meters">${offered.filter(isIncluded).map(renderUsed)}</ul>
${missing.length > 0 && html`<p class="hint after">${t.notIncluded(missing.join(', '))}</p>`}</section>`;
}

function renderUsed(one: Included): Html {
  const { meter, used, limit } = one;
  const { amount, usedUp } = texts().console.usage;
  const words = amount(amountInWords(meter, used), amountInWords(meter, limit));
  return renderMeter({ name: labelOf(one), words, used, limit, tag: used >= limit ? usedUp : null });
}

/** The label of a meter; of one that a service declares, from its declaration. */
function labelOf({ meter, kind, name }: Usage): string {
  const { meters, declared } = texts().console.usage;
  if (name) return declared[kind](capitalize(name));
  return (meters as Record<string, string>)[meter] ?? meter;
}

function nameInSentence(one: Usage): string {
  const { declared, inSentence } = texts().console.usage;
  return one.name ? declared[one.kind](one.name) : inSentence(labelOf(one));
}

/** When the limits of a day and of a month are reset, once for all of them. */
function renderResets(usage: Usage[]): Html {
  const { dailyReset, monthlyReset } = texts().console.usage;
  const endOf = (meterKind: Usage['kind']) => usage.find(({ kind }) => kind === meterKind)?.periodEnd;
  const [daily, monthly] = [endOf('day'), endOf('month')];
  return html`${daily && dailyReset(renderTime(daily))} ${monthly && monthlyReset(renderTime(monthly))}`;
}

/**
 * Renders a banner about the meter that is nearest to its limit, if one is near; null for an expired plan, whose
 * sentence says more. `plans`: the address of the plans; null for users who may not change the plan.
 */
export function renderNearLimit({ usage, status }: Subscription, plans: string | null): Html | null {
  if (status === 'expired') return null;
  const near = usage
    .filter((one) => isOffered(one) && one.limit !== 0)
    .filter(isIncluded)
    .map((one) => ({ one, ...measureUse(one) }))
    .filter(({ tone }) => tone !== null);
  const [nearest] = near.sort((one, other) => other.share - one.share);
  if (!nearest) return null;
  const { one, percent, tone } = nearest;
  const t = texts().console.usage.nearLimit;
  const isCounted = unitOf(one.meter) === 1;
  const until = one.periodEnd && renderTime(one.periodEnd);
  const used = t.used(percent, nameInSentence(one), isCounted);
  return renderBanner({
    tone: tone === 'over' ? 'bad' : 'warn',
    icon: 'alert',
    words: html`<p><b>${used}</b> ${tone === 'over' ? t.over(until, isCounted) : t.near(until)}</p>`,
    act: plans && html`<a class="btn sm" href="${plans}">${t.plans}</a>`,
  });
}
