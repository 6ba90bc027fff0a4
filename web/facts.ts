import { type Content, type Html, html } from './html.ts';
import { renderState } from './states.ts';

/** A term and what is true of it. */
export type Fact = readonly [term: Content, fact: Content];

/** Renders the facts of a thing as a list of terms. `isNarrow`: with less room for the terms. */
export function renderFacts(facts: readonly Fact[], isNarrow = false): Html {
  return html`<dl class="facts${isNarrow && ' narrow'}">${facts.map(
    ([term, fact]) => html`<div><dt>${term}</dt><dd>${fact}</dd></div>
`,
  )}</dl>`;
}

/** How they look, for the gallery. */
export const examples = {
  Facts: () =>
    renderFacts([
      ['State', renderState('Active', 'good')],
      ['Created', '2 March 2026'],
    ]),
};
