import { type Html, html } from './html.ts';
import { renderIcon } from './icons.ts';
import { texts } from './texts.ts';

/** Keys and what they do. Keys of the same effect are separated by spaces: `j ↓`. */
export type Shortcut = readonly [keys: string, words: string];

/**
 * Renders the window with the keys of a page, which the script `console` opens with `?`. The script hides the parts whose
 * keys do nothing on the page: `data-needs` selects the element that they need.
 *
 * @param own - the keys of this page alone.
 */
export function renderShortcuts(own: readonly Shortcut[] = []): Html {
  const { title, close, groups, keys } = texts().console.keyboard;
  return html`<dialog class="shortcuts" id="shortcuts" aria-labelledby="h-shortcuts">
<header><div><h2 id="h-shortcuts">${title}</h2></div><form method="dialog"><button class="btn only plain sm" aria-label="${close}">${renderIcon('x')}</button></form></header>
<div class="body">${
    own.length > 0 &&
    html`<section><h3>${groups.page}</h3>
<dl>${own.map((shortcut) => renderShortcut(shortcut))}</dl></section>`
  }
<section><h3>${groups.everywhere}</h3>
<dl>${renderShortcut(keys.search, 'x-palette')}${renderShortcut(keys.filter, 'main input[type="search"]')}${renderShortcut(keys.help)}${renderShortcut(keys.close)}</dl></section>
<section data-needs="main a.name"><h3>${groups.lists}</h3>
<dl>${renderShortcut(keys.next)}${renderShortcut(keys.previous)}${renderShortcut(keys.open)}${renderShortcut(keys.select, 'main .pick')}</dl></section>
</div></dialog>`;
}

function renderShortcut([keys, words]: Shortcut, needs?: string): Html {
  return html`<div${needs && html` data-needs="${needs}"`}><dt>${words}</dt><dd>${keys.split(' ').map((key) => html`<kbd class="kbd">${key}</kbd> `)}</dd></div>
`;
}
