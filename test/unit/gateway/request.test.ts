import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { clientAddress, parseQuery } from '../../../http/request.ts';

describe('a query string', () => {
  test.each([
    ['', {}],
    ['q=a%40b.c', { q: 'a@b.c' }],
    ['q=%2B49', { q: '+49' }],
    ['a=1&a=2&a=3', { a: ['1', '2', '3'] }],
    ['a[$gt]=1', { 'a[$gt]': '1' }],
    ['a', { a: '' }],
    ['q=%zz', { q: '%zz' }],
  ])('%p is read flat', (text, parameters) => {
    expect({ ...parseQuery(text) }).toEqual(parameters);
  });

  test('cannot reach a prototype', () => {
    const query = parseQuery('__proto__=1&constructor=2');
    expect(Object.getPrototypeOf(query)).toBeNull();
    expect(Object.entries(query)).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]);
  });
});

describe('the address of a client', () => {
  const requestOf = (forwarded?: string | string[]) =>
    ({
      socket: { remoteAddress: '10.0.0.1' },
      headers: { 'x-forwarded-for': forwarded },
    }) as unknown as IncomingMessage;

  test.each([
    ['the peer when there is no proxy, whatever the client claims', '1.2.3.4', 0, '10.0.0.1'],
    ['what the one proxy wrote', '6.6.6.6, 1.2.3.4', 1, '1.2.3.4'],
    ['what the first of two proxies wrote', '6.6.6.6, 1.2.3.4, 10.0.0.9', 2, '1.2.3.4'],
    ['the peer when a proxy wrote nothing', undefined, 1, '10.0.0.1'],
    ['the peer when there are fewer entries than proxies', '1.2.3.4', 2, '10.0.0.1'],
    ['what the last of several headers says', ['6.6.6.6', '1.2.3.4'], 1, '1.2.3.4'],
    ['without blanks', ' 6.6.6.6 ,  1.2.3.4 ', 1, '1.2.3.4'],
    ['without a port', '1.2.3.4:4711', 1, '1.2.3.4'],
    ['without the brackets and port of IPv6', '[2001:db8::1]:4711', 1, '2001:db8::1'],
    ['the peer when a proxy wrote no address', '6.6.6.6, unknown', 1, '10.0.0.1'],
  ])('is %s', (_what, forwarded, proxies, address) => {
    expect(clientAddress(requestOf(forwarded), proxies)).toBe(address);
  });
});
