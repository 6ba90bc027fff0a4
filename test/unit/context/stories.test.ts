import { describe, expect, test } from '@jest/globals';
import type { StoredEvent } from '../../../services/context/story/event.ts';
import { composeStory } from '../../../services/context/story/story.ts';
import { event, heavyUser, lostSubscriber, oneLook, saasPastDue, shopRegular, trialist } from './histories.ts';
import { summaryCases, titleCases } from './story-cases.ts';

const storyOf = (events: StoredEvent[]) => composeStory('cus_1', events)!;

describe('golden stories', () => {
  test('a single look', () => {
    expect(storyOf(oneLook)).toMatchObject({
      title: 'cus_1, visitor since March 2026',
      summary: [
        'cus_1 is a visitor first seen on 3 March 2026.',
        'They viewed the page “/pricing” on 3 March 2026.',
        'No open orders or tickets.',
      ].join(' '),
    });
  });

  test('a regular of a shop', () => {
    expect(storyOf(shopRegular)).toMatchObject({
      title: 'Ada Byron, loyal customer since March 2024, 1 failed payment',
      summary: [
        'Ada Byron (ada@example.com) is a loyal customer who first bought on 3 March 2024.',
        'They placed 6 orders worth 1,548.50 EUR between 3 March 2024 and 9 January 2026, of which 5 were delivered; 1 was returned and 1 was refunded; the latest is A-1005 (Espresso machine and 1 more).',
        'They made 5 payments totalling 249.50 EUR, the latest on 1 June 2025, and 49.90 EUR was refunded, leaving 199.60 EUR.',
        'They opened 2 tickets (the latest on 10 January 2026), which got 1 reply; 1 of them is resolved.',
        'As of 10 January 2026, order A-1005 (1,299.00 EUR) has been open since 9 January 2026, a payment of 1,299.00 EUR that failed on 9 January 2026 is still due and ticket T-2 (“Why was my card declined?”) has been open since 10 January 2026.',
      ].join(' '),
    });
  });

  test('a subscriber past due', () => {
    expect(storyOf(saasPastDue)).toMatchObject({
      title: 'Grace Hopper, loyal customer since January 2025, subscription past due',
      summary: [
        'Grace Hopper (grace@navy.test, Navy Ltd) is a loyal customer who first bought on 24 January 2025.',
        'Their Basic trial started on 10 January 2025, became a paid subscription on 24 January 2025, was upgraded from Basic to Pro on 2 May 2025, was renewed 12 times (588.00 USD in total, most recently on 24 January 2026) and has been past due since 24 February 2026.',
        'The record shows “report exported” 4 times, the last on 4 January 2026.',
        'They logged in 31 times (most recently on 31 January 2026).',
        'As of 24 February 2026, a payment of 49.00 USD that failed on 24 February 2026 is still due and the Pro subscription is past due.',
      ].join(' '),
    });
  });

  test('somebody on trial', () => {
    expect(storyOf(trialist)).toMatchObject({
      title: 'Alan Turing, trial user since March 2026, trial ends on 15 March 2026',
      summary: [
        'Alan Turing (alan@bletchley.test) has been on a trial since 1 March 2026.',
        'Their Team monthly trial started on 1 March 2026 and runs until 15 March 2026.',
        'They viewed pages 3 times (most often “/docs”, twice; most recently on 2 March 2026).',
        'They exchanged 2 messages (1 from them and 1 to them) via email, the last on 2 March 2026.',
        'As of 2 March 2026, the Team monthly trial is still running.',
      ].join(' '),
    });
  });

  test('a subscriber who left', () => {
    expect(storyOf(lostSubscriber)).toMatchObject({
      title: 'cus_1, former customer, first bought in May 2024',
      summary: [
        'cus_1 was a customer from 5 May 2024 to 5 May 2025.',
        'Their Solo subscription started on 5 May 2024, was cancelled on 20 April 2025 and ended on 5 May 2025.',
        'The record shows “survey answered” on 6 May 2025 (score: 6).',
        'No open orders or tickets.',
      ].join(' '),
    });
  });

  test('five thousand events', () => {
    expect(storyOf(heavyUser)).toMatchObject({
      title: 'Katherine Johnson, loyal customer since January 2023',
      summary: [
        'Katherine Johnson (kj@nasa.test, Gold plan) is a loyal customer who first bought on 2 January 2023.',
        'They placed 500 orders worth 216,000 JPY and 8,555.72 GBP between 2 January 2023 and 6 November 2025, all of which were delivered; the latest is O-499.',
        'They paid for all of it in 500 payments, the latest on 7 November 2025.',
        'They exchanged 500 messages (250 from them and 250 to them) via the website, the last on 8 November 2025.',
        'They logged in 500 times (most recently on 7 November 2025) and viewed pages 1,500 times (most often “/”, 500 times; most recently on 8 November 2025); the record shows “wishlist item added” 500 times, the last on 7 November 2025 (sku: 4993) and “coupon redeemed” 500 times, the last on 8 November 2025.',
        'No open orders or tickets.',
      ].join(' '),
    });
  });
});

test('nobody without events has a story', () => {
  expect(composeStory('cus_1', [])).toBeUndefined();
});

test('a story carries the id it was asked for and the last instant', () => {
  const events = [
    event('2026-03-03T12:00:00.123456+02:00', 'page.viewed'),
    event('2026-03-01T10:00:00Z', 'page.viewed'),
  ];
  expect(storyOf(events)).toMatchObject({
    customerId: 'cus_1',
    updatedAt: '2026-03-03T10:00:00.123Z',
  });
});

test.each([
  ['en' as const, 'c is a former customer who first bought on 3 January 2025.'],
  ['de' as const, 'c ist ehemaliger Kunde und kaufte am 3. Januar 2025 zum ersten Mal.'],
])('a subscriber who has had so many trials since that the end is forgotten: %s', (language, opening) => {
  const at = (month: number) => new Date(Date.UTC(2025, month, 3)).toISOString();
  const trials = Array.from({ length: 6 }, (_, index) => [
    event(at(index + 2), 'trial.started', { trialId: `t${index}` }),
    event(at(index + 3), 'trial.expired', { trialId: `t${index}` }),
  ]);
  const subscription = { id: 's1', plan: 'Pro' };
  const events = [
    event(at(0), 'subscription.created', subscription),
    event(at(1), 'subscription.cancelled', subscription),
    ...trials.flat(),
  ];
  const story = composeStory('c', events, language);
  expect(story?.summary.startsWith(opening)).toBe(true);
});

describe('what the events make of the summary', () => {
  test.each(summaryCases)('%s', (_, events, part) => {
    expect(storyOf(events).summary).toContain(part);
  });
});

describe('what the events make of the title', () => {
  test.each(titleCases)('%s', (_, events, title) => {
    expect(storyOf(events).title).toBe(title);
  });
});
