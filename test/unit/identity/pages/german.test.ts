import { describe, expect, test } from '@jest/globals';
import type { Language } from '../../../../lib/format/language.ts';
import { actionInWords } from '../../../../services/identity/pages/console/audit-words.ts';
import { deviceInWords } from '../../../../services/identity/pages/device.ts';
import { texts } from '../../../../services/identity/pages/texts.ts';
import { runInPageContext } from '../../../../web/page-context.ts';

function readIn<T>(language: Language, read: () => T): T {
  return runInPageContext({ language, theme: null }, read);
}

/** The texts of a language by their path; those with values to fill in are left out. */
function leavesOf(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, `${path}.${key}`));
}

/** Words that are the same in both languages, such as names, protocol terms and examples. */
const same =
  /^(?:Browser|Chat|Client|Discovery|Domains|Express|Go|Grants|Logo|Name|Next\.js|Python|Scopes|curl|storage\.delete)$/;

describe('the German pages of identity', () => {
  test('have no text that was left in English', () => {
    const german = new Map(readIn('de', () => leavesOf(texts())));
    const english = readIn('en', () => leavesOf(texts()));
    expect(english.length).toBeGreaterThan(500);
    const left = english.filter(([path, text]) => german.get(path) === text && !same.test(text));
    expect(left).toEqual([]);
  });

  test('quote in German, and do not shout', () => {
    const german = readIn('de', () => leavesOf(texts()));
    expect(german.filter(([, text]) => /["“](?=\p{L})|!|\.\.\./u.test(text))).toEqual([]);
  });

  test('say who did what without a verb that follows the person', () => {
    const said = (language: Language, who: string, action: string): string =>
      readIn(language, () => String(texts().overview.activity.sentence(who, actionInWords(action))));
    expect(said('en', 'You', 'session.created')).toBe('You logged in');
    expect(said('de', 'Sie', 'session.created')).toBe('Sie: angemeldet');
    expect(said('de', 'Ada', 'reward.created')).toBe('Ada: reward.created protokolliert');
  });

  test.each([
    ['Firefox on Linux', 'Firefox unter Linux'],
    ['Safari on iPhone', 'Safari auf dem iPhone'],
    ['curl', 'curl'],
    ['Unknown device', 'Unbekanntes Gerät'],
  ])('name the device %s', (english, german) => {
    expect(readIn('en', () => deviceInWords(english))).toBe(english);
    expect(readIn('de', () => deviceInWords(english))).toBe(german);
  });
});
