import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { expectPage, newVisitor, type Visitor, wordsOf } from '../../support/pages.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, slugOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { decodeEntities } from '../../support/user-agent.ts';
import { newUserClient, type User } from '../../support/user-client.ts';

let tenant: Client & Tenant;
let owner: Client & User;
let browser: Visitor;
let slug: string;
let page: string;

const hostileName = '<b>Key</b> ‮😀 مطبعة';
const today = new Date().toISOString().slice(0, 10);

beforeAll(async () => {
  tenant = await newTenantClient();
  owner = await newUserClient({ orgId: tenant.orgId });
  browser = await newVisitor(owner.sessionToken);
  slug = slugOf(tenant.orgId);
  page = `/console/${slug}/logs`;
  await makeKey(tenant, 'Of the application');
  await makeKey(owner, hostileName, { 'user-agent': '<i>Robot</i>/1.0', 'x-request-id': 'request-of-a-test' });
});

const makeKey = (client: Client, name: string, headers = {}) =>
  client.call(
    'identity.api-keys.create',
    { path: { id: tenant.applicationId }, body: { name, scopes: ['context.story.read'] } },
    headers,
  );
const readRecords = async (query: Record<string, string> = {}) =>
  (await tenant.call('identity.audit.list', { path: { slug }, query: { limit: '100', ...query } })).data;
/** The number of rows on a page. */
const rowsOf = ({ text }: { text: string }): number => text.split('class="name"').length - 1;

/** Stores older records than a page shows. */
async function storeMany(orgId: string, count: number): Promise<void> {
  const records = Array.from({ length: count }, (_, index) => ({
    _id: `aud_${String(index).padStart(3, '0')}${orgId.slice(-23)}`,
    orgId,
    action: 'operator.command',
    actor: { type: 'system', id: null, credentialId: null },
    target: { type: 'command', id: `command ${index}` },
    address: null,
    userAgent: null,
    requestId: null,
    before: null,
    after: null,
    createdAt: new Date(),
  }));
  await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
    database.collection<{ _id: string }>('identity_audit_records').insertMany(records),
  );
}

describe('the audit log', () => {
  test('shows who did what to which resource, each record with a link to its page', async () => {
    const shown = await browser.get(page);
    expectPage(
      shown,
      200,
      /^Logs Who did what in this organization, and from where\. Kept for 90 days\. Export .*Who Action About From When/,
    );
    const words = wordsOf(shown);
    expect(words).toContain(`Created an API key api-key.created ${hostileName} 127.0.0.1`);
    expect(words).toMatch(/You .*Application of a test .*Created an API key: Of the application/);
    expect(shown.text).not.toContain('<b>Key');
    for (const { id } of await readRecords()) expect(shown.text).toContain(`href="${page}/${id}"`);
  });

  test('is filtered by the address, and keeps the filters in its fields and links', async () => {
    const [record] = await readRecords({ actorId: owner.userId });
    const filters: [Record<string, string>, number][] = [
      [{ outcome: 'api-key.created' }, 2],
      [{ outcome: 'api-key.revoked' }, 0],
      [{ who: owner.userId }, 1],
      [{ text: record!.target.id }, 1],
      [{ from: today, to: today, outcome: 'api-key.created' }, 2],
      [{ to: '2020-01-31' }, 0],
    ];
    for (const [filter, count] of filters) {
      const found = await browser.get(`${page}?${new URLSearchParams(filter)}`);
      expectPage(found, 200, count === 0 ? /No records match these filters/ : /Clear filters/);
      expect({ filter, rows: rowsOf(found) }).toEqual({ filter, rows: count });
      for (const [name, value] of Object.entries(filter))
        expect(found.text).toContain(`name="${name}" value="${value}"`);
    }
  });

  test('says what is wrong with a filter or a cursor that was changed by hand', async () => {
    expectPage(await browser.get(`${page}?from=yesterday`), 400, /From: Enter a date like 2026-11-30/);
    expectPage(await browser.get(`${page}?to=2026-13-01`), 400, /To: Enter a date like/);
    expectPage(await browser.get(`${page}?who=${'a'.repeat(101)}`), 400, /User or application ID: .*100 characters/);
    expectPage(await browser.get(`${page}?cursor=x`), 400, /cursor/);
    const hostile = await browser.get(`${page}?outcome=${encodeURIComponent('"><i>x')}`);
    expectPage(hostile, 200, /No records match/);
    expect(hostile.text).not.toContain('<i>x');
  });

  test('is read page by page', async () => {
    const other = await newTenantClient();
    const visitor = await newVisitor((await newUserClient({ orgId: other.orgId })).sessionToken);
    const path = `/console/${slugOf(other.orgId)}/logs`;
    expectPage(await visitor.get(path), 200, /Nothing recorded yet/);
    await storeMany(other.orgId, 60);
    const first = await visitor.get(`${path}?outcome=operator.command`);
    expectPage(first, 200);
    expect(rowsOf(first)).toBe(50);
    const [, next] = /href="([^"]*)" rel="next">Older/.exec(first.text)!;
    const second = await visitor.get(decodeEntities(next!));
    expect(rowsOf(second)).toBe(10);
    expect(wordsOf(second)).toContain('command 0');
    expect(wordsOf(second)).not.toContain('command 59');
    expect(second.text).toContain(`href="${path}?outcome=operator.command"`);
  });

  test('is downloaded as the filters are, as CSV or NDJSON, by the session of the browser', async () => {
    const shown = await browser.get(`${page}?outcome=api-key.created&who=${owner.userId}&from=${today}`);
    const links = [...shown.text.matchAll(/<a href="([^"]*format=[^"]*)">/g)].map(([, href]) => decodeEntities(href!));
    expect(links).toHaveLength(2);
    const [csv, ndjson] = await Promise.all(links.map((link) => browser.get(link)));
    expect(csv!.headers['content-disposition']).toMatch(/^attachment; .*\.csv"$/);
    expect(csv!.text.split('\r\n')).toHaveLength(3);
    expect(csv!.text).toContain(hostileName);
    const records = await readRecords({ actorId: owner.userId, action: 'api-key.created' });
    const lines = ndjson!.text.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(records);
  });
});

describe('a record of the audit log', () => {
  test('shows everything that it holds, with its request id to copy', async () => {
    const [record] = await readRecords({ actorId: owner.userId, action: 'api-key.created' });
    const shown = await browser.get(`${page}/${record!.id}`);
    expectPage(shown, 200, /^You created an API key More by this actor More on this resource Action api-key\.created/);
    const words = wordsOf(shown);
    for (const value of [record!.target.id, owner.userId, owner.sessionId, record!.id, '127.0.0.1', hostileName]) {
      expect(words).toContain(value);
    }
    expect(words).toContain('<i>Robot</i>/1.0');
    expect(shown.text).not.toMatch(/<i>Robot|<b>Key/);
    expect(shown.text).toContain(`<code class="id clip" id="request-id">${record!.requestId}</code>`);
    expect(words).toMatch(
      /Changes Values before and after Field Before After name None .*scopes None context\.story\.read/,
    );
    expect(shown.text).toContain(`href="${page}?who=${owner.userId}"`);
    expect(shown.text).toContain(`href="${page}?text=${record!.target.id}"`);
  });

  test('counts what strangers did', async () => {
    const target = { type: 'user', id: owner.userId };
    const stored = {
      _id: `aud_zzz${tenant.orgId.slice(-23)}`,
      orgId: tenant.orgId,
      action: 'login.failed',
      actor: { type: 'anonymous', id: null, credentialId: null },
      target,
      address: null,
      userAgent: null,
      requestId: null,
      before: null,
      after: null,
      createdAt: new Date(),
      count: 7,
      lastAt: new Date(),
    };
    await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
      database.collection<{ _id: string }>('identity_audit_records').insertOne(stored),
    );
    expect(wordsOf(await browser.get(`${page}?outcome=login.failed`))).toMatch(/Somebody without a login .*7 times/);
    const shown = await browser.get(`${page}/${stored._id}`);
    expectPage(shown, 200, /^Somebody without a login failed to log in .*Count 7 times .*Request ID None/);
    expect(shown.text).not.toContain('who=');
  });

  test('is of its organization alone, and only for members who may read the log', async () => {
    const [record] = await readRecords();
    const member = await newVisitor((await newUserClient({ orgId: tenant.orgId, role: 'member' })).sessionToken);
    const outsiderTenant = await newTenantClient();
    const outsider = await newVisitor((await newUserClient({ orgId: outsiderTenant.orgId })).sessionToken);
    for (const path of [page, `${page}/${record!.id}`]) {
      expectPage(await member.get(path), 403, /lacks console\.audit\.read/);
      expect((await outsider.get(path)).status).toBe(404);
    }
    expect((await outsider.get(`/console/${slugOf(outsiderTenant.orgId)}/logs/${record!.id}`)).status).toBe(404);
    expect((await browser.get(`${page}/none`)).status).toBe(404);
    expect((await member.get(`/console/${slug}`)).text).not.toContain(`href="${page}"`);
    expect((await browser.get(`/console/${slug}`)).text).toContain(`href="${page}"`);
  });
});
