import { type Content, type Html, html } from './html.ts';
import { renderBadge } from './states.ts';
import { texts } from './texts.ts';

export type Meter = {
  name: string;
  /** Such as "4,806 of 10M"; what is used may be bold. */
  words: Content;
  used: number;
  limit: number;
  /** For example "Used up"; null for none. */
  tag: string | null;
};

/** From this share of the limit on the meter is amber; at the limit it is red. */
const nearShare = 0.75;

/** Returns the used part of a limit as a share and as a percentage, which is 100 at the limit only, and its tone. */
export function measureUse({ used, limit }: Pick<Meter, 'used' | 'limit'>) {
  const share = limit > 0 ? Math.min(1, used / limit) : 1;
  if (share >= 1) return { share, percent: 100, tone: 'over' } as const;
  const percent = Math.min(99, Math.round(share * 100));
  return { share, percent, tone: share >= nearShare ? 'near' : null } as const;
}

/** Renders how much of a limit is used. */
export function renderMeter({ name, words, used, limit, tag }: Meter): Html {
  const { percent, tone } = measureUse({ used, limit });
  return html`<li class="meter${tone && ` ${tone}`}"><div><span>${name}${tag !== null && html` ${renderBadge(tag, 'bad')}`}</span><span class="of">${words}</span></div><svg viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label="${texts().meter(name, percent)}"><rect width="${percent}" height="6"/></svg></li>`;
}

/** How it looks, for the gallery. */
export const examples = {
  Meters: () =>
    html`<ul class="meters">${[
      { name: 'Events today', words: html`<b>480</b> of 1,000`, used: 480, limit: 1000, tag: null },
      { name: 'Mails this month', words: html`<b>9,200</b> of 10,000`, used: 9200, limit: 10_000, tag: null },
      { name: 'Agent seats', words: html`<b>1</b> of 1`, used: 1, limit: 1, tag: 'Used up' },
    ].map(renderMeter)}</ul>`,
};
