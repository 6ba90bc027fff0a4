import { describe, expect, test } from '@jest/globals';
import type { HttpRequest, HttpResponse } from '../../../http/request.ts';
import { browserAt } from '../../../http/send-page.ts';

/** A request of a browser with this cookie, and the cookies of its answer. */
function exchange(cookie?: string): { request: HttpRequest; response: HttpResponse; cookies: string[] } {
  const cookies: string[] = [];
  const response = {
    getHeader: () => undefined,
    setHeader: (_name: string, line: string) => cookies.push(line),
  };
  const socket = { remoteAddress: '127.0.0.1' };
  const request = { socket, headers: cookie === undefined ? {} : { cookie } };
  return { request: request as HttpRequest, response: response as unknown as HttpResponse, cookies };
}

describe('the cookies of a page', () => {
  test('are for this host alone, and not for scripts', () => {
    const { request, response, cookies } = exchange();
    const browser = browserAt(request, response);
    browser.signIn('token', new Date('2026-11-22T12:00:00.000Z'));
    browser.signOut();
    const id = browser.requireId();
    expect(cookies).toEqual([
      'platform_session=token; Path=/; HttpOnly; SameSite=Lax; Expires=Sun, 22 Nov 2026 12:00:00 GMT',
      'platform_session=; Path=/; HttpOnly; SameSite=Lax; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      expect.stringMatching(`^platform_browser=${id}; Path=/; HttpOnly; SameSite=Lax; Expires=`),
    ]);
  });

  test('tell the browser that sent them', () => {
    const id = 'AAAAAAAAAAAAAAAAAAAAAA';
    const { request, response, cookies } = exchange(`platform_browser=${id}; platform_session=token`);
    const browser = browserAt(request, response);
    expect(browser.requireId()).toBe(id);
    expect(browser.sessionTokenHash).toMatch(/^[0-9a-f]{64}$/);
    expect(cookies).toEqual([]);
  });
});
