import { type Html, html } from './html.ts';
import { renderBadge } from './states.ts';
import { texts } from './texts.ts';

export type Meter = {
  name: string;
  /** Such as "4,806 of 10M". */
  words: string;
  used: number;
  limit: number;
  /** For example "Used up"; null for none. */
  tag: string | null;
};

/** From this share of the limit on the meter is amber; at the limit it is red. */
const nearShare = 0.75;

/** Renders how much of a limit is used. */
export function renderMeter({ name, words, used, limit, tag }: Meter): Html {
  const share = limit > 0 ? Math.min(1, used / limit) : 1;
  const tone = share >= 1 ? ' over' : share >= nearShare ? ' near' : '';
  const percent = Math.round(share * 100);
  return html`<li class="meter${tone}"><div><span>${name}${tag !== null && html` ${renderBadge(tag, 'bad')}`}</span><span class="of">${words}</span></div><svg viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label="${texts().meter(name, percent)}"><rect width="${percent}" height="6"/></svg></li>`;
}

/** How it looks, for the gallery. */
export const examples = {
  Meters: () =>
    html`<ul class="meters">${[
      { name: 'Events today', words: '480 of 1,000', used: 480, limit: 1000, tag: null },
      { name: 'Mails this month', words: '9,200 of 10,000', used: 9200, limit: 10_000, tag: null },
      { name: 'Agent seats', words: '1 of 1', used: 1, limit: 1, tag: 'Used up' },
    ].map(renderMeter)}</ul>`,
};
