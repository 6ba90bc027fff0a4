import { type Content, type Html, html } from './html.ts';
import { renderIcon } from './icons.ts';
import { useScript } from './script.ts';
import { texts } from './texts.ts';

/**
 * A text to be used elsewhere, with a button that copies it. The button is shown where scripts run and the browser
 * allows the clipboard; the text can always be selected.
 *
 * @param id - unique on the page.
 * @param name - what the text is, for the button: "Copy reference".
 */
export function renderCopyField(id: string, text: string, name: string): Html {
  const words = texts().copy;
  return html`<p class="copy"><code id="${id}">${text}</code>
<button type="button" class="btn sm" data-copy="${id}" data-copied="${words.copied}" data-failed="${words.failed}" hidden>${words.copy(name)}</button>
<span class="hint" role="status"></span></p>
${useScript('copy')}`;
}

/**
 * An id or an address among other words, with a small button that copies it.
 *
 * @param id - unique on the page.
 * @param name - what the text is, for the button: "Copy client ID".
 */
export function renderCopyable(id: string, text: string, name: string): Html {
  const words = texts().copy;
  return html`<span class="row copyable"><code class="id clip" id="${id}">${text}</code><button class="btn only plain sm" type="button" aria-label="${words.copy(name)}" data-copy="${id}" data-copied="${words.copied}" data-failed="${words.failed}" hidden>${renderIcon('copy')}</button><span class="vh" role="status"></span></span>
${useScript('copy')}`;
}

/** A secret that is shown once, where it was made. */
export type Secret = {
  id: string;
  title: string;
  text: string;
  /** Kind of the text, for the button: "key". */
  name: string;
  /** Where to keep it, and what to do when it is lost. */
  words: Content;
};

/** Renders a new secret with a button that copies it. */
export function renderSecret({ id, title, text, name, words }: Secret): Html {
  const t = texts().copy;
  return html`<section class="secret" aria-labelledby="${id}-title">
<div class="row">${renderIcon('key')}<h2 id="${id}-title" class="grow">${title}</h2></div>
<div class="value"><code id="${id}">${text}</code><button class="btn primary sm" type="button" data-copy="${id}" data-copied="${t.copied}" data-failed="${t.failed}" hidden>${renderIcon('copy')}${t.copy(name)}</button><span class="hint" role="status"></span></div>
<p class="hint">${words}</p>
</section>
${useScript('copy')}`;
}

/** How it looks, for the gallery. */
export const examples = {
  'Id to copy': () => renderCopyable('example-id', 'app_01m84eknge749jfybgfpx2yhyn', 'application ID'),
  'New secret': () =>
    renderSecret({
      id: 'example-secret',
      title: 'Copy the key now. It is shown once.',
      text: 'svc_live_example',
      name: 'key',
      words: 'If it is lost, create another and revoke this one.',
    }),
  'Text to copy': () => renderCopyField('example-copy', 'chk_01m84eknge749jfybgfpx2yhyn', 'reference'),
};
