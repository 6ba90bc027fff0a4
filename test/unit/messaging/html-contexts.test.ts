import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { readContexts } from '../../../messaging/templates/html-contexts.ts';

test.each([
  ['after an empty comment', '<!--><script>'],
  ['after another empty comment', '<!---><script>'],
  ['after a comment that ends with an exclamation mark', '<!-- a --!><script>'],
  ['after a conditional comment that others see as empty', '<!--[if !mso]><!--><script>'],
  ['in a conditional comment', '<!--[if mso]><script><![endif]-->'],
  ['after a conditional comment that ends in an attribute', '<!--[if mso]><a title="--><script>'],
  ['after a declaration with a quote', '<!a href="><script>'],
  ['after a processing instruction with a quote', '<?a href="><script>'],
  ['after an end tag without a name', `</'><script>`],
  ['after an angle bracket and a Liquid tag', '<{% if name %}<script>{% endif %}'],
  ['after a comment whose end has a Liquid tag', '<!-- -{% if name %}->{% endif %}<script>'],
  ['after the end of another element in a style', '<style></stylex><a href="</style><script>'],
  ['after an attribute without a name', '<p ="><script>'],
  ['after a space that is none in HTML', '<p title=x\u00a0b="><script>'],
  ['after an element whose content no browser reads', '<noembed><a title="</noembed><script>'],
])('a script is found %s', (_where, html) => {
  expect(readContexts(html).problems).toEqual(['<script> is not allowed.']);
});

test.each(['<p title="a"/onclick="b">', '<p/onclick=b>', '<p title/onclick="b">'])(
  'the attribute of %s is found',
  (html) => {
    expect(readContexts(html).problems).toEqual(['The attribute onclick runs code and is not allowed.']);
  },
);

test.each(['<!{{ name }}>', '<?{{ name }}>', '<!doctype {{ name }}>'])('a value in %s is inside a tag', (html) => {
  expect(readContexts(html).problems).toEqual(['{{ name }} is inside a tag: put it into a quoted attribute value.']);
});

test('a value in a style attribute is limited where any reader sees one', () => {
  const source = '<!--[if mso]><p style="color:{{ name }}"><![endif]--><p style="color:{{ name }}">';
  expect(readContexts(source).source).toBe(source.replaceAll('{{ name }}', '{{ name | css_value }}'));
});

const pieces = [
  ...['<p>', '</p>', '<a href="', '<a title=', '"', "'", '>', '<', '</', '/', '=', ' ', '\n', 'x', '&amp;', '<?', '<!'],
  ...['<!--', '-->', '--!>', '<!-->', '<!--->', '<!--[if mso]>', '<![endif]-->', '<!--[if !mso]><!-->', '<![CDATA['],
  ...['<style>', '</style>', '<style/>', '</stylex>', '<title>', '</title>', '<textarea>', '</textarea>', '<xmp>'],
  ...['<!doctype html>', '<?xml ?>', '<td>', '<table>', '<br/>', '<template>', '{{ name }}', '{% if name %}'],
  ...['<p', ' title=', '/', '\u00a0', '\v', 'onclick="x"', '<noembed>', '</noembed>', '<noframes>', '</noframes>'],
  ...['<script>', '<iframe src=x>', '<div onclick="x">', '<meta http-equiv="refresh">'],
];

/** Whether a parsed document has an element or an attribute that runs code. */
function runsCode(node: DefaultTreeAdapterTypes.Node): boolean {
  const { tagName = '', attrs = [] } = node as Partial<DefaultTreeAdapterTypes.Element>;
  if (['script', 'iframe'].includes(tagName) || attrs.some(({ name }) => name === 'onclick')) return true;
  if (tagName === 'meta' && attrs.some(({ name, value }) => name === 'http-equiv' && value === 'refresh')) return true;
  const { content } = node as Partial<DefaultTreeAdapterTypes.Template>;
  const { childNodes = [] } = node as Partial<DefaultTreeAdapterTypes.ParentNode>;
  return [...childNodes, ...(content ? [content] : [])].some(runsCode);
}

test('HTML that runs code in a browser has a problem', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 9 }), (parts) => {
      const html = parts.join('');
      const withoutTags = html.replace(/\{%.*?%\}/g, '').replace(/\{\{.*?\}\}/g, 'value');
      if (runsCode(parse(withoutTags, { scriptingEnabled: false }))) {
        expect(readContexts(html).problems).not.toEqual([]);
      }
    }),
    { numRuns: 10_000 },
  );
});
