import { expect, test } from '@jest/globals';
import { renderShortcuts } from '../../../web/shortcuts.ts';

test('the window of the keys begins with those of the page', () => {
  const words = String(
    renderShortcuts([
      ['e', 'Archive <now>'],
      ['[ ←', 'Back'],
    ]),
  );
  expect(words).toContain('<dt>Archive &lt;now&gt;</dt><dd><kbd class="kbd">e</kbd> </dd>');
  expect(words).toContain('<dt>Back</dt><dd><kbd class="kbd">[</kbd> <kbd class="kbd">←</kbd> </dd>');
  expect(words.indexOf('On this page')).toBeLessThan(words.indexOf('Everywhere'));
  expect(String(renderShortcuts())).not.toContain('On this page');
});
