import { describe, expect, test } from '@jest/globals';
import { day, fromNow, hour, minute, second } from '../../../lib/data/clock.ts';
import { effectivePermissions } from '../../../services/access/pages/matrix.ts';
import type { Role } from '../../../services/access/pages/roles-page.ts';
import { addressOfChoice, hiddenIn } from '../../../web/columns.ts';
import { renderFilters } from '../../../web/filters.ts';
import { pickTicked } from '../../../web/pick.ts';
import { type Column, renderTable } from '../../../web/table.ts';
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

describe('the columns of a list', () => {
  const columns: [Column<string>, ...Column<string>[]] = [
    { heading: 'Name', key: 'name', cell: (row) => row },
    { heading: 'Email', key: 'email', cell: () => 'e' },
    { heading: 'State', key: 'state', cell: () => 's', isState: true },
    { heading: 'Number', cell: () => 'n' },
    { heading: 'Created', key: 'created', cell: () => 'c' },
  ];
  const headingsWith = (hide: string | string[]): string[] => {
    const table = String(renderTable({ label: 'All', columns, rows: ['x'], empty: '', hidden: hiddenIn({ hide }) }));
    const cells = [...table.matchAll(/<td/g)].length;
    const headings = [...table.matchAll(/scope="col"[^>]*>(\w+)/g)].map(([, heading]) => heading!);
    expect(cells).toBe(headings.length - 1);
    return headings;
  };
  const all = ['Name', 'Email', 'State', 'Number', 'Created'];

  test.each([
    ['email', ['Name', 'State', 'Number', 'Created']],
    ['email.created', ['Name', 'State', 'Number']],
    ['created,email', ['Name', 'State', 'Number']],
    ['none.created.', ['Name', 'Email', 'State', 'Number']],
    ['name.state.number.undefined', all],
    ['', all],
  ])('hide=%s', (hide, headings) => {
    expect(headingsWith(hide)).toEqual(headings);
  });

  test('are not hidden by a repeated parameter, and a hostile name is in no link', () => {
    expect(headingsWith(['email', 'created'])).toEqual(all);
    expect(hiddenIn({ hide: '"><i>x.email.email.__proto__' })).toEqual({ hide: 'email' });
    expect(hiddenIn({ hide: 'a.'.repeat(1000) })).toEqual({ hide: 'a' });
  });

  test('are boxes of a form that keeps the other parameters', () => {
    const hidden = { hide: 'email' };
    const search = { name: 'search', label: 'Search', value: '"><i>' };
    const text = String(renderFilters({ action: '/x', search, columns: { columns, hidden, cursor: 'c' } }));
    const [, menu] = text.split('</form>');
    expect(menu).toMatch(/value="email" autocomplete="off"><span>Email/);
    expect(menu).toMatch(/value="created" autocomplete="off" checked><span>Created/);
    expect(menu).not.toMatch(/value="(?:name|state)"|<i>/);
    expect(menu).toContain('<input type="hidden" name="cursor" value="c">');
    expect(text).toContain('Columns, 1 hidden');
    const without = String(renderFilters({ action: '/x', columns: { columns, hidden: hiddenIn({}) } }));
    expect(without).toMatch(/^<div class="filters desk"><button/);
    expect(without).not.toContain('Show all');
  });

  test('are redirected to the address that names the hidden ones', () => {
    const path = { slug: 'a b' };
    const to = (query: Record<string, string | string[]>) => addressOfChoice({ path, query }, '/console/:slug/users');
    const columns = 'email.role.created';
    expect(to({ q: 'x' })).toBeNull();
    expect(to({ columns, column: ['email', 'role'], q: 'é', cursor: '' })).toBe(
      '/console/a%20b/users?q=%C3%A9&hide=created',
    );
    expect(to({ columns, column: 'role', hide: 'role' })).toBe('/console/a%20b/users?hide=email.created');
    expect(to({ columns, column: columns.split('.') })).toBe('/console/a%20b/users');
    expect(to({ columns: '//evil.example' })).toBe('/console/a%20b/users?hide=example');
  });
});
