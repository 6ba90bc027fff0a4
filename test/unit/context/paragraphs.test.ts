import { expect, test } from '@jest/globals';
import { paragraphsOf } from '../../../services/context/story/render/summary.ts';

test.each([
  [
    'each sentence is a paragraph',
    'Jean Bartik became a customer on 2 March 2026. That day they placed 1 order worth 129.90 EUR. Their Pro plan is active. The record shows “stock.counted”. As of 2 March 2026, their order is open.',
    5,
  ],
  [
    'a name with full stops is not divided',
    'Dr. St. John Smith Jr. was first seen on 2 March 2026. No purchase is on record yet.',
    2,
  ],
  ['a text without a full stop is one', 'They', 1],
])('%s', (_what, summary, count) => {
  const paragraphs = paragraphsOf(summary, 'en');
  expect(paragraphs).toHaveLength(count);
  expect(paragraphs.join(' ')).toBe(summary);
});

test.each([
  [
    'each German sentence is a paragraph, and a day of the month ends none',
    'Jean Bartik wurde am 2. März 2026 Kunde. An diesem Tag ging 1 Bestellung über 129,90 EUR ein. Das Abonnement Pro ist aktiv. Die Daten zeigen „stock.counted“ am 3. April 2026. Stand 2. März 2026: Die Bestellung ist offen.',
    5,
  ],
  [
    'German text that was sent is not divided',
    'Prof. Dr. A. Weiß wurde am 2. März 2026 zum ersten Mal gesehen. Am 2. März 2026 wurde 1 Ticket („Hallo. Die Bestellung fehlt. Am 2. März bestellt.“) eröffnet, das gelöst ist.',
    2,
  ],
])('%s', (_what, summary, count) => {
  const paragraphs = paragraphsOf(summary, 'de');
  expect(paragraphs).toHaveLength(count);
  expect(paragraphs.join(' ')).toBe(summary);
});
