import { beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import { assigned, makeRole } from '../../integration/access/assigning.ts';
import type { Client } from '../../support/client.ts';
import { expectPage, expectRedirect, flowOf, newVisitor, type Visitor, wordsOf } from '../../support/pages.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { slugOf, type Tenant } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { decodeEntities } from '../../support/user-agent.ts';
import { newUserClient, type User } from '../../support/user-client.ts';

type Person = Client & User;

let tenant: Client & Tenant;
let owner: Person;
let admin: Person;
let browser: Visitor;
let list: string;
let slug: string;

beforeAll(async () => {
  tenant = await newTenantClient();
  owner = await newUserClient({ orgId: tenant.orgId });
  admin = await join('admin');
  browser = await newVisitor(owner.sessionToken);
  slug = slugOf(tenant.orgId);
  list = `/console/${slug}/users`;
});

const join = (role: 'owner' | 'admin' | 'member'): Promise<Person> => newUserClient({ orgId: tenant.orgId, role });
const pageOf = ({ userId }: { userId: string }, more = '') => `${list}/${userId}${more}`;
const read = ({ userId }: { userId: string }) => tenant.call('identity.users.read', { path: { userId }, query: {} });
/** Posts a form of a user's page. */
const post = (who: Visitor, user: User, act: string, fields: Record<string, string> = {}) =>
  who.postFrom(pageOf(user), pageOf(user, `/${act}`), fields);
/** The number of audit records that have a user as actor or target. */
async function countRecords({ userId }: User): Promise<number> {
  const filters = [{ actorId: userId }, { targetId: userId }];
  const pages = await Promise.all(
    filters.map((filter) => tenant.call('identity.audit.list', { path: { slug }, query: { limit: '100', ...filter } })),
  );
  return new Set(pages.flatMap(({ data }) => data.map(({ id }) => id))).size;
}
const countOf = (text: string, part: string): number => text.split(part).length - 1;

describe('the list of users', () => {
  test('shows members with role, state and last login, each with a link, and finds them by one box', async () => {
    const member = await join('member');
    const name = '<b>Zoë</b> ‮مطبعة 😀';
    await member.call('identity.me.update', { body: { displayName: name } });
    const page = await browser.get(list);
    expectPage(page, 200, /^Users .*Name Email Role State Last login Created/);
    expect(wordsOf(page)).toContain(name);
    expect(page.text).not.toContain('<b>Zoë');
    expect(page.text).toContain(`href="${pageOf(member)}"`);
    expect(page.text).toContain(`href="/console/${slug}/invitations"`);
    for (const search of [member.userId, member.email, member.email.slice(0, 8), 'ZOE']) {
      const found = await browser.get(`${list}?search=${encodeURIComponent(search)}`);
      expectPage(found, 200, /Clear filters/);
      expect([countOf(found.text, 'class="name"'), found.text.includes(pageOf(member))]).toEqual([1, true]);
      expect(found.text).not.toContain('aria-sort');
    }
    const none = await browser.get(`${list}?search=${encodeURIComponent('"><i>x')}`);
    expectPage(none, 200, /No users found Nothing matches "><i>x/);
    expect(none.text).not.toContain('<i>x');
  });

  test('is sorted by its headings, and says what is wrong with an address that was changed by hand', async () => {
    const page = await browser.get(list);
    expect(decodeEntities(page.text)).toMatch(/aria-sort="descending"><a href="[^"]*\?order=asc">Created/);
    const sorted = await browser.get(`${list}?sort=lastLoginAt&order=asc`);
    expect(decodeEntities(sorted.text)).toMatch(/aria-sort="ascending"><a href="[^"]*\?sort=lastLoginAt">Last login/);
    expectPage(await browser.get(`${list}?cursor=x`), 400, /cursor is not one/);
    expectPage(await browser.get(`${list}?search=${'a'.repeat(201)}`), 400, /200 characters/);
  });

  test('leaves out the columns that its address hides, in a search and its other order too', async () => {
    const shown = ['email', 'role'].map((column) => `column=${column}`).join('&');
    const chosen = await browser.get(`${list}?order=asc&columns=email.role.login.created&${shown}`);
    const hidden = `${list}?order=asc&hide=login.created`;
    expectRedirect(chosen, hidden);
    const page = await browser.get(`${hidden}.none`);
    expectPage(page, 200, /Columns, 2 hidden .*Show all .*Name Email Role State (?!Last login)/);
    expect(page.text).toContain('<input type="hidden" name="hide" value="login.created.none">');
    const byRole = await browser.get(`${list}?hide=role`);
    expect(decodeEntities(byRole.text)).toContain(`href="${list}?sort=lastLoginAt&hide=role"`);
    expect(decodeEntities(byRole.text)).toContain(`href="${list}?format=csv"`);
    expect(decodeEntities(byRole.text)).toContain(`action="${list}/bulk?hide=role"`);
    const found = await browser.get(`${list}?search=${encodeURIComponent(owner.email)}&hide=role`);
    expectPage(found, 200, /Name Email State Last login/);
  });

  test('is of its organization alone, and only for members who may read users', async () => {
    const other = await newVisitor((await newUserClient()).sessionToken);
    expect((await other.get(list)).status).toBe(404);
    const member = await newVisitor((await join('member')).sessionToken);
    expectPage(await member.get(list), 403, /lacks console\.users\.read/);
    const stranger = await newUserClient();
    for (const more of ['', '/access', '/sessions', '/messages', '/audit']) {
      expect((await browser.get(pageOf(stranger, more))).status).toBe(404);
    }
    expect((await browser.get(`${list}/${newId('usr')}`)).status).toBe(404);
    expect((await browser.get(`${list}/x`)).status).toBe(404);
  });
});

describe('the page of a user', () => {
  test('shows facts and contacts, the others than the login email shortened', async () => {
    const member = await join('member');
    await member.call('identity.contacts.create', { body: { type: 'phone', value: '+491701234542' } });
    const page = await browser.get(pageOf(member));
    expectPage(page, 200, /Member Active .*Overview Access Sessions Messages Audit .*Joined .*Contacts/);
    expect(wordsOf(page)).toContain('+49…42');
    expect(page.text).not.toContain('+491701234542');
    expect(page.text).toMatch(new RegExp(`<code class="id clip" id="user-id">${member.userId}</code>`));
  });

  test('changes the role, suspends, restores, mails a recovery link and removes', async () => {
    const member = await join('member');
    const page = pageOf(member);
    expectRedirect(await post(browser, member, 'role', { role: 'admin' }), `${page}?done=role`);
    expectPage(await browser.get(`${page}?done=role`), 200, /Role changed\./);
    expectRedirect(await post(browser, member, 'suspend'), `${page}?done=suspended`);
    expectPage(await browser.get(page), 200, /Suspended since .*End suspension/);
    expectPage(await browser.get(`${page}/access`), 200, /This member is suspended/);
    expectRedirect(await post(browser, member, 'restore'), `${page}?done=restored`);
    expect(await read(member)).toMatchObject({ role: 'admin' });
    expectRedirect(await post(browser, member, 'recovery'), `${page}?done=recovery`);
    expectPage(await browser.get(`${page}/audit`), 200, /changed the role of a member .*Member → Admin/);
    expectRedirect(await post(browser, member, 'remove'), `${list}?done=removed`);
    expect((await browser.get(page)).status).toBe(404);
  });

  test('shows why an act is refused, and changes nothing then', async () => {
    const before = await Promise.all([owner, admin].map(read));
    const asAdmin = await newVisitor(admin.sessionToken);
    expectPage(await post(browser, owner, 'suspend'), 409, /You can’t suspend yourself/);
    expectPage(await post(browser, owner, 'role', { role: 'admin' }), 409, /only owner/);
    expectPage(await post(browser, owner, 'remove'), 409, /only owner/);
    expectPage(await post(asAdmin, owner, 'suspend'), 403, /Only an owner/);
    expectPage(await post(asAdmin, admin, 'role', { role: 'owner' }), 403, /Only an owner/);
    expectPage(await post(browser, admin, 'role', { role: 'king' }), 400, /Check the marked field/);
    expectPage(await browser.post(pageOf(admin, '/remove'), { flow: 'x' }), 400, /open for too long/);
    expect(await Promise.all([owner, admin].map(read))).toEqual(before);
  });

  test('shows the audit records in which the user is actor or target, each once', async () => {
    const member = await join('member');
    for (let turn = 0; turn < 16; turn += 1) {
      const path = { slug, userId: member.userId };
      const role = turn % 2 === 0 ? 'admin' : 'member';
      await tenant.call('identity.members.update', { path, body: { role } });
      await member.call('identity.me.update', { body: { firstName: `Turn ${turn}` } });
    }
    const first = await browser.get(pageOf(member, '/audit'));
    const [, next] = /href="([^"]*)" rel="next"/.exec(first.text)!;
    const second = await browser.get(decodeEntities(next!));
    expect(second.text).not.toContain('rel="next"');
    const counts = [first, second].map(({ text }) => countOf(text, '<span class="pip">'));
    expect(counts).toEqual([30, (await countRecords(member)) - 30]);
    expect((await browser.get(`${pageOf(member, '/audit')}?cursor=x`)).status).toBe(400);
  });

  test('shows the mail of the organization to the login address, with links to it and to all of it', async () => {
    const member = await join('member');
    const page = pageOf(member, '/messages');
    expectPage(await browser.get(page), 200, /Messages .*No mail was sent to this user yet\./);
    const variables = [{ name: 'subject', required: true, sample: 'Order' }];
    const template = { name: 'Order', subject: '{{ subject }}', text: 'On its way.', variables };
    const send = async (client: Client, templateId: string, to: string, subject: string) =>
      (await client.call('mail.messages.send', { body: { to, templateId, variables: { subject } } })).messageId;
    const { id } = await tenant.call('mail.templates.create', { body: template });
    const sent = await send(tenant, id, member.email.toUpperCase(), '<i>Shipped</i>');
    const toAnother = await send(tenant, id, admin.email, 'Not theirs');
    const other = await newTenantClient();
    const ofOther = await other.call('mail.templates.create', { body: template });
    await send(other, ofOther.id, member.email, 'Of another organization');

    const shown = await eventually(async () => {
      const answer = await browser.get(page);
      expectPage(answer, 200, /Subject State Accepted <i>Shipped<\/i> .*Sent/);
      return answer;
    });
    expect(shown.text).not.toMatch(/<i>Shipped/);
    expect(wordsOf(shown)).not.toMatch(/Not theirs|another organization/);
    expect(shown.text).not.toContain(toAnother);
    expect(shown.text).toContain(`href="/console/${slug}/messages/${sent}"`);
    const [, all] = /<a class="btn sm" href="([^"]*)">All messages to this address/.exec(shown.text)!;
    expectPage(await browser.get(decodeEntities(all!)), 200, /<i>Shipped<\/i>/);
  });

  test('mails at most five recovery links an hour, and says when the next can be sent', async () => {
    const member = await join('member');
    for (let mail = 0; mail < 5; mail += 1) expect((await post(browser, member, 'recovery')).status).toBe(303);
    const refused = await post(browser, member, 'recovery');
    expectPage(refused, 429, /Try again in \d+ minutes/);
  });

  test('is without acts for a member who may only look, who is refused by the permission', async () => {
    const reader = await join('member');
    const roleId = await makeRole(tenant, ['console.users.read']);
    await assigned(tenant, { userId: reader.userId, roleId });
    const visitor = await newVisitor(reader.sessionToken);
    const page = await visitor.get(pageOf(admin));
    expectPage(page, 200, /Overview Sessions/);
    expect(page.text).not.toContain('data-confirm');
    expectPage(await visitor.get(pageOf(admin, '/audit')), 403, /lacks console\.audit\.read/);
    expectPage(await visitor.get(pageOf(admin, '/access')), 403, /lacks console\.access\.read/);
    // Members can leave, so their own page has a form.
    const flow = flowOf(await visitor.get(pageOf(reader)));
    for (const [act, permission] of [
      ['suspend', 'console.orgs.write'],
      ['remove', 'console.orgs.write'],
      ['recovery', 'console.users.write'],
      ['sessions/end-all', 'console.users.write'],
    ] as const) {
      const answer = await visitor.post(pageOf(admin, `/${act}`), { flow });
      expectPage(answer, 403, new RegExp(`lacks ${permission.replaceAll('.', '\\.')}`));
    }
    expectRedirect(await visitor.post(pageOf(reader, '/remove'), { flow }), '/console');
    expect((await browser.get(pageOf(reader))).status).toBe(404);
  });

  test('says what the user may do, and by which role', async () => {
    const page = pageOf(admin, '/access');
    const shown = await browser.get(page);
    expectPage(shown, 200, /Permissions .*storage\.delete .*Roles Admin/);
    expect(shown.text).toContain(`href="/console/${slug}/roles/role_admin"`);
    expectPage(
      await browser.get(`${page}?permission=storage.delete`),
      200,
      /Yes, .* has storage\.delete .*Admin Assigned role/,
    );
    expectPage(await browser.get(`${page}?permission=billing.write`), 200, /No, .* lacks billing\.write .*Owner/);
    const odd = await browser.get(`${page}?permission=${encodeURIComponent('"><i>')}`);
    expect(odd.status).toBeLessThan(500);
    expect(odd.text).not.toContain('"><i>');
  });

  test('ends one session or all of them', async () => {
    const member = await join('member');
    const page = pageOf(member, '/sessions');
    expectPage(await browser.get(page), 200, /Unknown device .*127\.0\.0\.1/);
    const end = (fields: Record<string, string>) => browser.postFrom(page, `${page}/end`, fields);
    expectPage(await end({ sessionId: newId('ses') }), 404, /no such session/);
    expectRedirect(await end({ sessionId: member.sessionId }), `${page}?done=session-ended`);
    expectPage(await browser.get(page), 200, /Not logged in anywhere/);
    expectRedirect(await browser.postFrom(pageOf(member), `${page}/end-all`), `${page}?done=sessions-ended`);
    const { status } = await member.attempt('identity.me.read', {});
    expect(status).toBe(401);
  });
});

describe('the invitations', () => {
  const path = () => `/console/${slug}/invitations`;
  const invite = (fields: Record<string, string>, who = browser) => who.postFrom(path(), path(), fields);
  const all = async () =>
    (await tenant.call('identity.invitations.list', { path: { slug }, query: { limit: '100' } })).data;
  const newest = async () => (await all())[0]!;

  test('are sent, sent again and revoked', async () => {
    expectPage(await browser.get(path()), 200, /No invitations yet/);
    const email = `${newId('usr').slice(4)}@example.com`;
    expectRedirect(await invite({ email, role: 'admin' }), `${path()}?done=invited`);
    expectPage(
      await browser.get(`${path()}?done=invited`),
      200,
      new RegExp(`Invitation sent\\. .*${email} Admin, .*Open`),
    );
    const { id } = await newest();
    const act = (what: string) => browser.postFrom(path(), `${path()}/${id}/${what}`);
    expectRedirect(await act('resend'), `${path()}?done=resent`);
    expectRedirect(await act('revoke'), `${path()}?done=revoked`);
    expect(await newest()).toMatchObject({ id, status: 'revoked' });
    expectPage(await act('resend'), 409, /was accepted or revoked/);
    expect((await browser.get(path())).text).not.toContain(`/${id}/revoke`);
  });

  test('are refused with the reason, and what was typed stays', async () => {
    const email = `${newId('usr').slice(4)}@example.com`;
    await invite({ email, role: 'member' });
    const before = await all();
    const asAdmin = await newVisitor(admin.sessionToken);
    const refusals = [
      [browser, { email: '', role: 'member' }, 400, /Enter an email address/],
      [browser, { email: '"><b>@', role: 'member' }, 400, /Check the marked field/],
      [browser, { email: 'x@example.com', role: 'king' }, 400, /Check the marked field/],
      [browser, { email: admin.email, role: 'member' }, 409, /member already/],
      [browser, { email, role: 'member' }, 409, /has an open invitation/],
      [asAdmin, { email: 'x@example.com', role: 'owner' }, 403, /Only an owner/],
    ] as const;
    for (const [who, fields, status, words] of refusals) {
      const answer = await invite(fields, who);
      expectPage(answer, status, words);
      const shown = fields.email === '' ? 'id="email"' : `value="${fields.email}"`;
      expect(decodeEntities(answer.text)).toContain(shown);
      expect(answer.text).not.toContain('<b>@');
    }
    expect((await browser.postFrom(path(), `${path()}/${newId('inv')}/revoke`)).status).toBe(404);
    expect(await all()).toEqual(before);
  });

  test('are shown to members, who cannot invite', async () => {
    const member = await newVisitor((await join('member')).sessionToken);
    const page = await member.get(path());
    expectPage(page, 200, /Invitations/);
    expect(page.text).not.toContain('name="flow"');
    expect((await (await newVisitor((await newUserClient()).sessionToken)).get(path())).status).toBe(404);
  });
});
