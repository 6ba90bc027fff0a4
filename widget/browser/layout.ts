import { el, icon, iconButton } from './dom.ts';
import type { Texts } from './texts.ts';

const closePath = 'M6 6l12 12M18 6L6 18';
const soundPath = 'M5 9v6h3l5 4V5L8 9zM16.5 9a4 4 0 0 1 0 6';
const mutePath = 'M5 9v6h3l5 4V5L8 9zM17 10l4 4M21 10l-4 4';

/** Data about the site that the server embeds in the frame's page. */
export type Site = {
  name: string;
  greeting: string;
  logoUrl: string | null;
  light: { accent: string; onAccent: string };
  dark: { accent: string; onAccent: string };
};

export type Layout = {
  root: HTMLElement;
  title: HTMLElement;
  presence: HTMLElement;
  log: HTMLElement;
  /** Last element above the messages. */
  top: HTMLElement;
  greeting: HTMLElement;
  earlier: HTMLButtonElement;
  status: HTMLElement;
  closed: HTMLElement;
  showSound: (isOn: boolean) => void;
};

type Acts = { close: () => void; toggleSound: () => void; earlier: () => void };

/** Creates the header, the message log, and the status line. */
export function createLayout(site: Site, texts: Texts, acts: Acts): Layout {
  const title = el('bdi', {}, site.name);
  const presence = el('p', { class: 'presence' });
  const close = iconButton(texts.close, closePath);
  close.onclick = acts.close;
  const sound = iconButton(texts.soundOn, mutePath);
  sound.onclick = acts.toggleSound;
  const header = el(
    'header',
    {},
    logoOf(site),
    el('div', { class: 'about' }, el('h1', {}, title), presence),
    sound,
    close,
  );
  const earlier = el('button', { type: 'button', class: 'earlier' }, texts.earlier);
  earlier.hidden = true;
  earlier.onclick = acts.earlier;
  const greeting = el('div', { class: 'greeting', dir: 'auto' });
  const log = el('div', { role: 'log', 'aria-label': texts.conversation, tabindex: '0' }, earlier, greeting);
  const status = el('p', { role: 'status', class: 'status' });
  const closed = el('p', { class: 'closed' }, texts.closed);
  closed.hidden = true;
  return {
    root: el('main', {}, header, log, closed, status),
    title,
    presence,
    log,
    top: greeting,
    greeting,
    earlier,
    status,
    closed,
    showSound(isOn) {
      const name = isOn ? texts.soundOff : texts.soundOn;
      sound.title = name;
      sound.setAttribute('aria-label', name);
      sound.replaceChildren(icon(isOn ? soundPath : mutePath));
    },
  };
}

/** Shows the logo, or the first letter of the name when there is none or it cannot be loaded. */
function logoOf({ logoUrl, name }: Site): HTMLElement {
  const letter = el('span', { class: 'logo', 'aria-hidden': 'true' }, firstLetter(name).toUpperCase());
  if (!logoUrl) return letter;
  const image = el('img', { class: 'logo', src: logoUrl, alt: '', referrerpolicy: 'no-referrer' });
  image.onerror = () => image.replaceWith(letter);
  return image;
}

/** The first grapheme, which may have several code points; browsers before 2024 lack Intl.Segmenter. */
function firstLetter(name: string): string {
  if (!('Segmenter' in Intl)) return [...name][0] ?? '';
  const [first] = new Intl.Segmenter().segment(name);
  return first?.segment ?? '';
}

/** Applies the site's colours. A script sets them, because the page's policy forbids inline styles. */
export function paint({ light, dark }: Site): void {
  const { style } = document.documentElement;
  style.setProperty('--light-accent', light.accent);
  style.setProperty('--light-on-accent', light.onAccent);
  style.setProperty('--dark-accent', dark.accent);
  style.setProperty('--dark-on-accent', dark.onAccent);
}
