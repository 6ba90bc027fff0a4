import { describe, expect, test } from '@jest/globals';
import { isActive, matchesType } from '../../../../services/storage/content/media-type.ts';

describe('content that browsers may run', () => {
  test.each([
    ...['text/html', 'application/xhtml+xml', 'image/svg+xml', 'application/xml', 'text/xml', 'application/atom+xml'],
    ...[
      'text/javascript',
      'application/javascript',
      'application/x-javascript',
      'text/ecmascript',
      'text/javascript1.5',
    ],
    ...[
      'text/xsl',
      'application/xslt+xml',
      'message/rfc822',
      'multipart/related',
      'application/wasm',
      'application/hta',
    ],
    ...[
      'application/x-shockwave-flash',
      'application/vnd.adobe.flash.movie',
      'application/mathml+xml',
      'text/vbscript',
    ],
    ...['TEXT/HTML', 'text/html; charset=utf-8', 'no type', ''],
  ])('is %j', (type) => {
    expect(isActive(type)).toBe(true);
  });

  test.each([
    ...['image/png', 'image/avif', 'text/plain', 'text/css', 'text/csv', 'application/json', 'application/pdf'],
    ...['application/manifest+json', 'application/octet-stream', 'video/mp4', 'font/woff2', 'application/zip'],
  ])('is not %j', (type) => {
    expect(isActive(type)).toBe(false);
  });
});

describe('a list of allowed types', () => {
  test.each([
    ['image/png', ['image/png']],
    ['image/png', ['text/csv', 'image/*']],
    ['image/png', ['IMAGE/*']],
    ['image/png', ['Image/PNG']],
    ['image/jpeg', ['image/jpg']],
    ['text/javascript', ['application/javascript']],
    ['image/svg+xml', ['image/*']],
    ['text/csv; charset=utf-8', ['text/csv']],
  ])('contains %s by %j', (type, patterns) => {
    expect(matchesType(type, patterns)).toBe(true);
  });

  test.each([
    ['image/png', []],
    ['image/png', ['image/jpeg', 'imag/*', 'image', 'image/', '*', '*/*', 'image/p*', 'mage/*']],
    ['imagery/png', ['image/*']],
    ['no type', ['no type', 'image/*']],
    ['image/p.g', ['image/png']],
    ['image/png', ['image/p.g', 'i.age/*']],
  ])('does not contain %s by %j', (type, patterns) => {
    expect(matchesType(type, patterns)).toBe(false);
  });
});
