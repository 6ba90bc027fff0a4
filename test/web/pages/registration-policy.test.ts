import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { UserDocument } from '../../../models/identity/user.ts';
import type { Client } from '../../support/client.ts';
import { newOperatorClientOf } from '../../support/operators.ts';
import {
  expectPage,
  expectRedirect,
  flowOf,
  mailedLink,
  type Visitor,
  visitorOf,
  wordsOf,
} from '../../support/pages.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';
import type { User } from '../../support/user-client.ts';
import { insertUser } from '../../support/users.ts';

/* The pages for an account where registration is limited. The policy counts for a whole platform: one of the file's own. */

const form = '/self-service/registration/browser';
const action = '/self-service/registration';
const confirmation = '/self-service/registration/confirm';
const area = '/operator/console/registration';
const password = 'several words in a row';
const closed = /^Accounts are by invitation .*need an invitation.*ask an owner or admin of your organization/;

let platform: Platform;
let databaseUrl: string;
let operator: Client & User;
let slug: string;

beforeAll(async () => {
  platform = await startPlatform({ env: { DEV_MAILBOX: 'yes' } });
  databaseUrl = await databaseUrlOf(platform);
  operator = await newOperatorClientOf(platform);
  slug = `a${randomBytes(6).toString('hex')}`;
  await operator.call('identity.organizations.create', { body: { name: 'Mugs', slug } });
});
afterAll(() => platform.stop());

const newEmail = (domain = 'example.com'): string => `${randomBytes(8).toString('hex')}@${domain}`;
const newVisitor = (): Visitor => visitorOf(platform.url);
const limit = (mode: 'open' | 'invitation' | 'domains', domains: string[] = []) =>
  operator.call('identity.operator.registration.update', { body: { mode, domains } });
const invite = (email: string) =>
  operator.call('identity.invitations.create', { path: { slug }, body: { email, role: 'member' } });
const inDatabase = (collection: string, filter: object) =>
  withDatabase(databaseUrl, (database) => database.collection<UserDocument>(collection).countDocuments(filter));
const accounts = (email: string) => inDatabase('identity_users', { email });

/** Registers while everyone may, and gives the link in the mail. */
async function register(visitor: Visitor, email: string): Promise<string> {
  await limit('open');
  expectPage(await visitor.postFrom(form, action, { email, password }), 200, /Check your email/);
  return mailedLink(email, confirmation, platform);
}

describe('where accounts are by invitation', () => {
  test('no page offers to create one', async () => {
    await limit('invitation');
    const visitor = newVisitor();
    const front = await visitor.get('/', { accept: 'text/html' });
    expectPage(front, 200, /New accounts need an invitation/);
    const login = await visitor.get('/self-service/login/browser');
    expectPage(login, 200, /Forgot password/);
    const page = await visitor.get(`${form}?return_to=%2Faccount`);
    expectPage(page, 403, closed);
    expect(page.text).toContain('href="/self-service/login/browser?return_to=%2Faccount"');
    for (const { text } of [front, login, page]) expect(text).not.toMatch(/self-service\/registration/);
    await limit('open');
    expect((await visitor.get('/self-service/login/browser')).text).toContain(form);
  });

  test('a form that was opened before is refused, with the same words for every address', async () => {
    await limit('open');
    const visitor = newVisitor();
    const flow = flowOf(await visitor.get(form));
    const [unknown, invited, { email: known }] = [newEmail(), newEmail(), await insertUser(databaseUrl)];
    await invite(invited);
    await limit('invitation');
    for (const email of [unknown, invited, known]) {
      expectPage(await visitor.post(action, { flow, email, password }), 403, closed);
      expect(await inDatabase('identity_mailed_tokens', { email, kind: 'registration' })).toBe(0);
    }
  });

  test('an invitation still makes an account', async () => {
    await limit('invitation');
    const email = newEmail();
    await invite(email);
    const link = await mailedLink(email, '/self-service/invitations/accept', platform);
    const visitor = newVisitor();
    const path = link.replace('accept?', 'accept/register?');
    expectRedirect(await visitor.postFrom(link, path, { email, password }), '/console?done=accepted');
    expect(await accounts(email)).toBe(1);
  });

  test('a link that was mailed before waits until registration is open again', async () => {
    const [visitor, email] = [newVisitor(), newEmail()];
    const link = await register(visitor, email);
    const flow = flowOf(await visitor.get(link));
    await limit('invitation');
    expectPage(await visitor.get(link), 403, closed);
    expectPage(await visitor.post(link, { flow }), 403, closed);
    expect(await accounts(email)).toBe(0);
    await limit('open');
    expectRedirect(await visitor.post(link, { flow }), '/console');
    expect(await accounts(email)).toBe(1);
  });

  test('a link that was mailed before works for an address that is invited, as long as the invitation is open', async () => {
    const [visitor, email] = [newVisitor(), newEmail()];
    const link = await register(visitor, email);
    const { id } = await invite(email);
    await limit('invitation');
    expectPage(await visitor.get(link), 200, /Confirm/);
    await operator.call('identity.invitations.revoke', { path: { slug, invitationId: id } });
    expectPage(await visitor.get(link), 403, closed);
    await invite(email);
    expectRedirect(await visitor.postFrom(link, link), '/console');
  });
});

describe('where accounts are for some domains', () => {
  test('an address of one registers, and another is refused, known or not', async () => {
    await limit('domains', ['acme.example', 'bücher.example']);
    const visitor = newVisitor();
    expectPage(await visitor.get(form), 200, /Use the email address of your organization/);
    expect((await visitor.get('/', { accept: 'text/html' })).text).toContain(form);
    expect((await visitor.get('/self-service/login/browser')).text).toContain(form);
    for (const email of [newEmail('ACME.example'), newEmail('bücher.example')]) {
      expectPage(await visitor.postFrom(form, action, { email, password }), 200, /Check your email/);
    }
    const { email: known } = await insertUser(databaseUrl);
    const answers = [];
    for (const email of [newEmail(), known, newEmail('sub.acme.example'), newEmail('notacme.example')]) {
      const answer = await visitor.postFrom(form, action, { email, password });
      expectPage(answer, 403, /need an invitation, or an address of a domain that the operator allows/);
      expect(answer.text).toContain(`value="${email}"`);
      expect(await inDatabase('identity_mailed_tokens', { email })).toBe(0);
      answers.push(wordsOf(answer));
    }
    expect(new Set(answers).size).toBe(1);
  });

  test('a link that was mailed before is for these domains too', async () => {
    const [visitor, email] = [newVisitor(), newEmail('acme.example')];
    const link = await register(visitor, email);
    await limit('domains', ['other.example']);
    expectPage(await visitor.get(link), 403, closed);
    await limit('domains', ['acme.example']);
    expectRedirect(await visitor.postFrom(link, link), '/console');
  });
});

describe('the page of operators', () => {
  const opened = () => visitorOf(platform.url, operator.sessionToken);
  const read = () => operator.call('identity.operator.registration.read', {});

  test('changes who can create an account', async () => {
    await limit('open');
    const visitor = opened();
    expectPage(await visitor.get(area), 200, /Registration Who can create an account.*Everyone.*Invited people only/);
    const typed = 'Acme.example,\r\n bücher.example\r\n';
    expectRedirect(await visitor.postFrom(area, area, { mode: 'domains', domains: typed }), `${area}?done=saved`);
    expect(await read()).toEqual({ mode: 'domains', domains: ['acme.example', 'xn--bcher-kva.example'] });
    const page = await visitor.get(`${area}?done=saved`);
    expectPage(page, 200, /Changes saved\..*acme\.example xn--bcher-kva\.example/);
    expect(page.text).toContain('value="domains" checked');
  });

  test.each([
    [{ mode: 'domains', domains: '' }, 400, /Must have at least one domain/],
    [
      { mode: 'domains', domains: 'acme.example "><script>alert(1)</script>' },
      400,
      /"><script>alert\(1\)<\/script>: Must be a domain/,
    ],
    [{ mode: 'closed', domains: '' }, 400, /Choose who can create an account/],
    [{ domains: '' }, 400, /Choose who can create an account/],
    [{ mode: 'open', domains: '', flow: 'x' }, 400, /Registration/],
    [{ mode: 'open', others: '1' }, 400, /others/],
  ])('refuses %j and changes nothing', async (fields, status, words) => {
    await limit('invitation', ['acme.example']);
    const answer = await opened().postFrom(area, area, fields as Record<string, string>);
    expectPage(answer, status, words);
    expect(await read()).toEqual({ mode: 'invitation', domains: ['acme.example'] });
  });

  test('is unknown to other users', async () => {
    await limit('invitation');
    const user = await insertUser(databaseUrl);
    const visitor = visitorOf(platform.url, user.sessionToken);
    expectPage(await visitor.get(area), 404, /Page not found/);
    expectPage(await visitor.postFrom('/account', area, { mode: 'open' }), 404, /Page not found/);
    expect(await read()).toMatchObject({ mode: 'invitation' });
  });
});
