import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { comparePositions, type StoredEvent } from '../../../services/context/story/event.ts';
import { addMoney, emptyTotals, worthOf } from '../../../services/context/story/money.ts';
import { detailOf, itemsOf } from '../../../services/context/story/render/de/kept.ts';
import {
  moneyOf,
  someOf,
  spanOf,
  timesOf,
  totalsOf,
  worthOf as writeWorth,
} from '../../../services/context/story/render/de/words.ts';
import { paragraphsOf, writeSummary } from '../../../services/context/story/render/summary.ts';
import { writerOf } from '../../../services/context/story/render/writer.ts';
import { emptyState } from '../../../services/context/story/state.ts';
import { composeStory, foldEvent, renderStory } from '../../../services/context/story/story.ts';
import { positionOf } from '../../../services/context/story/tiebreaker.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { history, text, wildHistory } from './arbitrary-histories.ts';
import { germanSummaries, germanTitles } from './german-cases.ts';
import { event, heavyUser } from './histories.ts';
import { summaryCases, titleCases } from './story-cases.ts';

const storyOf = (events: StoredEvent[], customerId = 'cus_1') => composeStory(customerId, events, 'de')!;
const stateOf = (events: StoredEvent[]) =>
  events
    .toSorted((left, right) => comparePositions(positionOf(left), positionOf(right)))
    .reduce(foldEvent, emptyState());

describe('each case of the English stories', () => {
  test('has one name, and German texts', () => {
    const names = [...summaryCases, ...titleCases].map(([name]) => name);
    expect(new Set(names).size).toBe(names.length);
    expect([...Object.keys(germanSummaries), ...Object.keys(germanTitles)].toSorted()).toEqual(names.toSorted());
  });

  test.each(summaryCases)('has the German summary: %s', (name, events) => {
    const [, ...paragraphs] = paragraphsOf(storyOf(events).summary, 'de');
    expect(paragraphs.join(' ')).toBe(germanSummaries[name]);
  });

  test.each(titleCases)('has the German title: %s', (name, events) => {
    expect(storyOf(events).title).toBe(germanTitles[name]);
  });
});

test('five thousand events', () => {
  expect(storyOf(heavyUser)).toMatchObject({
    title: 'Katherine Johnson, Stammkunde seit Januar 2023',
    summary: [
      'Katherine Johnson (kj@nasa.test, Tarif Gold) ist Stammkunde und kaufte am 2. Januar 2023 zum ersten Mal.',
      'Zwischen dem 2. Januar 2023 und dem 6. November 2025 gingen 500 Bestellungen über insgesamt 216.000 JPY und 8.555,72 GBP ein; alle wurden zugestellt; die neueste ist O-499.',
      'Die Bestellungen wurden mit 500 Zahlungen vollständig bezahlt, die letzte am 7. November 2025.',
      'Es wurden 500 Nachrichten über die Website ausgetauscht (250 eingehende und 250 ausgehende), die letzte am 8. November 2025.',
      'Es gab 500 Anmeldungen (zuletzt am 7. November 2025) und 1.500 Seitenaufrufe (am häufigsten „/“, 500-mal; zuletzt am 8. November 2025); die Daten zeigen „wishlist item added“ 500-mal (zuletzt am 7. November 2025; sku: 4993) und „coupon redeemed“ 500-mal (zuletzt am 8. November 2025).',
      'Keine offenen Bestellungen oder Tickets.',
    ].join(' '),
  });
});

test('a long name is cut so that the title keeps its length', () => {
  const events = [
    event('2024-09-01T08:00:00Z', 'subscription.renewed', { id: 's1', customer: { name: 'N'.repeat(80) } }),
    event('2024-10-01T08:00:00Z', 'subscription.cancelled', { id: 's1' }),
    event('2026-09-01T08:00:00Z', 'subscription.created', { id: 's2' }),
    event('2026-09-02T08:00:00Z', 'trial.started', { trialId: 't3', trialEndsAt: '2026-09-30' }),
  ];
  const { title } = storyOf(events);
  expect([...title]).toHaveLength(200);
  expect(title).toMatch(
    /^N{60,}…, wiederkehrender Kunde mindestens seit September 2024 \(zurück seit September 2026\), weitere Testphase endet am 30\. September 2026$/,
  );
  expect(composeStory('cus_1', events)?.title).toMatch(/^N{80}, returning customer since at least September 2024 /);
});

describe('words', () => {
  test.each([
    [{ currency: 'EUR', minor: '124050' }, '1.240,50 EUR'],
    [{ currency: 'EUR', minor: '-5' }, '-0,05 EUR'],
    [{ currency: 'JPY', minor: '1234567' }, '1.234.567 JPY'],
    [{ currency: 'KWD', minor: '12345' }, '12,345 KWD'],
    [{ currency: '$', minor: '129900' }, '1.299,00 $'],
    [{ currency: '¥', minor: '120000' }, '1.200 ¥'],
    [{ currency: '¥', minor: '120050' }, '1.200,50 ¥'],
    [{ currency: '', minor: '500' }, '5,00 in nicht genannter Währung'],
  ])('%j is %s', (money, words) => expect(moneyOf(money)).toBe(words));

  test('a total names the amounts it leaves out', () => {
    const euros = { currency: 'EUR', minor: '5000' };
    const worth = [euros, null, euros].reduce(addMoney, emptyTotals());
    const orders = (count: number, totals = worth) => writeWorth(worthOf(count, totals), 'Bestellung', 'Bestellungen');
    expect(orders(3)).toBe('3 Bestellungen (2 über insgesamt 100,00 EUR und 1 ohne bekannten Betrag)');
    expect(orders(1, addMoney(emptyTotals(), null))).toBe('1 Bestellung ohne bekannten Betrag');
    expect(orders(1, addMoney(emptyTotals(), euros))).toBe('1 Bestellung über 50,00 EUR');
    const currencies = ['AAA', 'AAB', 'AAC', 'AAD'].map((currency) => ({ currency, minor: '100' }));
    expect(totalsOf(currencies.reduce(addMoney, emptyTotals()))).toBe(
      '1,00 AAA, 1,00 AAB, 1,00 AAC und Beträge in anderen Währungen',
    );
  });

  test.each([
    ['2026-10-04', '2026-10-04', 'am 4. Oktober 2026'],
    ['2026-10-04', '2026-10-19', 'zwischen dem 4. und dem 19. Oktober 2026'],
    ['2026-03-04', '2026-10-04', 'zwischen dem 4. März und dem 4. Oktober 2026'],
    ['2025-10-04', '2026-10-04', 'zwischen dem 4. Oktober 2025 und dem 4. Oktober 2026'],
  ])('%s to %s is %s', (from, to, words) => expect(spanOf(from, to)).toBe(words));

  test.each([
    [1, 'einmal'],
    [12, 'zwölfmal'],
    [13, '13-mal'],
    [5012, '5.012-mal'],
  ])('%i times is %s', (count, words) => expect(timesOf(count)).toBe(words));

  test('others are counted in the gender of what they are', () => {
    expect(someOf(['A', 'B'], 1, 'weiteres')).toBe('A, B und 1 weiteres');
    expect(someOf(['A'], 2, 'weiteres')).toBe('A und 2 weitere');
    expect(someOf([], 2, 'weitere')).toBe('');
  });
});

describe('what a state keeps in English', () => {
  test.each([
    ['“Bulk export”', '„Bulk export“'],
    ['1,025.00 EUR', '1.025,00 EUR'],
    ['-25.00 EUR', '-25,00 EUR'],
    ['$1,299.00', '1.299,00 $'],
    ['¥1,200', '1.200 ¥'],
    ['500.00 kr', '500,00 kr'],
    ['score: 4.5', 'score: 4,5'],
    ['status: “lost”', 'status: „lost“'],
    ['note: “he said “no””', 'note: „he said “no”“'],
    ['', ''],
  ])('the detail %s is %s', (detail, words) => expect(detailOf(detail)).toBe(words));

  test.each([
    ['Blue mug and 1 more', 'Blue mug und 1 weiterer Artikel'],
    ['Blue mug and 1,200 more', 'Blue mug und 1.200 weitere Artikel'],
    ['Salt and pepper', 'Salt and pepper'],
  ])('the items %s are %s', (items, words) => expect(itemsOf(items)).toBe(words));

  test.each([
    ['mail', 'per E-Mail'],
    ['sms', 'per SMS'],
    ['web', 'über die Website'],
    ['chatapp', 'über eine Chat-App'],
    ['photoapp', 'über eine Foto-App'],
    ['socialapp', 'über ein soziales Netzwerk'],
    ['whatsapp', 'über WhatsApp'],
    ['Threema', 'über threema'],
  ])('the channel %s is %s', (channel, words) => {
    const events = [event('2026-03-01T10:00:00Z', 'message.sent', { channel })];
    expect(storyOf(events).summary).toContain(`Am 1. März 2026 gab es 1 eingehende Nachricht ${words}.`);
  });

  test('an event without a name has one', () => {
    expect(storyOf([event('2026-03-01T10:00:00Z', '.')]).summary).toContain('„unbenanntes Ereignis“ am 1. März 2026');
  });
});

/** Words of the English stories that neither German nor the texts of these histories have. */
const englishWords =
  /\b(?:they|their|them|that|the|and|since|worth|was|were|has|have|placed|made|opened|viewed|logged|of|on|at|for|from|to|by|between|most|latest|last|other|more|once|twice|times|without|known|unknown|amount unknown|still|due|as of|record shows|customer|purchase|no open)\b/i;

describe('German stories keep the laws of stories', () => {
  test('any order and any repetition gives the same bytes', () => {
    const disordered = history.chain((events) =>
      fc
        .tuple(fc.shuffledSubarray(events, { minLength: events.length }), fc.subarray(events))
        .map(([mixed, again]) => ({ events, mixed, again })),
    );
    fc.assert(
      fc.property(disordered, ({ events, mixed, again }) => {
        const bytes = JSON.stringify(composeStory('cus_1', events, 'de'));
        expect(JSON.stringify(composeStory('cus_1', [...mixed, ...again], 'de'))).toBe(bytes);
      }),
      { numRuns: propertyCases(20, 1_000) },
    );
  });

  test('they have no English words but those that were sent, and as many sentences as in English', () => {
    fc.assert(
      fc.property(history, (events) => {
        const state = stateOf(events);
        const story = renderStory('cus_1', state, 'de');
        const words = `${story?.title} ${story?.summary}`.replace(/„[^“]*“|\([a-z ]+: -?\d[\d,]*\)/g, '');
        expect(words).not.toMatch(englishWords);
        if (!state.last) return;
        const sentences = writeSummary('cus_1', state, writerOf('de'));
        expect(sentences).toHaveLength(writeSummary('cus_1', state, writerOf('en')).length);
        expect(paragraphsOf(story?.summary ?? '', 'de')).toEqual(sentences);
      }),
      { numRuns: propertyCases(100, 4_000) },
    );
  });

  test('nothing throws, and title and summary keep their bounds', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.constantFrom('__proto__', 'null', '')), wildHistory, (customerId, events) => {
        const { title, summary } = storyOf(events, customerId);
        expect([...title].length).toBeLessThanOrEqual(200);
        const sentences = writeSummary(customerId, stateOf(events), writerOf('de'));
        expect(sentences.length).toBeGreaterThanOrEqual(3);
        expect(sentences.length).toBeLessThanOrEqual(6);
        expect(new Set(sentences).size).toBe(sentences.length);
        expect(paragraphsOf(summary, 'de')).toEqual(sentences);
        for (const sentence of sentences) expect(sentence).toMatch(/^\S.*\S\.$/su);
        expect(`${title} ${summary}`).not.toMatch(/undefined|NaN|\bnull\b|\[object|Infinity/);
        expect(`${title} ${summary}`).not.toMatch(/\p{Cc}|\p{Cs}|[\u202a-\u202e\u2066-\u2069]/u);
        expect(summary).not.toMatch(/ {2}| [,.;:]|\(\)|„“/);
      }),
      { numRuns: propertyCases(50, 4_000) },
    );
  });
});
