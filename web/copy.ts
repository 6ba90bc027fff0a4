import { type Html, html } from './html.ts';
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
<button type="button" class="quiet" data-copy="${id}" data-copied="${words.copied}" data-failed="${words.failed}" hidden>${words.copy(name)}</button>
<span class="hint" role="status"></span></p>
${useScript('copy')}`;
}

/** How it looks, for the gallery. */
export const examples = {
  'Text to copy': () => renderCopyField('example-copy', 'chk_01m84eknge749jfybgfpx2yhyn', 'reference'),
};
