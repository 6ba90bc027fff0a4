import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { GatewayRequest, GatewayResponse } from '../../../../gateway/exchange.ts';
import { minute, second, setClock } from '../../../../lib/clock.ts';

process.env.SECRET_KEY = 'the secret key that all gateways of a pool have';
const { browserOf, flowProblem, openFlow, readFlow } = await import('../../../../gateway/pages/flow.ts');
const { sign } = await import('../../../../lib/signature.ts');

const start = new Date('2026-11-21T12:00:00.000Z');
let instant = start;
let putBack: () => void;

beforeEach(() => {
  instant = start;
  putBack = setClock(() => instant);
});
afterEach(() => putBack());

/** A request of a browser with this cookie, and its answer. */
function exchange(browser?: string): { request: GatewayRequest; response: GatewayResponse; cookies: string[] } {
  const cookies: string[] = [];
  const headers = browser === undefined ? {} : { cookie: `platform_browser=${browser}` };
  const response = {
    getHeader: () => undefined,
    setHeader: (_name: string, cookie: string) => cookies.push(cookie),
  };
  return { request: { headers } as GatewayRequest, response: response as unknown as GatewayResponse, cookies };
}

function open(kind = 'login', data: Record<string, string | null> = {}): { browser: string; token: string } {
  const { request, response, cookies } = exchange();
  const token = openFlow(request, response, kind, data);
  return { browser: /^platform_browser=([^;]+)/.exec(cookies[0]!)![1]!, token };
}

describe('the token of a form', () => {
  test('gives back what it was opened with, to the same browser', () => {
    const { browser, token } = open('login', { returnTo: '/ä?b=c', none: null });
    expect(readFlow(exchange(browser).request, 'login', token)).toEqual({ returnTo: '/ä?b=c', none: null });
  });

  test('is good for 15 minutes', () => {
    const { browser, token } = open();
    const read = (milliseconds: number) => {
      instant = new Date(start.getTime() + milliseconds);
      return readFlow(exchange(browser).request, 'login', token);
    };
    expect(read(15 * minute)).toEqual({});
    expect(read(15 * minute + 1)).toBeNull();
    // The clock of another gateway may be a little behind, but not by minutes.
    expect(read(-30 * second)).toEqual({});
    expect(read(-2 * minute)).toBeNull();
  });

  test('is no good for another kind of form, another browser or none', () => {
    const { browser, token } = open('login');
    expect(readFlow(exchange(browser).request, 'registration', token)).toBeNull();
    expect(readFlow(exchange(open().browser).request, 'login', token)).toBeNull();
    expect(readFlow(exchange().request, 'login', token)).toBeNull();
  });

  test('is no good once any character of it is another', () => {
    const { browser, token } = open('login', { returnTo: '/account' });
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...'Aa0_-.='), (index, character) => {
        const changed = token.slice(0, index) + character + token.slice(index + 1);
        fc.pre(changed !== token);
        expect(readFlow(exchange(browser).request, 'login', changed)).toBeNull();
      }),
    );
  });

  test('is no good when it is anything at all', () => {
    const { browser } = open();
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(readFlow(exchange(browser).request, 'login', text)).toBeNull();
      }),
    );
  });

  test('is no good with a signature that was made for another purpose', () => {
    const { browser, token } = open();
    const [text] = token.split('.');
    expect(readFlow(exchange(browser).request, 'login', `${text}.${sign('mail', `${browser} ${text}`)}`)).toBeNull();
  });

  test('says what is wrong in words', () => {
    const { browser } = open();
    const problem = (cookie?: string) => flowProblem(exchange(cookie).request, 'login', {});
    expect(problem(browser)).toBe('This page was open for too long. Try again.');
    expect(problem()).toMatch(/cookie/);
  });
});

describe('the name of a browser', () => {
  test('is 128 random bits, set once', () => {
    const { request, response, cookies } = exchange();
    const browser = browserOf(request, response);
    expect(Buffer.from(browser, 'base64url')).toHaveLength(16);
    expect(browserOf(request, response)).toBe(browser);
    expect(cookies).toEqual([expect.stringMatching(/; Path=\/; HttpOnly; SameSite=Lax/)]);
    expect(browserOf(exchange().request, exchange().response)).not.toBe(browser);
  });

  test('stays what it is, unless it is none of ours', () => {
    const { browser } = open();
    const known = exchange(browser);
    expect(browserOf(known.request, known.response)).toBe(browser);
    expect(known.cookies).toEqual([]);
    const odd = exchange('x');
    expect(browserOf(odd.request, odd.response)).not.toBe('x');
    expect(odd.cookies).toHaveLength(1);
  });
});
