import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { splitLinks } from '../../../web/client/links.ts';

const linksIn = (text: string) => splitLinks(text).flatMap(({ href, text: shown }) => (href === null ? [] : [shown]));

describe('the links of a plain text', () => {
  test.each([
    ['an address', 'See https://shop.example/a?b=c#d now', ['https://shop.example/a?b=c#d']],
    [
      'punctuation after it',
      'See http://shop.example/a, or (https://shop.example/b).',
      ['http://shop.example/a', 'https://shop.example/b'],
    ],
    ['brackets that belong to it', 'https://shop.example/saddle_(touring)', ['https://shop.example/saddle_(touring)']],
    ['markup around it', '<a href="https://shop.example/x">', ['https://shop.example/x']],
    ['no other protocol', 'javascript:alert(1) data:text/html,x ftp://a.example mailto:a@b.example', []],
    ['no address with a name before the host', 'https://bank.example@evil.example/', []],
    ['no address without a host', 'https:// and http://', []],
  ])('are %s', (_what, text, links) => {
    expect(linksIn(text)).toEqual(links);
  });

  test('change nothing of the text, and lead to http and https alone', () => {
    const piece = fc.oneof(fc.string(), fc.constantFrom('https://', 'http://a.example/', 'javascript:', '(', ')', '.'));
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('');
        const parts = splitLinks(text);
        expect(parts.map((part) => part.text).join('')).toBe(text);
        for (const { href } of parts) if (href !== null) expect(href).toMatch(/^https?:\/\//);
      }),
    );
  });
});
