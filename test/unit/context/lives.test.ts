import { describe, expect, test } from '@jest/globals';
import { composeStory } from '../../../services/context/story/story.ts';
import { readLives } from './lives/read-lives.ts';

const lives = readLives();

test('there are forty lives or more, each with a name of its own', () => {
  expect(lives.length).toBeGreaterThanOrEqual(40);
  expect(new Set(lives.map(({ name }) => name)).size).toBe(lives.length);
});

describe.each(lives)('$file: $name', ({ arrivals, title, summary }) => {
  test('has the story that a reader found right', () => {
    const story = composeStory('customer-1', arrivals);
    expect({ title: story?.title, summary: story?.summary }).toEqual({ title, summary });
  });

  test('has the same story in another order of arrival and with repetitions', () => {
    const story = JSON.stringify(composeStory('customer-1', arrivals));
    const half = arrivals.filter((_, index) => index % 2 === 0);
    expect(JSON.stringify(composeStory('customer-1', arrivals.toReversed()))).toBe(story);
    expect(JSON.stringify(composeStory('customer-1', [...half, ...arrivals.toReversed(), ...half]))).toBe(story);
  });
});
