import { describe, expect, test } from '@jest/globals';
import { expectPage, newVisitor } from '../../support/pages.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { slugOf } from '../../support/tenants.ts';
import { newUserClient } from '../../support/user-client.ts';

/** The search of an organization in a browser in which a member is logged in. */
async function newMember(role: 'owner' | 'member') {
  const { orgId } = await newTenantClient();
  const user = await newUserClient({ orgId, role });
  const visitor = await newVisitor(user.sessionToken);
  const search = (query: Record<string, string>) =>
    visitor.get(`/console/${slugOf(orgId)}/search?${new URLSearchParams(query)}`);
  return { orgId, user, search };
}

describe('the search of the console', () => {
  test('finds pages by their name, and all of them without a word', async () => {
    const { orgId, search } = await newMember('owner');
    const found = await search({ q: 'USAGE' });
    expectPage(found, 200, /Search Usage and billing Page$/);
    expect(found.text).toContain(`<li><a href="/console/${slugOf(orgId)}/usage">`);
    expectPage(await search({}), 200, /Overview Page Inbox Page .* Sessions Your account/);
  });

  test('finds users by their address, for those who may see users', async () => {
    const owner = await newMember('owner');
    expectPage(await owner.search({ q: owner.user.email }), 200, new RegExp(`${owner.user.email} User$`));
    const member = await newMember('member');
    expectPage(await member.search({ q: member.user.email }), 200, /Nothing found for/);
  });

  test('answers the palette with the results alone', async () => {
    const { search } = await newMember('owner');
    const { status, text } = await search({ q: 'sessions', fragment: 'hits' });
    expect(status).toBe(200);
    expect(text).toMatch(/^<li><a href="\/account\/sessions">/);
  });

  test('shows hostile words as words, and is of no other organization', async () => {
    const { search } = await newMember('owner');
    const { orgId } = await newTenantClient();
    const page = await search({ q: `"><script>${'x'.repeat(300)}` });
    expectPage(page, 200, /Nothing found for “"><script>x+”\./);
    expect(page.text).not.toContain('<script>x');
    const stranger = await newVisitor((await newUserClient()).sessionToken);
    expectPage(await stranger.get(`/console/${slugOf(orgId)}/search?q=a`), 404);
  });
});
