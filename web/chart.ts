import { type Content, type Html, html } from './html.ts';
import { texts } from './texts.ts';

export type Bar = {
  /** Name of the bar for people: "26 November". */
  label: string;
  value: number;
  /** The value of the period that it is compared with; null for none. */
  previous: number | null;
  /** Not over yet: drawn lighter. */
  isOpen?: boolean;
};

export type Chart = {
  title: Content;
  /** Names of the bars and of the dashed line. */
  series: { now: string; previous: string };
  bars: readonly Bar[];
  /** A limit of each bar, drawn as a dashed line. */
  limit?: { value: number; words: string };
  /** Three or four names below the bars, from the first to the last. */
  axis: readonly string[];
  format: (value: number) => string;
  /** The picture in a sentence, for those who cannot see it. */
  summary: string;
};

const steps = 3;

/** Renders bars with the period before as a dashed line, and the same numbers as a table. No script, no inline style. */
export function renderChart({ title, series, bars, limit, axis, format, summary }: Chart): Html {
  const top = ceiling(Math.max(1, limit?.value ?? 0, ...bars.flatMap(({ value, previous }) => [value, previous ?? 0])));
  const hasPrevious = bars.some(({ previous }) => previous !== null);
  const rules = Array.from(
    { length: steps + 1 },
    (_, index) => html`<path class="rule" d="M0 ${(index * 100) / steps}H100"/>`,
  );
  const marks = Array.from(
    { length: steps + 1 },
    (_, index) => html`<span>${format(top - (index * top) / steps)}</span>`,
  );
  return html`<figure class="chart">
<figcaption>${title}<span class="legend">${series.now}</span>${hasPrevious && html`<span class="legend prev">${series.previous}</span>`}${limit && html`<span class="legend limit">${limit.words}</span>`}</figcaption>
<div class="plot"><div class="y" aria-hidden="true">${marks}</div><svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label="${summary}">${rules}${bars.map((bar, index) => renderBar(bar, index, bars.length, top))}${hasPrevious && html`<path class="prev" d="${lineOf(bars, top)}"/>`}${limit && html`<path class="limit" d="M0 ${round(100 - (limit.value / top) * 100)}H100"/>`}</svg><div class="x" aria-hidden="true">${axis.map((name) => html`<span>${name}</span>`)}</div></div>
${renderData({ series, bars, format, hasPrevious })}
</figure>`;
}

function renderBar({ value, isOpen }: Bar, index: number, count: number, top: number): Html {
  const width = 100 / count;
  const height = round((value / top) * 100);
  const start = round(index * width + width * 0.17);
  return html`<path class="bar${isOpen && ' now'}" d="M${start} 100v-${height}h${round(width * 0.66)}v${height}z"/>`;
}

function lineOf(bars: readonly Bar[], top: number): string {
  const points = bars.map(({ previous }, index) => [
    (index + 0.5) * (100 / bars.length),
    100 - ((previous ?? 0) / top) * 100,
  ]);
  return points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${round(x ?? 0)} ${round(y ?? 0)}`).join('');
}

function renderData({
  series,
  bars,
  format,
  hasPrevious,
}: Pick<Chart, 'series' | 'bars' | 'format'> & { hasPrevious: boolean }): Html {
  const words = texts().chart;
  return html`<details class="data"><summary>${words.asTable}</summary><table class="table"><thead><tr><th scope="col">${words.period}</th><th scope="col" class="end">${series.now}</th>${hasPrevious && html`<th scope="col" class="end">${series.previous}</th>`}</tr></thead><tbody>${bars.map(
    ({ label, value, previous }) =>
      html`<tr><th scope="row">${label}</th><td class="end">${format(value)}</td>${hasPrevious && html`<td class="end">${previous === null ? '' : format(previous)}</td>`}</tr>`,
  )}</tbody></table></details>`;
}

/** The next number that divides into three round steps. */
function ceiling(value: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(value));
  const factor = [1.5, 3, 6, 9, 15].find((one) => one * magnitude >= value) ?? 15;
  return Math.max(steps, factor * magnitude);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

export type Stat = { label: string; value: Content; note?: Content; href?: string };

/** Renders the figures at the top of a page. */
export function renderStats(stats: readonly Stat[]): Html {
  return html`<div class="stats">${stats.map(({ label, value, note, href }) => {
    const content = html`<span class="lab">${label}</span><span class="fig">${value}</span>${note && html`<span class="del">${note}</span>`}`;
    return href === undefined ? html`<div>${content}</div>` : html`<a href="${href}">${content}</a>`;
  })}</div>`;
}

/** How they look, for the gallery. */
export const examples = {
  Figures: () =>
    renderStats([
      { label: 'Events accepted', value: '38,412', note: '3.1 times last Friday', href: '/dev/gallery' },
      { label: 'Requests refused', value: '14' },
    ]),
  Chart: () =>
    renderChart({
      title: html`<h3>Events by day</h3>`,
      series: { now: 'This week', previous: 'The week before' },
      bars: [12, 18, 7, 22, 30].map((value, index) => ({
        label: `${index + 1} November`,
        value,
        previous: value - 5,
        isOpen: index === 4,
      })),
      axis: ['1 November', '3 November', '5 November'],
      format: String,
      summary: 'Events by day: from 12 on 1 November to 30 on 5 November.',
    }),
};
