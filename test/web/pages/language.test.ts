import { describe, expect, test } from '@jest/globals';
import { expectRedirect, newVisitor } from '../../support/pages.ts';
import { newUserClient } from '../../support/user-client.ts';

const german = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' };
const choose = '/self-service/language';
const login = '/self-service/login/browser';
const html = { accept: 'text/html' };

/** The language that a page says it is in. */
const languageIn = ({ text }: { text: string }): string | undefined => /<html lang="(\w+)"/.exec(text)?.[1];

describe('the language of pages', () => {
  test.each([login, '/', '/self-service/registration/browser', '/nowhere', '/oauth2/authorize', '/console/x'])(
    'of %s is that of the browser, else English',
    async (path) => {
      const visitor = await newVisitor();
      const shown = async (headers: Record<string, string>) => {
        const page = await visitor.get(path, { ...html, ...headers });
        return languageIn(page.status === 303 ? await visitor.get(String(page.headers.location), headers) : page);
      };
      expect(await shown(german)).toBe('de');
      expect(await shown({ 'accept-language': 'fr' })).toBe('en');
      expect(await shown({})).toBe('en');
    },
  );

  test('is what a visitor chose, on the page that they chose it on', async () => {
    const visitor = await newVisitor();
    const page = await visitor.get(`${login}?return_to=/account`, german);
    expect(page.text).toContain(`<form method="post" action="${choose}"><button`);
    const referer = `${visitor.url}${login}?return_to=/account`;
    expectRedirect(await visitor.post(choose, { language: 'en' }, { referer }), `${login}?return_to=/account`);
    expect(languageIn(await visitor.get(login, german))).toBe('en');
    expectRedirect(await visitor.post(choose, { language: 'de' }), '/account');
    expect(languageIn(await visitor.get(login))).toBe('de');
    for (const language of ['', 'fr', '"><i>']) {
      await visitor.post(choose, { language: 'de' });
      expectRedirect(await visitor.post(choose, { language }), '/account');
      expect(languageIn(await visitor.get(login))).toBe('en');
    }
  });

  test('is not chosen by another site', async () => {
    const visitor = await newVisitor();
    const answer = await visitor.post(choose, { language: 'de' }, { origin: 'https://evil.example' });
    expect([answer.status, visitor.cookies.has('platform_language')]).toEqual([403, false]);
  });

  test('follows a user to other browsers once they chose it', async () => {
    const user = await newUserClient();
    const language = async () => {
      const me = await user.call('identity.me.read', {});
      return me.type === 'user' && me.language;
    };
    expect(await language()).toBe(null);
    const visitor = await newVisitor(user.sessionToken);
    await visitor.post(choose, { language: 'de' });
    expect(await language()).toBe('de');
    const other = await newVisitor();
    const fields = { email: user.email, password: user.password };
    expectRedirect(await other.postFrom(login, '/self-service/login', fields), '/console');
    expect(languageIn(await other.get('/account'))).toBe('de');
    await other.postFrom('/account', '/account', { language: '' });
    expect(await language()).toBe(null);
    expect(languageIn(await other.get('/account'))).toBe('en');
    const refused = await other.postFrom('/account', '/account', { language: 'fr' });
    expect([refused.status, await language()]).toEqual([400, null]);
  });
});
