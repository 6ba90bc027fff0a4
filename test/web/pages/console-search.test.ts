import { describe, expect, test } from '@jest/globals';
import { expectPage, newVisitor, wordsOf } from '../../support/pages.ts';
import { storageOf } from '../../support/storage-client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { slugOf } from '../../support/tenants.ts';
import { decodeEntities } from '../../support/user-agent.ts';
import { newUserClient } from '../../support/user-client.ts';
import { storeInvoice } from './subscriptions.ts';

/** The search of an organization in a browser in which a member is logged in. */
async function newMember(role: 'owner' | 'member', plan: 'free' | 'pro' = 'free') {
  const tenant = await newTenantClient({ plan });
  const { orgId } = tenant;
  const user = await newUserClient({ orgId, role });
  const visitor = await newVisitor(user.sessionToken);
  const search = (query: Record<string, string>) =>
    visitor.get(`/console/${slugOf(orgId)}/search?${new URLSearchParams(query)}`);
  return { tenant, orgId, user, search };
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

  test('finds files by the beginning of their key, or of bucket/key, in the buckets of the organization', async () => {
    const { tenant, orgId, search } = await newMember('owner');
    const storage = await storageOf(tenant);
    const newBucket = async (name: string) =>
      (await tenant.call('storage.buckets.create', { body: { name: `${name}-${slugOf(orgId).slice(0, 40)}` } })).name;
    const [first, second] = [await newBucket('first'), await newBucket('second')];
    const hostile = 'reports/<b>&"?key=x#.txt';
    for (const [bucket, key] of [
      [first, hostile],
      [first, 'other.txt'],
      [second, 'reports/may.txt'],
    ] as const) {
      expect((await storage.put(bucket, key, 'words')).status).toBe(200);
    }
    const found = await search({ q: 'reports/' });
    expectPage(found, 200, new RegExp(`${first}/reports/<b>&"\\?key=x#\\.txt File ${second}/reports/may\\.txt File$`));
    expect(found.text).not.toContain('<b>&');
    const [, href] = /<ul class="hits"><li><a href="([^"]*)">/.exec(found.text)!;
    const query = new URLSearchParams({ key: hostile });
    expect(decodeEntities(href!)).toBe(`/console/${slugOf(orgId)}/files/buckets/${first}/file?${query}`);
    expectPage(await search({ q: `${second}/rep` }), 200, new RegExp(`${second}/reports/may\\.txt File$`));
    expect(wordsOf(await search({ q: `${second}/` }))).not.toContain(first);
    for (const q of ['ports/', 'no-bucket-of-this-name/rep', '../', '\ud83d\ude00'.repeat(100).slice(1)]) {
      expectPage(await search({ q }), 200, /Nothing found for/);
    }
    const stranger = await newMember('owner');
    for (const q of ['reports/', `${second}/rep`]) expectPage(await stranger.search({ q }), 200, /Nothing found for/);
  });

  test('shows five files, and finds one in a bucket behind the tenth by the name of the bucket', async () => {
    const { tenant, orgId, search } = await newMember('owner', 'pro');
    const storage = await storageOf(tenant);
    const nameOf = (index: number) => `b${index}-${slugOf(orgId).slice(0, 40)}`;
    for (let index = 1; index <= 11; index += 1) {
      await tenant.call('storage.buckets.create', { body: { name: nameOf(index) } });
    }
    for (let index = 1; index <= 6; index += 1) await storage.put(nameOf(1), `many/${index}`, 'words');
    await storage.put(nameOf(11), 'last', 'words');
    expect((await search({ q: 'many' })).text.match(/file\?key=/g)).toHaveLength(5);
    expectPage(await search({ q: 'last' }), 200, /Nothing found for/);
    expectPage(await search({ q: `${nameOf(11)}/la` }), 200, new RegExp(`${nameOf(11)}/last File$`));
  });

  test('finds invoices by the beginning of their number in any case, or by their id', async () => {
    const { tenant, orgId, search } = await newMember('owner');
    await storeInvoice(orgId, 7);
    await storeInvoice(orgId, 8);
    const { invoices } = await tenant.call('billing.invoices.list', { path: { orgId }, query: {} });
    const { invoiceId: id } = invoices.find(({ number }) => number === 'T-7')!;
    for (const q of ['t-7', 'T-7', id]) {
      const found = await search({ q });
      expectPage(found, 200, /Search T-7 Invoice$/);
      expect(found.text).toContain(`<li><a href="/v1/invoices/${id}/pdf">`);
    }
    const stranger = await newMember('owner');
    for (const q of ['t-7', id]) expectPage(await stranger.search({ q }), 200, /Nothing found for/);
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
