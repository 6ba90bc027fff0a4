import { describe, expect, test } from '@jest/globals';
import { day, fromNow, hour, minute, second } from '../../../lib/data/clock.ts';
import { effectivePermissions } from '../../../services/access/pages/matrix.ts';
import type { Role } from '../../../services/access/pages/roles-page.ts';
import { pickTicked } from '../../../web/pick.ts';
import { renderWhen } from '../../../web/time.ts';

const wordsAt = (milliseconds: number): string =>
  String(renderWhen(fromNow(milliseconds).toISOString())).replace(/<[^>]*>/g, '');

describe('an instant in a list', () => {
  test.each([
    [-3.5 * minute, '3 min ago'],
    [-5.5 * hour, '5 hr ago'],
    [-1.5 * day, 'Yesterday'],
    [6.5 * day, 'In 6 days'],
  ])('%d ms from now is %s', (milliseconds, words) => {
    expect(wordsAt(milliseconds)).toBe(words);
  });

  test('far away is a date, with its full time as title', () => {
    const long = renderWhen('2020-02-29T10:05:00.000Z');
    expect(String(long)).toBe(
      '<time datetime="2020-02-29T10:05:00.000Z" data-time="when" title="29 February 2020 at 10:05 UTC">29 Feb 2020</time>',
    );
    expect(wordsAt(0)).toMatch(/Now|sec ago/);
    expect(wordsAt(-2 * second)).toMatch(/[123] sec ago/);
  });
});

test('the boxes of a field are read apart from the other fields', () => {
  const form = { name: 'x', 'scopes.mail.send': 'on', 'scopes.': 'on', scopesX: 'y' };
  expect(pickTicked(form, 'scopes')).toEqual({ ticked: ['mail.send', ''], rest: { name: 'x', scopesX: 'y' } });
});

test('a role holds what the roles that it includes hold, at any depth', () => {
  const role = (id: string, permissions: string[], includes: string[]): Role => ({
    id,
    name: id,
    description: '',
    permissions,
    includes,
    isSystem: false,
    revision: 1,
    createdAt: null,
    updatedAt: null,
  });
  const held = effectivePermissions([role('a', ['x'], ['b']), role('b', ['y'], ['c']), role('c', ['z'], ['gone'])]);
  expect([...held.get('a')!].sort()).toEqual(['x', 'y', 'z']);
  expect([...held.get('c')!]).toEqual(['z']);
});
