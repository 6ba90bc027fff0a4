import { describe, expect, test } from '@jest/globals';
import { highlight } from '../../../gateway/docs/highlight.ts';
import { type Links, renderMarkdown } from '../../../gateway/docs/markdown.ts';
import { readApi } from '../../../gateway/docs/operations.ts';
import { samplesOf } from '../../../gateway/docs/samples.ts';
import { html } from '../../../web/html.ts';

const links: Links = {
  file: 'docs/guide/start.md',
  pageOf: (file) => (file === 'docs/errors.md' ? '/docs/errors' : null),
  endpointOf: (name) => (name === 'POST /events' ? '/docs/api/context#events' : null),
};
const render = (source: string) => renderMarkdown(source, links).body.toString();

describe('a page of the documentation', () => {
  test('shows HTML as text, so that a page holds no script', () => {
    const shown = render(
      '# A\n\nText <script>alert(1)</script> and `<b>`\n\n<div onclick="x()">\n\n[a](javascript:alert(1))',
    );
    expect(shown).not.toMatch(/<script>|<div onclick|href="javascript/);
    expect(shown).toContain('<code>&lt;b&gt;</code>');
  });

  test('links to pages of other files and to endpoints, and not to files without a page', () => {
    expect(render('[codes](../errors.md#errors)')).toContain('href="/docs/errors#errors"');
    expect(render('[code](../../lib/x.ts)')).toBe('<p>code</p>\n');
    expect(render('`POST /events`')).toContain('<a href="/docs/api/context#events"><code>POST /events</code></a>');
  });

  test('makes one sample of code blocks that follow each other, and gives headings ids', () => {
    const { headings, sections, body } = renderMarkdown(
      '# A\n\n## Same\n\n```sh curl\n# no heading\n```\n\n```js Node\nx\n```\n\n## Same\n',
      links,
    );
    expect(body.toString().match(/type="radio"/g)).toHaveLength(2);
    expect(headings.map(({ id }) => id)).toEqual(['same', 'same-1']);
    expect(sections.map(({ heading }) => heading)).toEqual(['A', 'Same', 'Same']);
  });

  test('escapes code, with its colours and without', () => {
    for (const language of ['js', 'unknown']) {
      const shown = html`${highlight('const a = "<b>"; // <i>', language)}`.toString();
      expect(shown).not.toMatch(/<[bi]>/);
      expect(shown.includes('class="k"')).toBe(language === 'js');
    }
  });
});

test('a sample quotes what its shell and its languages would interpret', () => {
  const api = readApi({
    servers: [{ url: 'http://localhost:3000' }],
    tags: [],
    components: { schemas: {} },
    paths: {
      '/things/{id}': {
        post: {
          operationId: 'things.change',
          tags: ['things'],
          security: [{ apiKey: [] }],
          parameters: [{ name: 'id', in: 'path', required: true, example: 'a b' }],
          requestBody: { content: { 'application/json': { example: { name: "it's", on: true, none: null } } } },
          responses: { 200: { description: 'Success' } },
        },
      },
    },
  });
  const [curl, javaScript, python] = samplesOf(api.operations[0]!).map(({ text }) => text);
  expect(curl).toContain(`"name": "it'\\''s"`);
  expect(curl).toContain('http://localhost:3000/things/a%20b');
  expect(javaScript).toContain('name: "it\'s"');
  expect(python).toContain('"on": True,');
  expect(python).toContain('"none": None');
});
