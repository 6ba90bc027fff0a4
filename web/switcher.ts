import { type Html, html } from './html.ts';

export type Switcher = {
  /** What is switched between: "Organization". */
  label: string;
  current: string;
  /** The same page of each of the others. */
  links: readonly (readonly [href: string, name: string])[];
};

/** Switches a page to another organization. It opens without a script. */
export function renderSwitcher({ label, current, links }: Switcher): Html {
  return html`<details class="switcher"><summary><span class="hint">${label}</span> ${current}</summary>
<ul>${links.map(([href, name]) => html`<li><a href="${href}">${name}</a></li>`)}</ul></details>`;
}

/** How it looks, for the gallery. */
export const examples = {
  'Organization switcher': () =>
    renderSwitcher({
      label: 'Organization',
      current: 'Acme Bikes',
      links: [
        ['/dev/gallery', 'Borealis Consulting with quite a long name'],
        ['/dev/gallery', 'Cardinal'],
      ],
    }),
};
