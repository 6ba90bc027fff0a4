import { describe, expect, test } from '@jest/globals';
import { expectPage, expectRedirect, flowOf, newVisitor } from '../../support/pages.ts';
import { newUserClient } from '../../support/user-client.ts';

const form = '/self-service/logout/browser';
const action = '/self-service/logout';
const loggedOut = '/self-service/login/browser?notice=logged-out';

describe('logging out', () => {
  test('asks first, then ends the session and drops the cookie', async () => {
    const user = await newUserClient();
    const visitor = await newVisitor(user.sessionToken);
    expectPage(await visitor.get(form), 200, /You will be logged out/);
    expect((await user.attempt('identity.me.read', {})).status).toBe(200);
    expectRedirect(await visitor.postFrom(form, action), loggedOut);
    expect(visitor.cookies.has('platform_session')).toBe(false);
    expect((await user.attempt('identity.me.read', {})).status).toBe(401);
    expectPage(await visitor.get(loggedOut), 200, /You are logged out/);
  });

  test('leads to an address that is allowed, at once without a session', async () => {
    const { sessionToken } = await newUserClient();
    const visitor = await newVisitor(sessionToken);
    expectRedirect(await visitor.postFrom(form, `${action}?return_to=/docs`), `${visitor.url}/docs`);
    expectRedirect(await visitor.get(`${form}?return_to=/docs`), `${visitor.url}/docs`);
    expectRedirect(await visitor.get(form), loggedOut);
  });

  test('leads to no other', async () => {
    const user = await newUserClient();
    const visitor = await newVisitor(user.sessionToken);
    for (const path of [form, action]) {
      const address = `${path}?return_to=${encodeURIComponent('//evil.example')}`;
      const answer = path === form ? await visitor.get(address) : await visitor.postFrom(form, address);
      expectPage(answer, 400, /address to return to/);
    }
    expect((await user.attempt('identity.me.read', {})).status).toBe(200);
  });

  test.each([
    ['a stale form', { flow: 'x.y' }, {}, 400],
    ['no form at all', {}, {}, 400],
    ['a form from another site', {}, { origin: 'https://evil.example' }, 403],
  ])('does not happen by %s', async (_name, fields, headers, status) => {
    const user = await newUserClient();
    const visitor = await newVisitor(user.sessionToken);
    const flow = flowOf(await visitor.get(form));
    const all = status === 403 ? { flow } : (fields as Record<string, string>);
    expectPage(await visitor.post(action, all, headers as Record<string, string>), status);
    expect((await user.attempt('identity.me.read', {})).status).toBe(200);
  });
});
