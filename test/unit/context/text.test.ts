import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { composeStory } from '../../../services/context/story/story.ts';
import { cleanText } from '../../../services/context/story/text.ts';
import { anyCodePoint } from '../../support/code-points.ts';
import { event } from './histories.ts';

const flags = '\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}';
const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';

describe('a text of a story', () => {
  test.each([
    ['Ada Lovelace', 12, 'Ada Lovelace'],
    ['Ada Lovelace', 6, 'Ada L…'],
    ['Ada Lovelace', 5, 'Ada…'],
    ['noe\u0308l', 4, 'no…'],
    [`Ada ${family}`, 6, 'Ada…'],
    [`Ada ${flags}`, 6, 'Ada…'],
    [`Ada ${flags}`, 7, 'Ada \u{1f1e9}\u{1f1ea}…'],
  ])('%j of at most %i code points is %j', (text, codePointsMax, cut) => {
    expect(cleanText(text, codePointsMax)).toBe(cut);
  });

  test('is never longer than its maximum, and well-formed', () => {
    const text = fc.string({
      unit: fc.oneof(fc.constantFrom(family, flags, 'e\u0308'), fc.string({ unit: anyCodePoint })),
    });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 20 }), (whole, codePointsMax) => {
        const cut = cleanText(whole, codePointsMax);
        expect([...cut].length).toBeLessThanOrEqual(codePointsMax);
        expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });
});

test('a story is the same however an address is spelled, and shows the letters of its domain', () => {
  const spellings = ['Ada@B\u00fccher.example', 'ada@xn--bcher-kva.example.', '\u200eada@bu\u0308cher\u3002example'];
  const storyOf = (email: string) =>
    composeStory('cus_1', [event('2026-03-01T10:00:00Z', 'customer.created', { email })]);
  const stories = spellings.map(storyOf);
  expect(new Set(stories.map((story) => JSON.stringify(story))).size).toBe(1);
  expect(JSON.stringify(stories[0])).toContain('ada@b\u00fccher.example');
});
