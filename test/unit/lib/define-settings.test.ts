import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { declaredSettings, defineSettings, parseVariables } from '../../../lib/settings/define-settings.ts';
import { StartError } from '../../../lib/settings/start-error.ts';
import { variables as platformVariables } from '../../../lib/settings/variables.ts';
import { allVariables } from '../../../runtime/command-line.ts';

const variables = await allVariables();

describe('the settings that services declare', () => {
  test('are listed after those of the platform, and have other names', () => {
    const own = Object.keys(variables).slice(Object.keys(platformVariables).length);
    expect(own).toEqual(expect.arrayContaining(['ACCESS_WHEN_STALE', 'TELEGRAM_URL', 'TAX_RATE']));
    expect(Object.keys(variables)).toEqual([...Object.keys(platformVariables), ...own]);
  });

  test.each([
    ['ACCESS_WHEN_STALE', 'never'],
    ['TELEGRAM_URL', 'https://telegram.example.com/?'],
    ['SELLER_NAME', ' '],
    ['SELLER_ADDRESS', 'x'.repeat(501)],
    ['INVOICE_PREFIX', 'acme'],
    ['TAX_RATE', '100'],
    ['TAX_RATE', '8,875'],
  ])('refuse %s=%s with a sentence that names it and an example', (name, value) => {
    const { problems } = parseVariables(variables, { [name]: value });
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name} .*; for example ${name}=`))]);
  });

  test.each([
    ['WHATSAPP_URL', 'https://graph.facebook.com/v23.0/', 'https://graph.facebook.com/v23.0'],
    ['SELLER_ADDRESS', 'Street 1; 10115 Berlin;; Germany', ['Street 1', '10115 Berlin', 'Germany']],
    ['ACCESS_WHEN_STALE', '', 'refuse'],
  ])('take %s=%s as %j', (name, value, expected) => {
    expect(parseVariables(variables, { [name]: value }).values[name]).toEqual(expected);
  });

  test('have valid examples', () => {
    const environment = Object.fromEntries(Object.entries(variables).map(([name, { example }]) => [name, example]));
    expect(parseVariables(variables, environment).problems).toEqual([]);
  });
});

describe('a service from outside', () => {
  const mood = { about: 'Mood of greetings.', example: 'good', schema: z.enum(['good', 'bad']).default('good') };

  test('reads its settings, also again with others', () => {
    process.env.HELLO_MOOD = 'bad';
    expect(defineSettings('hello', { HELLO_MOOD: mood })).toEqual({ HELLO_MOOD: 'bad' });
    expect(declaredSettings().values).toMatchObject({ HELLO_MOOD: 'bad' });
    delete process.env.HELLO_MOOD;
    expect(defineSettings('hello', { HELLO_MOOD: mood })).toEqual({ HELLO_MOOD: 'good' });
  });

  test('does not start with an invalid one, or with one of another service', () => {
    process.env.HELLO_MOOD = 'grumpy';
    expect(() => defineSettings('hello', { HELLO_MOOD: mood })).toThrow(StartError);
    delete process.env.HELLO_MOOD;
    expect(() => defineSettings('hello', { TAX_RATE: mood })).toThrow(
      'the variable TAX_RATE is already declared by billing',
    );
    expect(() => defineSettings('hello', { PORT: mood })).toThrow('the variable PORT is already declared by platform');
  });
});
