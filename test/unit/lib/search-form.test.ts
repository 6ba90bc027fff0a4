import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fromEachWord, searchForm } from '../../../lib/format/search-form.ts';

describe('searchForm', () => {
  test.each([
    ['Zoë', 'zoe'],
    ['ZOË', 'zoe'],
    ['Zoe\u0308', 'zoe'],
    ['Łukasz  Żółć', 'lukasz zolc'],
    ['Søren Ærø', 'soren aero'],
    ['Straße', 'strasse'],
    ['İstanbul Işık', 'istanbul isik'],
    ['ＡＤＡ', 'ada'],
    ['O’Brien', "o'brien"],
    ['A\u200bda', 'ada'],
    ['\u00a0Ada\u2003King ', 'ada king'],
    ['Ελένη', 'ελενη'],
    ['Йосиф', 'иосиф'],
    ['\u0301', ''],
  ])('of %j is %j', (text, form) => {
    expect(searchForm(text)).toBe(form);
  });

  test('of a form is the form', () => {
    const law = fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(searchForm(searchForm(text))).toBe(searchForm(text));
    });
    fc.assert(law);
  });
});

describe('fromEachWord', () => {
  test.each([
    ['anna maria brandt', ['anna maria brandt', 'maria brandt', 'brandt']],
    ['jean-luc picard', ['jean-luc picard', 'luc picard', 'picard']],
    ["o'brien", ["o'brien"]],
    ['(ada) king', ['ada) king', 'king']],
    ['', []],
    ['…', []],
  ])('of %j is %j', (text, words) => {
    expect(fromEachWord(text)).toEqual(words);
  });
});
