import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { accentOn, contrast } from '../../../web/theme.ts';

const backgrounds = ['#f3f5f8', '#ffffff', '#191e25', '#0f1216'];
const colors = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

test('every colour becomes one that can be read, with text on it that can be read', () => {
  fc.assert(
    fc.property(fc.constantFrom(...backgrounds), colors, (background, color) => {
      const { accent, onAccent } = accentOn(background, color);
      expect(contrast(accent, background)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(accent, onAccent)).toBeGreaterThanOrEqual(4.5);
    }),
    { numRuns: 2000 },
  );
});

test('a colour that can be read stays as it is', () => {
  expect(accentOn('#ffffff', '#0b57d0')).toEqual({ accent: '#0b57d0', onAccent: '#ffffff' });
  expect(accentOn('#191e25', '#8ab4f8')).toEqual({ accent: '#8ab4f8', onAccent: '#0a0d12' });
});

test('contrast is that of WCAG', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
});
