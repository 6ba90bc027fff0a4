import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { trackedFiles } from '../support/tracked-files.ts';

/** Comments and documents use the field's terms. docs/glossary.md has them; this test holds the private ones at zero. */
const root = join(import.meta.dirname, '..', '..');

const banned: Record<string, RegExp> = {
  permanently: /\bfor ever\b/i,
  'again, from scratch': /\banew\b/i,
  recently: /\b(?:lately|of late)\b/i,
  'concurrently, since then': /\bmeanwhile\b/i,
  'no longer': /\b(?:any|no) more\b(?! than)/i,
  'the parameter or the number': /\bso many\b/i,
  'own, separate': /\bof (?:its|their) own\b/i,
  'next to, in addition to': /\bbeside\b/i,
  'the noun: the caller, the user, the value': /\b(?:nobody|anybody|somebody|whoever|whomever|whatever|whichever)\b/i,
  'is not a': /(?<!there )\b(?:is|are|was|were) no\b(?! (?:longer|more than))/i,
  'immediately, concurrently': /\bat once\b/i,
  'the noun instead of a free relative': /(?:^|[.:;] |\/\*\* |\/\/ |- |\| )(?:What|Who|Whose) (?!(?:[^.;|]*\?))/,
  'the noun again': /\b(?:that|those) of\b/i,
  'is notified, is queried': /\b(?:is|are|was|were|be|been) (?:told|asked)\b/i,
  'notifies, says': /\btells? (?:of|what|who|them|others|which|the other|about)\b/i,
  otherwise: /, else\b|\belse (?:it|the|a|an|they|from|by|in)\b/i,
  previous: /\bthe former\b/i,
  'is, is documented in': /\bstands? (?:in|at|still|beside|for itself)\b/i,
  continues: /\b(?:goes|go|went|going) on\b/i,
  'a verb as the first word': /(?:\/\*\* |\/\/ )(?:Of|The same|For those|Has it|Has|Whether what|That of)\b/,
  'returns, refunds, releases': /\b(?:gives?|gave|given|giving) (?:it |them )?back\b/i,
  remains: /\b(?:is|are) left\b(?! to)/i,
};

const sources = trackedFiles().filter((file) => /\.(?:ts|js|md)$/.test(file) && !file.startsWith('test/'));

/** The lines of prose in a file: those of Markdown outside of code, and the comments of a source. */
function proseOf(file: string): { line: number; text: string }[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  const isMarkdown = file.endsWith('.md');
  let isInside = false;
  return lines.flatMap((whole, index) => {
    const line = index + 1;
    const text = whole.replace(/`[^`]*`/g, '``');
    if (isMarkdown) {
      if (/^\s*```/.test(whole)) isInside = !isInside;
      return isInside ? [] : [{ line, text }];
    }
    if (isInside) {
      isInside = !whole.includes('*/');
      return [{ line, text }];
    }
    const [, comment] = /(?:^|\s)(\/\*\*?.*|\/\/ .*)$/.exec(text) ?? [];
    if (comment === undefined || /['"].*\/\/ /.test(text)) return [];
    isInside = comment.startsWith('/*') && !comment.includes('*/');
    return [{ line, text: comment }];
  });
}

describe('the private words are in no', () => {
  const prose = sources.flatMap((file) => proseOf(file).map((one) => ({ file, ...one })));

  test('file that was not read', () => {
    expect(prose.length).toBeGreaterThan(5000);
    expect(proseOf('docs/glossary.md').length).toBeGreaterThan(40);
  });

  test.each(Object.entries(banned))('comment and document: %s', (_instead, pattern) => {
    const found = prose.filter(({ text }) => pattern.test(text));
    expect(found.map(({ file, line, text }) => `${file}:${line}: ${text.trim()}`)).toEqual([]);
  });
});

test('the patterns find what they are for', () => {
  const samples = [
    '/** Is kept for ever. */',
    '// Done anew.',
    '// What is stored, stays.',
    '/** Of the organization. */',
    '/** The same for many. */',
    '// Who asks, waits.',
    '// It is told of the change.',
    '// Nobody reads it.',
    '// It is no number.',
  ];
  const unseen = samples.filter((text) => !Object.values(banned).some((pattern) => pattern.test(text)));
  expect(unseen).toEqual([]);
  expect(Object.values(banned).filter((pattern) => pattern.test('// What is it for? It reads one page.'))).toEqual([]);
});
