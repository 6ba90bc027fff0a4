import { describe, expect, test } from '@jest/globals';
import { apiError, errorCatalogue, inputError } from '../../../lib/contract/errors.ts';
import { systemPermissions } from '../../../lib/contract/permissions.ts';
import type { Language } from '../../../lib/format/language.ts';
import { refusalOf } from '../../../web/attempt.ts';
import { runInPageContext } from '../../../web/page-context.ts';
import { describeScope } from '../../../web/scope-words.ts';
import { texts } from '../../../web/texts.ts';
import { renderDay, renderWhen, renderWhenWithin, timeInWords, waitInWords } from '../../../web/time.ts';

const within = <T>(language: Language, work: () => T): T => runInPageContext({ language, theme: null }, work);

/** The refusal of a form with the field `name`, whose call fails with this error. */
const refusalIn = (language: Language, error: Error) =>
  within(language, () => refusalOf(['name'], () => Promise.reject(error)));

describe('a refusal in German', () => {
  test.each([
    ['Required (string).', 'Füllen Sie dieses Feld aus.'],
    ['Must be at most 100 characters.', 'Höchstens 100\u00a0Zeichen.'],
    ['Must be at most 2,000 characters.', 'Höchstens 2.000\u00a0Zeichen.'],
    ['Must be at least 1 character.', 'Mindestens 1\u00a0Zeichen.'],
    ['Must have at most 20 origins.', 'Höchstens 20\u00a0Ursprünge.'],
    ['Must be one of: monthly, yearly.', 'Muss einer dieser Werte sein: monthly, yearly.'],
    [
      'Must have at most 5000 keys, including nested objects.',
      'Höchstens 5000\u00a0Schlüssel, verschachtelte Objekte eingeschlossen.',
    ],
    ['Not a field; did you mean eventName?', 'Dieses Feld gibt es nicht. Meinten Sie eventName?'],
    ['Must be a whole number.', 'Muss eine ganze Zahl sein.'],
    [
      'Must not begin or end with "/" or contain "//".',
      'Darf nicht mit „/“ beginnen oder enden und kein „//“ enthalten.',
    ],
  ])('of a field: %s', async (message, words) => {
    const error = inputError([{ path: 'body.name', message }]);
    expect(await refusalIn('de', error)).toMatchObject({ errors: { name: words }, problem: null });
    expect(await refusalIn('en', error)).toMatchObject({ errors: { name: message }, problem: null });
  });

  test.each([
    [
      'The organization’s plan allows 5 API keys; remove some, or upgrade for more.',
      /^Der Tarif der Organisation enthält höchstens 5 API-Schlüssel\. /,
    ],
    ['1,000 of 1,000 events used today. Resets at 00:00 UTC, or upgrade: http://localhost', /^Das Limit des Tarifs/],
  ])('of a plan: %s', async (message, words) => {
    const error = apiError('PLAN_LIMIT_EXCEEDED', { message });
    expect((await refusalIn('de', error))?.problem).toMatch(words);
    expect((await refusalIn('en', error))?.problem).toBe(message);
  });

  test('has words for each error that a form can show', async () => {
    const codes = Object.keys(errorCatalogue) as (keyof typeof errorCatalogue)[];
    const shown = codes.filter(
      (code) => errorCatalogue[code].status < 500 && !/^CREDENTIAL_|^RATE_|^SESSION_TOO_OLD$/.test(code),
    );
    const problems = await Promise.all(shown.map((code) => refusalIn('de', apiError(code))));
    expect(problems.length).toBeGreaterThan(40);
    expect(problems.filter((refusal) => !refusal?.problem?.endsWith('.'))).toEqual([]);
    expect(shown.filter((code, index) => problems[index]?.problem === errorCatalogue[code].message)).toEqual([]);
  });
});

test('dates, waiting times and numbers are German on a German page', () => {
  within('de', () => {
    expect(timeInWords('2026-11-03T09:05:00.000Z')).toBe('3. November 2026 um 09:05 UTC');
    expect(renderDay('2026-11-03T09:05:00.000Z').toString()).toContain('>3. November 2026<');
    const yearsAgo = '2024-11-03T09:05:00.000Z';
    expect(renderWhen(yearsAgo).toString()).toContain('>3. Nov. 2024<');
    expect(renderWhenWithin(yearsAgo).toString()).toContain('>3. November 2024<');
    expect(texts().forms.tooManyAttempts(waitInWords(61))).toContain('in 2 Minuten erneut');
    expect(texts().list.export.bound(50_000)).toContain('50.000');
    expect(texts().meter('Speicher', 40)).toBe('Speicher: 40\u00a0% verbraucht');
  });
});

test('each permission of the platform is described in German', () => {
  const described = Object.entries(systemPermissions).map(([key, { description }]) => [
    describeScope(key).toString() === description,
    within('de', () => describeScope(key).toString()) === description,
  ]);
  expect(described).toEqual(described.map(() => [true, false]));
});
