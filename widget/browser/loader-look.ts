import type { WidgetOptions } from './protocol.ts';

const words = {
  en: { open: 'Open chat', close: 'Close chat', chat: 'Chat', unread: (count: number) => `${count} unread` },
  de: { open: 'Chat öffnen', close: 'Chat schließen', chat: 'Chat', unread: (count: number) => `${count} ungelesen` },
};

export const style = `:host{all:initial;position:fixed;z-index:2147483000;inset-block-end:0;inset-inline-end:0;color-scheme:light dark;--accent:var(--light,#0b57d0);--on-accent:var(--on-light,#fff)}
@media(prefers-color-scheme:dark){:host{--accent:var(--dark,#8ab4f8);--on-accent:var(--on-dark,#0a1a33)}}
[hidden]{display:none!important}
.launcher{position:fixed;inset-block-end:20px;inset-inline-end:20px;display:grid;place-items:center;width:56px;height:56px;padding:0;border:0;border-radius:50%;background:var(--accent);color:var(--on-accent);box-shadow:0 1px 6px rgb(0 0 0/.2),0 4px 24px rgb(0 0 0/.22);cursor:pointer;transition:transform .15s}
.launcher:hover{transform:scale(1.06)}
.launcher:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
.launcher svg{width:28px;height:28px;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.launcher[aria-expanded=true] .talk,.launcher[aria-expanded=false] .down{display:none}
.badge{position:absolute;inset-block-start:-4px;inset-inline-end:-4px;min-width:22px;padding:0 6px;box-sizing:border-box;border-radius:11px;background:#b3261e;color:#fff;font:600 13px/22px system-ui,sans-serif;text-align:center}
.panel{position:fixed;inset-block-end:92px;inset-inline-end:20px;width:384px;max-width:calc(100vw - 40px);height:min(680px,100vh - 112px);border-radius:16px;overflow:hidden;background:Canvas;box-shadow:0 5px 40px rgb(0 0 0/.2),0 0 1px rgb(0 0 0/.3)}
iframe{display:block;width:100%;height:100%;border:0;color-scheme:light dark}
@media(max-width:480px),(max-height:420px){.panel{inset:auto;left:var(--left,0);top:var(--top,0);width:var(--width,100%);height:var(--height,100%);max-width:none;border-radius:0}.launcher[aria-expanded=true]{display:none}}
@media(prefers-reduced-motion:reduce){.launcher{transition:none}}
@media(forced-colors:active){.launcher{border:2px solid ButtonText}}
@media print{:host{display:none}}`;

const paths = { talk: 'M21 12a8 8 0 0 1-8 8H4l2-3.2A8 8 0 1 1 21 12z', down: 'M6 9l6 6 6-6' };

export function languageOf({ locale }: WidgetOptions): string {
  return locale || document.documentElement.lang || navigator.language;
}

export function wordsOf(options: WidgetOptions): (typeof words)['en'] {
  return /^de\b/i.test(languageOf(options)) ? words.de : words.en;
}

export function isRightToLeft({ locale }: WidgetOptions): boolean {
  if (!locale) return getComputedStyle(document.documentElement).direction === 'rtl';
  return /^(?:ar|arc|ckb|dv|fa|he|iw|ks|ps|sd|ug|ur|yi)\b/i.test(locale);
}

export function element<K extends keyof HTMLElementTagNameMap>(name: K, className: string): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.className = className;
  return made;
}

export function icon(name: keyof typeof paths): SVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', name);
  svg.setAttribute('aria-hidden', 'true');
  svg.appendChild(document.createElementNS(space, 'path')).setAttribute('d', paths[name]);
  return svg;
}
