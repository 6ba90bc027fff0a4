import { type Html, html } from './html.ts';

export type Meter = {
  name: string;
  /** Such as "4,806 of 10M". */
  words: string;
  used: number;
  limit: number;
  /** For example "Used up"; null for none. */
  tag: string | null;
};

/** Above this share of the limit the meter has another colour. */
const highShare = 0.8;

/** Renders how much of a limit is used. A limit of zero has no meter, because HTML's needs a range. */
export function renderMeter({ name, words, used, limit, tag }: Meter): Html {
  return html`<li><h3>${name}</h3>
<p>${words}${tag !== null && html` <span class="tag">${tag}</span>`}</p>
${limit > 0 && html`<meter aria-label="${name}" min="0" max="${limit}" high="${limit * highShare}" optimum="0" value="${Math.min(used, limit)}"></meter>`}</li>`;
}

/** How it looks, for the gallery. */
export const examples = {
  Meters: () =>
    html`<ul class="items meters">${[
      { name: 'Events today', words: '480 of 1,000', used: 480, limit: 1000, tag: null },
      { name: 'Mails this month', words: '9,200 of 10,000', used: 9200, limit: 10_000, tag: null },
      { name: 'Agent seats', words: '1 of 1', used: 1, limit: 1, tag: 'Used up' },
    ].map(renderMeter)}</ul>`,
};
