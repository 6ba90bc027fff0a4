import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { allowedOrigin, isAllowedOrigin } from '../../../services/connect/sites/origins.ts';
import { signedText } from '../../../services/connect/visitors/visit.ts';
import { frameHeaders } from '../../../services/connect/widget/site.ts';

const isTaken = (origin: string): boolean => allowedOrigin.safeParse(origin).success;

describe('an allowed origin', () => {
  test.each(['https://a.example.com', 'http://localhost:3000', 'https://*.example.com', 'https://*.example.com:8443'])(
    'may be %s',
    (origin) => expect(isTaken(origin)).toBe(true),
  );

  test.each([
    '',
    '*',
    'null',
    'example.com',
    'https://',
    'https://*',
    'https://*.com',
    'https://*.*.example.com',
    'https://a*.example.com',
    'https://a.*.com',
    'https://a.example.com/',
    'https://a.example.com?x',
    'https://user@a.example.com',
    'https://A.example.com',
    'https://a.example.com:443',
    'ftp://a.example.com',
    'data:text/html,x',
    "https://a.com 'unsafe-inline'",
    'https://a.com;script-src',
    'https://a.com\r\nX: y',
  ])('is never %p', (origin) => expect(isTaken(origin)).toBe(false));

  test.each([
    ['https://*.example.com', 'https://a.example.com', true],
    ['https://*.example.com', 'https://a.b.example.com', true],
    ['https://*.example.com', 'https://example.com', false],
    ['https://*.example.com', 'https://aexample.com', false],
    ['https://*.example.com', 'https://a.example.com.evil.com', false],
    ['https://*.example.com', 'https://a.example.com:8443', false],
    ['https://*.example.com', 'http://a.example.com', false],
    ['https://a.example.com', 'https://a.example.com', true],
    ['https://a.example.com', 'https://a.example.com:8443', false],
    ['https://*.example.com', 'https://evil.net/.example.com', false],
    ['https://*.example.com', 'https://evil.net:443.example.com', false],
    ['https://*.example.com', 'https://evil.net?.example.com', false],
    ['https://*.example.com', 'https://user@a.example.com', false],
    ['https://*.example.com', 'https://.example.com', false],
    ['https://*.example.com', 'https://a..example.com', false],
  ])('%s for a page of %s: %s', (allowed, origin, expected) => {
    expect(isAllowedOrigin(origin, [allowed])).toBe(expected);
  });

  test('adds nothing to the policy of the frame but itself, whatever is typed', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.domain().map((name) => `https://${name}`),
        ),
        (text) => {
          if (!isTaken(text)) return;
          const policy = frameHeaders({ allowedOrigins: [text] })['Content-Security-Policy'] ?? '';
          expect(policy.split('; ').at(-1)).toBe(`frame-ancestors ${text}`);
          expect(text).not.toMatch(/[\s;,'"]/);
        },
      ),
    );
    const closed = frameHeaders({ allowedOrigins: [] })['Content-Security-Policy'];
    expect(closed).toMatch(/; frame-ancestors 'none'$/);
  });
});

test('a website signs id, email or nothing, and the instant, joined by line feeds', () => {
  const issuedAt = '2026-03-02T09:30:00Z';
  expect(signedText({ id: '1', email: 'a@example.com', issuedAt })).toBe(`1\na@example.com\n${issuedAt}`);
  expect(signedText({ id: '1', issuedAt })).toBe(`1\n\n${issuedAt}`);
});
