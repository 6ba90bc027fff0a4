import { afterEach, describe, expect, test } from '@jest/globals';
import { grantSeconds, refreshSeconds } from '../../../gateway/oauth/provider.ts';
import { setClock } from '../../../lib/data/clock.ts';

const day = 24 * 3600;
let putBack = () => {};
afterEach(() => putBack());

describe('a refresh token', () => {
  test.each([
    [0, 30],
    [59, 30],
    [60, 30],
    [75, 15],
    [89, 1],
  ])('%s days after the user agreed is good for %s more', (passed, days) => {
    const instant = new Date('2030-01-01T00:00:00.000Z');
    putBack = setClock(() => instant);
    expect(refreshSeconds(instant.getTime() / 1000 - passed * day)).toBe(days * day);
  });

  test('is good for nothing when the time is over', () => {
    expect(refreshSeconds(Date.now() / 1000 - 91 * day)).toBe(1);
  });
});

describe('a grant', () => {
  test('outlives every token issued under it', () => {
    expect(grantSeconds('openid offline_access')).toBeGreaterThan(90 * day + 3600);
    expect(grantSeconds('openid')).toBeGreaterThan(60 + 3600);
    expect(grantSeconds('openid')).toBeLessThan(2 * 3600);
  });
});
