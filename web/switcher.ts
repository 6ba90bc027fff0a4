import { type Html, html } from './html.ts';

export type Switcher = {
  /** Label of the alternatives: "Organization". */
  label: string;
  current: string;
  /** Links to the same page of the other organizations. */
  links: readonly (readonly [href: string, name: string])[];
};

/** Renders a menu that switches a page to another organization. Opens without a script. */
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
