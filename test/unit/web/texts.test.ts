// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the samples are sources.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { trackedFiles } from '../../support/tracked-files.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** A template literal without its values, and whether it stands within a tag, as ` class="danger"` does. */
type Template = { text: string; isInTag: boolean };

const comment = /\/\/.*|\/\*[\s\S]*?\*\//;
const quoted = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/;
/** A slash after a value divides; elsewhere it begins a regular expression. */
const pattern = /(?<=(?:[(,=:?!&|[{};>]|\breturn)\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//;
const passedOver = new RegExp([comment, quoted, pattern].map(({ source }) => source).join('|'), 'y');

/** The templates of a source that are tagged with `html`, also those among the values of other templates. */
function templatesOf(source: string): Template[] {
  const found: Template[] = [];
  let at = 0;

  /** Reads to the end of the source, or to the brace that closes a value. */
  function readCode(isInTag: boolean): void {
    for (let depth = 0; at < source.length; at += 1) {
      passedOver.lastIndex = at;
      const [passed] = passedOver.exec(source) ?? [];
      if (passed !== undefined) at += passed.length - 1;
      else if (source[at] === '`') readTemplate(isInTag);
      else if (source[at] === '{') depth += 1;
      else if (source[at] === '}') depth -= 1;
      if (depth < 0) return;
    }
  }

  /** Reads a template, and stays at the backtick that ends it. */
  function readTemplate(isInTag: boolean): void {
    const isHtml = /\bhtml$/.test(source.slice(0, at));
    let text = '';
    for (at += 1; source[at] !== '`'; at += 1) {
      if (at >= source.length) throw new Error('A template has no end.');
      if (source[at] === '\\') {
        at += 1;
        text += source[at];
      } else if (source.startsWith('${', at)) {
        at += 2;
        readCode(isHtml ? text.lastIndexOf('<') > text.lastIndexOf('>') : isInTag);
      } else text += source[at];
    }
    if (isHtml) found.push({ text, isInTag });
  }

  readCode(false);
  return found;
}

const attributesAlone = /^(?:\s+[\w-]+="[^"]*")+\s*$/;
const spokenAttribute = /\b(?:aria-label|alt|title|placeholder)="([^"]*)"/g;
const tag = /<[^>]*>/g;

/** A source without the examples of its component, which the gallery shows to developers only. */
function withoutExamples(source: string): string {
  const from = source.indexOf('/** How ');
  return from === -1 || !source.includes('export const examples', from) ? source : source.slice(0, from);
}

/** What people would read of a source's templates: text between tags, and attributes that are shown or spoken. */
function literalTexts(source: string): string[] {
  return templatesOf(source)
    .flatMap(({ text, isInTag }) => {
      const markup = isInTag || attributesAlone.test(text) ? `<input${text}>` : text;
      const tags = markup.match(tag) ?? [];
      const spoken = tags.flatMap((one) => [...one.matchAll(spokenAttribute)].map(([, value]) => value!));
      return [...markup.split(tag), ...spoken];
    })
    .filter((text) => /\p{L}{2,}/u.test(text))
    .map((text) => text.trim().replace(/\s+/g, ' '));
}

describe('the scanner of templates', () => {
  test.each([
    ['text', 'html`<p class="hint">Hello</p>`', ['Hello']],
    ['text around values', 'html`<p>Hello ${name}, ${one ? `${one}` : "}"} welcome</p>`', ['Hello , welcome']],
    [
      'nested templates',
      'html`<p>${list.map((one) => html`<b>${one && html`<i>inner</i>`}</b>`)} outer</p>`',
      ['inner', 'outer'],
    ],
    ['attributes', 'html`<a title="a title" alt="${alt}" href="/path"></a>`', ['a title']],
    ['attributes of their own', 'html`<p${one && html` aria-label="a label" hidden`}></p>`', ['a label']],
    ['no attributes that are not shown', 'html` aria-describedby="${ids}"`', []],
    ['no values, comments or other templates', '// html`one`\n/* html`two` */ `three ${html`<p>${"four"}</p>`}`', []],
    ['templates after regular expressions', 'split(/["`\\/]/); html`<p>after</p>`', ['after']],
    ['escaped backticks', 'html`<p>\\`code\\` ${one}</p>`', ['`code`']],
  ])('finds %s', (_what, source, texts) => {
    expect(literalTexts(source)).toEqual(texts);
  });
});

const pages = /^(?:services\/[^/]+\/pages|web|gateway\/oauth)\/.*\.ts$/;
const catalogues = /\/texts\/|\/texts(?:-[a-z]+)*\.ts$/;

test('pages have their texts in catalogues', () => {
  const files = trackedFiles().filter((file) => pages.test(file) && !catalogues.test(file));
  const templates = files.flatMap((file) => templatesOf(readFileSync(join(root, file), 'utf8')));
  expect(templates.length).toBeGreaterThan(50);
  const offenders = files.flatMap((file) =>
    literalTexts(withoutExamples(readFileSync(join(root, file), 'utf8'))).map((text) => `${file}: ${text}`),
  );
  expect(offenders).toEqual([]);
});
