import { type Content, type Html, html } from './html.ts';
import { type IconName, renderIcon } from './icons.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'accent';

/** Renders a word for a kind or a state that stands alone, such as a role after a name. */
export function renderBadge(words: Content, tone?: Tone | 'line'): Html {
  return html`<span class="badge${tone && ` ${tone}`}">${words}</span>`;
}

/** Renders a state in a table: a dot and a word. `off` is a ring, `live` pulses, `run` turns. */
export function renderState(words: Content, tone: 'good' | 'warn' | 'bad' | 'off' | 'live' | 'run'): Html {
  return html`<span class="state ${tone}">${words}</span>`;
}

const tints = 7;

export type Avatar = {
  /** The name of the person or organization, of which the initials are shown. */
  name: string;
  /** Decides the colour, so that the same person has the same one everywhere. */
  id: string;
  size?: 'md' | 'lg';
  /** Set for organizations and objects. */
  isSquare?: boolean;
  /** Shown instead of the initials. */
  picture?: string | null;
};

/** Renders the initials of a name on a colour, or a picture. The page shows the name next to it. */
export function renderAvatar({ name, id, size, isSquare = false, picture = null }: Avatar): Html {
  const kind = `${isSquare ? ' sq' : ''}${size ? ` ${size}` : ''}`;
  if (picture !== null)
    return html`<span class="avatar${kind} logo" aria-hidden="true"><img src="${picture}" alt=""></span>`;
  return html`<span class="avatar${kind} t${tintOf(id)}" aria-hidden="true">${initialsOf(name, isSquare ? 1 : 2)}</span>`;
}

function tintOf(id: string): number {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return (sum % tints) + 1;
}

/** The first letters of the first and the last word. A letter keeps its marks. */
function initialsOf(name: string, count: number): string {
  const words = name.split(/[\s@.]+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const ends = count === 1 || words.length < 2 ? words.slice(0, 1) : [words[0], words.at(-1)];
  const letters = ends.map((word) => /[\p{L}\p{N}]\p{M}*/u.exec(word ?? '')?.[0] ?? '').join('');
  return letters || '?';
}

export type Tab<K extends string> = readonly [key: K, href: string, words: Content];

/** Renders links to the views of a thing or a list, one of which is shown. */
export function renderTabs<K extends string>(label: string, tabs: readonly Tab<K>[], current: K): Html {
  return html`<nav class="tabs" aria-label="${label}">${tabs.map(([key, href, words]) => html`<a href="${href}"${key === current && html` aria-current="page"`}>${words}</a>`)}</nav>`;
}

export type Banner = { tone?: Tone; icon: IconName; words: Content; act?: Content; role?: 'alert' | 'status' };

/** Renders a message at the top of a page, which stays until its cause is gone. */
export function renderBanner({ tone, icon, words, act, role }: Banner): Html {
  return html`<div class="banner${tone && ` ${tone}`}"${role && html` role="${role}"`}>${renderIcon(icon, 'sm')}<div>${words}</div>${act}</div>`;
}

/** How they look, for the gallery. */
export const examples = {
  Badges: () =>
    html`<div class="row wrap">${renderBadge('Owner')}${renderBadge('Live', 'good')}${renderBadge('Past due', 'warn')}${renderBadge('Refused', 'bad')}${renderBadge('1.4.0', 'line')}</div>`,
  States: () =>
    html`<div class="row wrap">${renderState('Active', 'good')}${renderState('Locked', 'warn')}${renderState('Suspended', 'bad')}${renderState('Not confirmed', 'off')}${renderState('Sending', 'run')}</div>`,
  Avatars: () =>
    html`<div class="row wrap">${renderAvatar({ name: 'Hanna Brandt', id: 'usr_1' })}${renderAvatar({ name: 'أحمد', id: 'usr_2', size: 'md' })}${renderAvatar({ name: 'Northwind Roastery', id: 'org_1', isSquare: true })}${renderAvatar({ name: 'ada@example.com', id: 'usr_3', size: 'lg' })}</div>`,
  Tabs: () =>
    renderTabs(
      'Examples',
      [
        ['overview', '/dev/gallery', 'Overview'],
        ['settings', '/dev/gallery', 'Settings'],
      ],
      'overview',
    ),
  Banners:
    () => html`<div class="stack">${renderBanner({ icon: 'info', words: html`<p>Mail stays in the development mailbox.</p>` })}
${renderBanner({ tone: 'good', icon: 'ok', words: html`<p>Your profile is saved.</p>` })}
${renderBanner({ tone: 'warn', icon: 'alert', words: html`<p>The last payment failed.</p>`, act: html`<a class="btn sm" href="/dev/gallery">Pay now</a>` })}
${renderBanner({ tone: 'bad', icon: 'bad', words: html`<p>Incorrect email or password.</p>` })}</div>`,
};
