import { describe, expect, test } from '@jest/globals';
import { languages } from '../../../lib/format/language.ts';
import { paragraphsOf } from '../../../services/context/story/render/summary.ts';
import { composeStory } from '../../../services/context/story/story.ts';
import { readLives } from './lives/read-lives.ts';

const lives = readLives();
const last = {
  en: /^(As of \d|No open orders or tickets\.$)/,
  de: /^(Stand \d+\. |Keine offenen Bestellungen oder Tickets\.$)/,
};

test('there are forty lives or more, each with a name of its own', () => {
  expect(lives.length).toBeGreaterThanOrEqual(40);
  expect(new Set(lives.map(({ name }) => name)).size).toBe(lives.length);
});

describe.each(lives)('$file: $name', ({ arrivals, texts }) => {
  test.each(languages)('has the story that a reader found right: %s', (language) => {
    const story = composeStory('customer-1', arrivals, language);
    expect({ title: story?.title, summary: story?.summary }).toEqual(texts[language]);
  });

  test.each(languages)('is shown in paragraphs that each end a sentence, the open matters last: %s', (language) => {
    const { summary } = texts[language];
    const paragraphs = paragraphsOf(summary, language);
    expect(paragraphs.join(' ')).toBe(summary);
    expect(paragraphs.length).toBeGreaterThanOrEqual(3);
    expect(paragraphs.length).toBeLessThanOrEqual(6);
    expect(paragraphs.at(-1)).toMatch(last[language]);
  });

  test('has the same story in another order of arrival and with repetitions', () => {
    const story = JSON.stringify(composeStory('customer-1', arrivals));
    const half = arrivals.filter((_, index) => index % 2 === 0);
    expect(JSON.stringify(composeStory('customer-1', arrivals.toReversed()))).toBe(story);
    expect(JSON.stringify(composeStory('customer-1', [...half, ...arrivals.toReversed(), ...half]))).toBe(story);
  });
});
