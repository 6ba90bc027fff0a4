import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { day, minute, second, setClock } from '../../../lib/data/clock.ts';
import { type Browser, browserIdOf, browserOf, type PageCookie } from '../../../web/browser.ts';
import { anyCodePoint } from '../../support/code-points.ts';

process.env.SECRET_KEY = 'the secret key that all gateways of a pool have';
const { flowProblem, openFlow, readFlow } = await import('../../../web/flow.ts');
const { sign } = await import('../../../lib/security/encryption.ts');

const start = new Date('2026-11-21T12:00:00.000Z');
let instant = start;
let putBack: () => void;

beforeEach(() => {
  instant = start;
  putBack = setClock(() => instant);
});
afterEach(() => putBack());

/** A browser with this cookie, and the cookies that it is given. */
function visit(cookie?: string): { browser: Browser; cookies: PageCookie[] } {
  const cookies: PageCookie[] = [];
  const meta = { id: browserIdOf(cookie), sessionTokenHash: null, device: null, isThisMachine: false };
  return { browser: browserOf(meta, (set) => cookies.push(set)), cookies };
}

function open(kind = 'login', data: Record<string, string | null> = {}): { id: string; token: string } {
  const { browser, cookies } = visit();
  const token = openFlow(browser, kind, data);
  return { id: cookies[0]!.value, token };
}

describe('the token of a form', () => {
  test('gives back what it was opened with, to the same browser', () => {
    const { id, token } = open('login', { returnTo: '/ä?b=c', none: null });
    expect(readFlow(visit(id).browser, 'login', token)).toEqual({ returnTo: '/ä?b=c', none: null });
  });

  test('is good for 15 minutes', () => {
    const { id, token } = open();
    const read = (milliseconds: number) => {
      instant = new Date(start.getTime() + milliseconds);
      return readFlow(visit(id).browser, 'login', token);
    };
    expect(read(15 * minute)).toEqual({});
    expect(read(15 * minute + 1)).toBeNull();
    // The clock of another gateway may be a little behind, but not by minutes.
    expect(read(-30 * second)).toEqual({});
    expect(read(-2 * minute)).toBeNull();
  });

  test('is no good for another kind of form, another browser or none', () => {
    const { id, token } = open('login');
    expect(readFlow(visit(id).browser, 'registration', token)).toBeNull();
    expect(readFlow(visit(open().id).browser, 'login', token)).toBeNull();
    expect(readFlow(visit().browser, 'login', token)).toBeNull();
  });

  test('is no good once any character of it is another', () => {
    const { id, token } = open('login', { returnTo: '/account' });
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...'Aa0_-.='), (index, character) => {
        const changed = token.slice(0, index) + character + token.slice(index + 1);
        fc.pre(changed !== token);
        expect(readFlow(visit(id).browser, 'login', changed)).toBeNull();
      }),
    );
  });

  test('is no good when it is anything at all', () => {
    const { id } = open();
    fc.assert(
      fc.property(fc.string({ unit: anyCodePoint }), (text) => {
        expect(readFlow(visit(id).browser, 'login', text)).toBeNull();
      }),
    );
  });

  test('is no good with a signature that was made for another purpose', () => {
    const { id, token } = open();
    const [text] = token.split('.');
    expect(readFlow(visit(id).browser, 'login', `${text}.${sign('mail', `${id} ${text}`)}`)).toBeNull();
  });

  test('says what is wrong in words', () => {
    const { id } = open();
    const problem = (cookie?: string) => flowProblem(visit(cookie).browser, 'login', {});
    expect(problem(id)).toBe('This page was open for too long. Try again.');
    expect(problem()).toMatch(/cookie/);
  });
});

describe('the id of a browser', () => {
  test('is 128 random bits, set once', () => {
    const { browser, cookies } = visit();
    const id = browser.requireId();
    expect(Buffer.from(id, 'base64url')).toHaveLength(16);
    expect(browser.requireId()).toBe(id);
    expect(cookies).toEqual([
      { name: 'browser', value: id, expiresAt: new Date(start.getTime() + 30 * day).toISOString() },
    ]);
    expect(visit().browser.requireId()).not.toBe(id);
  });

  test('stays what it is, unless it is none of ours', () => {
    const { id } = open();
    const known = visit(id);
    expect(known.browser.requireId()).toBe(id);
    expect(known.cookies).toEqual([]);
    const odd = visit('x');
    expect(odd.browser.requireId()).not.toBe('x');
    expect(odd.cookies).toHaveLength(1);
  });
});

describe('the session of a browser', () => {
  test('begins and ends with its cookie', () => {
    const { browser, cookies } = visit();
    browser.signIn('token', new Date(start.getTime() + day));
    browser.signOut();
    expect(cookies).toEqual([
      { name: 'session', value: 'token', expiresAt: '2026-11-22T12:00:00.000Z' },
      { name: 'session', value: '', expiresAt: '1970-01-01T00:00:00.000Z' },
    ]);
  });
});
