import { renderFields } from './fields.ts';
import { type Content, type Html, html } from './html.ts';

/** A part of a long page. Its `id` is the anchor that leads to it. */
export type Section = {
  id: string;
  title: string;
  /** The purpose of the part, in a sentence or two. */
  words?: Content;
  content: Content;
};

/**
 * Renders the parts of a page of settings next to links to them.
 *
 * @param label the name of the links.
 */
export function renderSections(label: string, sections: readonly Section[]): Html {
  return html`<div class="settings"><div>
<nav class="subnav" aria-label="${label}">${sections.map(({ id, title }) => html`<a href="#${id}">${title}</a>`)}</nav>
<div>
${sections.map(renderSection)}</div></div></div>`;
}

/** Renders one part: its title and words, and next to them its content. */
export function renderSection({ id, title, words, content }: Section): Html {
  return html`<section class="form-row" id="${id}" aria-labelledby="${id}-heading"><div><h2 id="${id}-heading">${title}</h2>${words && html`<p>${words}</p>`}</div><div class="stack">
${content}
</div></section>
`;
}

/** How they look, for the gallery. */
export const examples = {
  'Sections of settings': () =>
    renderSections('Settings of an example', [
      {
        id: 'example-general',
        title: 'General',
        words: 'How visitors know the website.',
        content: html`<div class="form">${renderFields([{ name: 'sectionName', label: 'Name', autocomplete: 'off', value: 'Shop' }])}</div>`,
      },
      { id: 'example-data', title: 'Data', content: html`<p>Kept for 90 days.</p>` },
    ]),
};
