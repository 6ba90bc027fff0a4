import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { type Answer, send } from '../../support/http.ts';
import { mailboxCookie, mailboxToken } from '../../support/mailbox.ts';
import { type SharedPlatform, sharedPlatform } from '../../support/shared-platform.ts';
import { databaseUrlOf } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { decodeEntities } from '../../support/user-agent.ts';
import { askPlatform, type SystemMail } from './ask-platform.ts';

let platform: SharedPlatform;
let keeper: { databaseUrl: string; dataDir: string };

beforeAll(async () => {
  platform = await sharedPlatform();
  keeper = { dataDir: platform.dataDir, databaseUrl: await databaseUrlOf(platform) };
});

const read = (path: string): Promise<Answer> =>
  send(platform.url, { path, headers: { cookie: mailboxCookie(platform) } });

describe('the mailbox for development', () => {
  test('lists what was mailed, the newest first', async () => {
    const [first, second] = [`${newId('req')}@example.com`, `${newId('req')}@example.com`];
    await askPlatform(keeper, { to: first });
    await askPlatform(keeper, { to: second });
    const { status, headers, text } = await read('/dev/mailbox');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(text.indexOf(second)).toBeGreaterThan(0);
    expect(text.indexOf(first)).toBeGreaterThan(text.indexOf(second));
    expect(text).toContain('Choose a new password');
    expect(text).toMatch(/<time datetime="\d{4}-/);
    expect(text).toContain('This mailbox is for development.');
    expect(text).not.toContain('s3cr3t');
  });

  test('shows the mails to one address alone, and says where there are none', async () => {
    const [wanted, other] = [`${newId('req')}@example.com`, `${newId('req')}@example.com`];
    await askPlatform(keeper, { to: wanted });
    await askPlatform(keeper, { to: other });
    const found = await read(`/dev/mailbox?to=${wanted}`);
    expect(found.text).toContain(`<td>${wanted}</td>`);
    expect(found.text).toContain(`value="${wanted}"`);
    expect(found.text).not.toContain(other);
    const begun = await read(`/dev/mailbox?to=${wanted.slice(0, 20).toUpperCase()}`);
    expect(begun.text).toContain(`<td>${wanted}</td>`);
    expect(begun.text).not.toContain(other);
    expect((await read('/dev/mailbox?to=a&to=b')).status).toBe(200);
    const none = await read(`/dev/mailbox?to=${encodeURIComponent('"><b>')}`);
    expect(none.text).toContain('No email to &quot;&gt;&lt;b&gt;.');
  });

  test('leads on to older mails', async () => {
    const to = `${newId('req')}@example.com`;
    const first = await askPlatform(keeper, { to });
    for (let mails = 0; mails < 50; mails += 1) await askPlatform(keeper, { to });
    const newest = await read(`/dev/mailbox?to=${to}`);
    expect(newest.text).not.toContain(first);
    const older = decodeEntities(/href="([^"]*before=[^"]*)"/.exec(newest.text)![1]!);
    const { text } = await read(older);
    expect(text.match(/<tr>/g)).toHaveLength(2);
    expect(text).toContain(first);
    expect(text).not.toContain('before=');
  });

  test('shows a mail as text, with links to follow', async () => {
    const link = 'https://mugs.example/recover?token=abc&x=1';
    const id = await askPlatform(keeper, { variables: { link } } as Partial<SystemMail>);
    const { status, text } = await read(`/dev/mailbox/${id}`);
    expect(status).toBe(200);
    const escaped = link.replace('&', '&amp;');
    expect(text).toContain(`<a href="${escaped}">${escaped}</a>`);
    expect(text).toContain(`<a href="/dev/mailbox/${id}/html">`);
    expect(text).toContain('This mailbox is for development.');
    const bracketed = { template: 'login-email-changed', variables: { newEmail: `[${link}]` } } as Partial<SystemMail>;
    const other = await read(`/dev/mailbox/${await askPlatform(keeper, bracketed)}`);
    expect(other.text).toContain(`[<a href="${escaped}">${escaped}</a>],`);
  });

  test('shows a mail as HTML, shut off from the pages of the platform', async () => {
    const id = await askPlatform(keeper);
    const { status, headers, text } = await read(`/dev/mailbox/${id}/html`);
    expect(status).toBe(200);
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).toContain('s3cr3t');
    expect(text).toMatch(/<base target="_blank">$/);
    const policy = headers['content-security-policy'];
    expect(policy).toMatch(/default-src 'none'.*; sandbox /);
    expect(policy).not.toMatch(/allow-scripts|allow-same-origin|script-src/);
    expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
  });

  test('escapes what others have written', async () => {
    const name = '<script>alert(1)</script>';
    const variables = { link: 'https://mugs.example/', organizationName: name, inviterName: name, role: 'admin' };
    const id = await askPlatform(keeper, { template: 'invitation', variables } as Partial<SystemMail>);
    const pages = await Promise.all(['', `/${id}`, `/${id}/html`].map((rest) => read(`/dev/mailbox${rest}`)));
    for (const { status, text } of pages) {
      expect(status).toBe(200);
      expect(text).toContain('&lt;script&gt;');
      expect(text).not.toContain('<script');
    }
  });

  test('counts as sent what is in it', async () => {
    const id = await askPlatform(keeper);
    const { default: mongoose } = await import('mongoose');
    await eventually(async () => {
      const stored = await mongoose.connection.collection('mail_messages').findOne({ _id: id as never });
      expect(stored).toMatchObject({ status: 'sent', attempts: 1 });
    });
  });

  test.each(['/dev/mailbox/msg_00000000000000000000000000', '/dev/mailbox/nothing', '/dev/mailbox/nothing/html'])(
    'has a page of its own for %s, which is not there',
    async (path) => {
      const { status, headers, text } = await read(path);
      expect({ status, type: headers['content-type'] }).toEqual({ status: 404, type: 'text/html; charset=utf-8' });
      expect(text).toContain('Not found');
    },
  );

  test('opens with the token that the start prints, which the browser keeps, and with no other', async () => {
    const id = await askPlatform(keeper);
    const paths = ['/dev/mailbox', `/dev/mailbox/${id}`, `/dev/mailbox/${id}/html`, '/dev/mailbox/notifications'];
    const token = mailboxToken(platform);
    for (const path of paths) {
      const wrong = ['', '?token=', '?token=guess', `?token=${token}x`, `?token=${token}&token=${token}`];
      for (const query of wrong) {
        const { status, text } = await send(platform.url, { path: `${path}${query}` });
        expect({ path, query, status }).toEqual({ path, query, status: 403 });
        expect(text).toContain('prints the link');
        expect(text).not.toContain('s3cr3t');
      }
      const opened = await send(platform.url, { path: `${path}?token=${token}` });
      expect(opened.status).toBe(200);
      expect(opened.headers['set-cookie']).toEqual([expect.stringContaining(`platform_mailbox=${token}; `)]);
      expect((await read(path)).status).toBe(200);
      const guessed = await send(platform.url, { path, headers: { cookie: 'platform_mailbox=guess' } });
      expect(guessed.status).toBe(403);
    }
  });

  test('takes nothing', async () => {
    const { status } = await send(platform.url, { method: 'POST', path: '/dev/mailbox' });
    expect(status).toBe(405);
  });
});
