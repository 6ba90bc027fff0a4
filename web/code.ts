import { hash } from 'node:crypto';
import { type Content, type Html, html } from './html.ts';
import { renderIcon } from './icons.ts';
import { useScript } from './script.ts';
import { texts } from './texts.ts';

/** A text for programs, and what it is: a language, or "Answer". `shown` is the same text with colours. */
export type Code = { label: string; text: string; shown?: Content };

/** Renders code with a button that copies it. Several are chosen by tabs, which need no script. */
export function renderCode(...samples: readonly [Code, ...Code[]]): Html {
  const words = texts().copy;
  const id = `code-${hash('sha256', samples.map(({ text }) => text).join('\0'), 'hex').slice(0, 8)}`;
  const tabs = samples.length === 1 ? html`<span>${samples[0].label}</span>` : renderTabs(samples, id);
  return html`<div class="code${samples.length > 1 && ' choose'}" id="${id}"><header>${tabs}<button class="btn only plain sm" type="button" aria-label="${words.copy(samples[0].label)}" data-copy="${id}" data-copied="${words.copied}" hidden>${renderIcon('copy')}</button><span class="vh" role="status"></span></header>${samples.map(
    ({ label, text, shown = text }) => html`<pre tabindex="0" aria-label="${label}">${shown}</pre>
`,
  )}</div>
${useScript('copy')}`;
}

/** Quotes a word of a POSIX shell command. A quote in it is put between two quoted parts. */
export const quoteForShell = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

function renderTabs(samples: readonly Code[], id: string): Html {
  return html`<span class="seg">${samples.map(
    ({ label }, index) =>
      html`<label><input type="radio" name="${id}-tab"${index === 0 && html` checked`}>${label}</label>`,
  )}</span>`;
}

/** How they look, for the gallery. */
export const examples = {
  Code: () => renderCode({ label: 'Answer', text: '{ "allowed": true }' }),
  'Code in several languages': () =>
    renderCode(
      { label: 'curl', text: 'curl -sS http://localhost:3000/access/permissions' },
      { label: 'JavaScript', text: "await fetch('http://localhost:3000/access/permissions')" },
    ),
};
