import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { withoutLoopbackPort } from '../../../lib/settings/mongo-url.ts';

describe('a URL without its loopback port', () => {
  test.each([
    ['http://127.0.0.1', 'http://127.0.0.1'],
    ['http://127.0.0.1:80', 'http://127.0.0.1'],
    ['http://127.0.0.1:0/', 'http://127.0.0.1/'],
    ['http://[::1]:65535/cb?a=b:1', 'http://[::1]/cb?a=b:1'],
    ['HTTP://[0:0::1]:9/cb', 'HTTP://[0:0::1]/cb'],
    ['http://127.1:9?a', 'http://127.1?a'],
  ])('%s is %s', (url, expected) => {
    expect(withoutLoopbackPort(url)).toBe(expected);
  });

  test.each([
    '',
    'http://',
    'http://localhost:1/cb',
    'http://128.0.0.1:1/cb',
    'http://[::2]:1/cb',
    'https://127.0.0.1:1/cb',
    'http://127.0.0.1:65536/cb',
    'http://127.0.0.1:/cb',
    'http://127.0.0.1:1@evil.example/cb',
    'http://a@127.0.0.1:1/cb',
    'http://127.0.0.1:1.evil.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'http://127.0.0.1\\@evil.example/cb',
    'http:127.0.0.1:1/cb',
    'com.example.app:/127.0.0.1:1',
  ])('%j is none', (url) => {
    expect(withoutLoopbackPort(url)).toBeNull();
  });

  test('is the same for two URLs only if they differ in nothing else', () => {
    const host = fc.constantFrom('127.0.0.1', '127.0.0.2', '[::1]', 'localhost', 'app.example');
    const path = fc.constantFrom('', '/', '/cb', '/cb?a=b', '/:1', '?a=:1');
    const port = fc.constantFrom('', ':1', ':80', ':65535');
    const parts = fc.tuple(host, path, port, port, host, path);
    fc.assert(
      fc.property(parts, ([oneHost, onePath, onePort, otherPort, otherHost, otherPath]) => {
        const one = withoutLoopbackPort(`http://${oneHost}${onePort}${onePath}`);
        const other = withoutLoopbackPort(`http://${otherHost}${otherPort}${otherPath}`);
        expect(one !== null).toBe(!/[a-z]/.test(oneHost));
        if (one !== null) expect(one === other).toBe(oneHost === otherHost && onePath === otherPath);
      }),
    );
  });
});
