import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { originOfReturnTo } from '../../../lib/security/return-to.ts';
import { anyCodePoint } from '../../support/code-points.ts';

const own = 'https://platform.example';
const registered = 'https://shop.example:8443';

/** As the platform decides, with one client that registered an origin. */
function isAllowed(url: string): boolean {
  const origin = originOfReturnTo(url, own);
  return origin === own || origin === registered;
}

describe('an address to return to', () => {
  test.each([
    '/',
    '/account',
    '/account?tab=keys#first',
    '/oauth2/auth?redirect_uri=https%3A%2F%2Fshop.example%2Fcb%3Fa%3Db',
    '/a/b/../c',
    `${own}`,
    `${own}/account`,
    `${own}?a=b`,
    'HTTPS://Platform.Example/account',
    'https://platform.example:443/account',
    `${registered}/callback#token`,
  ])('%j is allowed', (url) => {
    expect(isAllowed(url)).toBe(true);
  });

  test.each([
    '',
    'account',
    '?a=b',
    '#a',
    './account',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\/evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '\t//evil.example',
    ' //evil.example',
    '/\n/evil.example',
    '/a/..//evil.example',
    '/.//evil.example',
    '/%2e//evil.example',
    'https:evil.example',
    'https:/evil.example',
    'https:///evil.example',
    'https:\\\\evil.example',
    'http://evil.example',
    `${own}.evil.example`,
    `${own}@evil.example`,
    'https://platform.example:x@evil.example/',
    'https://user@platform.example/',
    'https://user:secret@platform.example/',
    'https://platform.example%2eevil.example/',
    'https://platform.example\\@evil.example',
    'https://evil.example#@platform.example/',
    'https://evil.example?@platform.example/',
    'https://platform.example:444/',
    'http://platform.example/',
    'https://platform.example./',
    'https://shop.example/',
    'https://shop.example:8443.evil.example/',
    '/account%0d%0aSet-Cookie:a=b',
    '/account%0D%0ASet-Cookie:a=b',
    '/account%0a',
    `${own}/%0dx`,
    '/account\r\nSet-Cookie:a=b',
    '/account\u0000',
    '/\u2028',
    'https://pl\u0430tform.example/',
    'https://platform\u3002example/',
    'javascript:alert(1)',
    'JavaScript://platform.example/%0aalert(1)',
    'data:text/html,x',
    'ftp://platform.example/',
    'blob:https://platform.example/x',
    'https://[::1]/',
    'https://',
    `/${'a'.repeat(2048)}`,
  ])('%j is refused', (url) => {
    expect(isAllowed(url)).toBe(false);
  });

  test('that is allowed leads browsers to the platform or a registered origin, whatever the text', () => {
    const pieces = fc.constantFrom(
      ...[
        '/',
        '//',
        '\\',
        ':',
        '@',
        '?',
        '#',
        '.',
        '..',
        '%2f',
        '%5c',
        '%0d',
        '\t',
        ' ',
        '\n',
        'https:',
        'HTTP:',
        'javascript:',
      ],
      ...[
        'platform.example',
        'shop.example:8443',
        'evil.example',
        own,
        registered,
        'a',
        ';',
        '&',
        '[',
        ']',
        '\u3002',
        '\uff0f',
      ],
    );
    const url = fc.oneof(
      fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join('')),
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.string({ unit: anyCodePoint }),
    );
    let allowed = 0;
    fc.assert(
      fc.property(url, (text) => {
        if (!isAllowed(text)) return;
        allowed += 1;
        const { origin, pathname, username } = new URL(text, `${own}/self-service/login`);
        expect([own, registered]).toContain(origin);
        expect(username).toBe('');
        expect(pathname.startsWith('//')).toBe(false);
        expect(new URL(pathname, own).origin).toBe(own);
        expect(text).toMatch(/^[\x21-\x7e]+$/);
      }),
      { numRuns: 20_000 },
    );
    expect(allowed).toBeGreaterThan(100);
  });
});
