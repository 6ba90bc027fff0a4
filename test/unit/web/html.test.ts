import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Content, html } from '../../../web/html.ts';
import { anyCodePoint } from '../../support/code-points.ts';

describe('html', () => {
  test('escapes what it is given, in text and in attributes', () => {
    const value = `<img src=x onerror="alert('1')"> & more`;
    expect(String(html`<p title="${value}">${value}</p>`)).toBe(
      '<p title="&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; more">' +
        '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; more</p>',
    );
  });

  test('takes pieces as they are, joins lists and shows nothing for what is absent', () => {
    const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`);
    expect(String(html`<ul>${items}</ul>${null}${undefined}${false}${0}`)).toBe(
      '<ul><li>a</li><li>&lt;b&gt;</li></ul>0',
    );
  });

  test.each([
    ['an object that says it is a piece', { toString: () => '<script>' }],
    ['an object with the prototype of one', Object.create(Object.getPrototypeOf(html``)) as object],
    ['a text object', new String('<script>')],
  ])('is not fooled by %s', (_name, value) => {
    let text: string;
    try {
      text = String(html`${value as Content}`);
    } catch {
      text = '';
    }
    expect(text).not.toContain('<script>');
  });

  test('lets no text out of its place', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCodePoint }), (text) => {
        const shown = String(html`<p title="${text}">${text}</p>`);
        const inside = shown.slice('<p title="'.length, -'</p>'.length);
        const [attribute, content, ...rest] = inside.split('">');
        expect(rest).toEqual([]);
        for (const part of [attribute, content]) {
          expect(part).not.toMatch(/[<>"']/);
          expect(decode(part!)).toBe(text);
        }
      }),
    );
  });
});

function decode(text: string): string {
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_entity, name: string) => entities[name]!);
}
