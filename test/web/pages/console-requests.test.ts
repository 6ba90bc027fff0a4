import { beforeAll, describe, expect, test } from '@jest/globals';
import type { CallOutput } from '../../../lib/contract/context.ts';
import type { Client } from '../../support/client.ts';
import { expectPage, newVisitor, type Visitor, wordsOf } from '../../support/pages.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { slugOf, type Tenant } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { decodeEntities } from '../../support/user-agent.ts';
import { newUserClient, type User } from '../../support/user-client.ts';

type FailedRequest = CallOutput<'identity.requests.read'>;

let tenant: Client & Tenant;
let owner: Client & User;
let browser: Visitor;
let slug: string;
let page: string;
let invalid: FailedRequest;
let missing: FailedRequest;

const today = new Date().toISOString().slice(0, 10);
const hostileClient = '<i>Robot</i>/1.0';
const sharedId = 'trace:of-a-test:1';

beforeAll(async () => {
  tenant = await newTenantClient({ plan: 'scale' });
  owner = await newUserClient({ orgId: tenant.orgId });
  await owner.call('identity.me.update', { body: { displayName: '<b>Ada</b>' } });
  browser = await newVisitor(owner.sessionToken);
  slug = slugOf(tenant.orgId);
  page = `/console/${slug}/logs/requests`;
  const headers = { 'user-agent': hostileClient, 'x-request-id': sharedId };
  await tenant.send('POST', `/applications/${tenant.applicationId}/api-keys`, { '<u>field</u>': 1 }, headers);
  await tenant.send('GET', '/events/none', undefined, { 'x-request-id': sharedId });
  [missing, invalid] = await eventually(async () => {
    const { data } = await tenant.call('identity.requests.list', { path: { slug }, query: {} });
    expect(data).toHaveLength(2);
    return data as [FailedRequest, FailedRequest];
  });
});

/** The number of rows on a page. */
const rowsOf = ({ text }: { text: string }): number => text.split('class="name"').length - 1;

describe('the refused and failed requests', () => {
  test('are a tab of the logs: each with its status, error and sender, and a link to its page', async () => {
    expectPage(await browser.get(`/console/${slug}/logs`), 200, /Audit log Requests Messages/);
    const shown = await browser.get(page);
    expectPage(
      shown,
      200,
      /^Logs Requests that were refused or failed, and why\. Kept for 7 days\. Export .*Request Status Error Took By When/,
    );
    const words = wordsOf(shown);
    expect(words).toMatch(/GET \/events\/none .*404 NOT_FOUND [\d.]+ ms Application of a test/);
    expect(words).toMatch(/POST \/applications\/app_\w+\/api-keys .*400 INPUT_INVALID [\d.]+ ms Application of a test/);
    for (const { id } of [missing, invalid]) expect(shown.text).toContain(`href="${page}/${id}"`);
    expect(shown.text).toContain(`href="/console/${slug}/events/refused"`);
    expect(shown.text).toContain(`href="/console/${slug}/messages"`);
  });

  test('are filtered by the address, which the chips and fields keep', async () => {
    const filters: [Record<string, string>, number][] = [
      [{ outcome: '4xx' }, 2],
      [{ outcome: '5xx' }, 0],
      [{ outcome: '404', method: 'GET' }, 1],
      [{ text: 'INPUT_INVALID' }, 1],
      [{ who: tenant.keyId }, 2],
      [{ text: sharedId, from: today, to: today }, 2],
      [{ to: '2020-01-31' }, 0],
    ];
    for (const [filter, count] of filters) {
      const found = await browser.get(`${page}?${new URLSearchParams(filter)}`);
      expectPage(found, 200, count === 0 ? /No requests match these filters/ : /Clear filters/);
      expect({ filter, rows: rowsOf(found) }).toEqual({ filter, rows: count });
    }
    const chips = await browser.get(`${page}?outcome=4xx&text=NOT_FOUND`);
    expect(wordsOf(chips)).toMatch(/Status 4xx, refused/);
    expect(chips.text).toContain(`href="${page}?text=NOT_FOUND&amp;outcome=5xx"`);
    expect(chips.text).toContain('name="text" value="NOT_FOUND"');
    expect(chips.text).toContain(`<option value="${tenant.applicationId}">Application of a test</option>`);
    const days = await browser.get(`${page}?outcome=4xx&from=${today}`);
    for (const log of ['logs', 'messages']) expect(days.text).toContain(`href="/console/${slug}/${log}?from=${today}"`);
  });

  test('say what is wrong with a filter or a cursor that was changed by hand', async () => {
    expectPage(await browser.get(`${page}?from=yesterday`), 400, /From: Enter a date like 2026-11-30/);
    expectPage(await browser.get(`${page}?outcome=200`), 400, /Status: Must be 4xx, 5xx or a status such as 404/);
    expectPage(await browser.get(`${page}?method=TRACE`), 400, /Method: Must be one of/);
    expectPage(await browser.get(`${page}?cursor=x`), 400, /cursor/);
    const hostile = await browser.get(`${page}?text=${encodeURIComponent('"><i>x')}`);
    expectPage(hostile, 200, /No requests match/);
    expect(hostile.text).not.toContain('<i>x');
  });

  test('are downloaded as the filters are, as CSV or NDJSON', async () => {
    const shown = await browser.get(`${page}?text=NOT_FOUND&from=${today}`);
    const links = [...shown.text.matchAll(/<a href="([^"]*format=[^"]*)">/g)].map(([, href]) => decodeEntities(href!));
    expect(links).toHaveLength(2);
    const [csv, ndjson] = await Promise.all(links.map((link) => browser.get(link)));
    expect(csv!.headers['content-disposition']).toMatch(/^attachment; .*requests.*\.csv"$/);
    expect(csv!.text.split('\r\n')).toHaveLength(3);
    expect(csv!.text).toContain(missing.requestId);
    expect(JSON.parse(ndjson!.text.trim())).toEqual(missing);
  });

  test('are read page by page, and begin with a request that is refused', async () => {
    const other = await newTenantClient();
    const visitor = await newVisitor((await newUserClient({ orgId: other.orgId })).sessionToken);
    const path = `/console/${slugOf(other.orgId)}/logs/requests`;
    const empty = await visitor.get(path);
    expectPage(empty, 200, /No refused or failed requests in the last 7 days .*All error codes/);
    expect(empty.text).toContain(`x-tenant-id: ${other.orgId}`);
    await Promise.all(Array.from({ length: 55 }, (_none, index) => other.send('GET', `/events/${index}`)));
    const first = await eventually(async () => {
      const shown = await visitor.get(`${path}?outcome=4xx`);
      expect(rowsOf(shown)).toBe(50);
      expect(shown.text).toContain('rel="next"');
      return shown;
    });
    const [, next] = /href="([^"]*)" rel="next">Older/.exec(first.text)!;
    const second = await visitor.get(decodeEntities(next!));
    expect(rowsOf(second)).toBe(5);
    expect(second.text).toContain(`href="${path}?outcome=4xx"`);
  });
});

describe('a refused request', () => {
  test('shows why, who sent it and what to do, with its id to copy', async () => {
    const shown = await browser.get(`${page}/${invalid.id}`);
    expectPage(shown, 200, /^400 INPUT_INVALID All with this request ID More by this caller Same error body\./);
    const words = wordsOf(shown);
    for (const value of [invalid.path, invalid.route, tenant.applicationId, 'Key of a test', tenant.keyId, sharedId]) {
      expect(words).toContain(value);
    }
    expect(words).toContain(hostileClient);
    expect(words).toMatch(
      /Invalid fields Fields and the rules that they violate Field Rule .*body\.<u>field<\/u> Not a field\./,
    );
    expect(words).toMatch(/What to do Error reference A field of the body.*Correct the fields that details names/);
    expect(shown.text).not.toMatch(/<i>Robot|<u>field/);
    expect(shown.text).toContain('href="/docs/errors#INPUT_INVALID"');
    expect(shown.text).toContain(`<code class="id clip" id="request-id">${sharedId}</code>`);
    expect(shown.text).toContain(`href="${page}?who=${tenant.applicationId}"`);
    expect(shown.text).toContain(`href="${page}?text=${encodeURIComponent(sharedId)}"`);
    expect((await browser.get('/docs/errors')).text).toContain('<tr id="INPUT_INVALID">');
  });

  test('is found by its request id, in the address and in the search', async () => {
    expectPage(await browser.get(`${page}/${sharedId}`), 200, /^404 NOT_FOUND/);
    const found = await browser.get(`/console/${slug}/search?q=${sharedId}`);
    expectPage(found, 200, /404 GET \/events\/none Request 400 POST \/applications\/app_\w+\/api-keys Request$/);
    expect(found.text).toContain(`<a href="${page}/${missing.id}">`);
    expectPage(await browser.get(`/console/${slug}/search?q=${sharedId.slice(0, -1)}`), 200, /Nothing found for/);
    const hits = await browser.get(`/console/${slug}/search?q=${sharedId}&fragment=hits`);
    expect(hits.text).toMatch(/^<li><a href="/);
  });

  test('of a user names them, and links to their page', async () => {
    const { requestId } = (await owner.send('GET', '/applications/none')).body;
    const shown = await eventually(async () => {
      const answer = await browser.get(`${page}/${requestId}`);
      expect(answer.status).toBe(200);
      return answer;
    });
    expect(wordsOf(shown)).toMatch(/By You usr_/);
    const admin = await newVisitor((await newUserClient({ orgId: tenant.orgId, role: 'admin' })).sessionToken);
    const read = await admin.get(`${page}/${requestId}`);
    expect(wordsOf(read)).toContain('By <b>Ada</b>');
    expect(read.text).not.toContain('<b>Ada');
    expect(read.text).toContain(`href="/console/${slug}/users/${owner.userId}"`);
  });

  test('is of its organization alone, and only for members who may read the log', async () => {
    const member = await newVisitor((await newUserClient({ orgId: tenant.orgId, role: 'member' })).sessionToken);
    const outsiderTenant = await newTenantClient();
    const outsider = await newVisitor((await newUserClient({ orgId: outsiderTenant.orgId })).sessionToken);
    for (const path of [page, `${page}/${invalid.id}`, `${page}/${sharedId}`, `${page}?format=csv`]) {
      expectPage(await member.get(path), 403, /lacks console\.audit\.read/);
      expect((await outsider.get(path)).status).toBe(404);
    }
    const own = `/console/${slugOf(outsiderTenant.orgId)}`;
    for (const id of [invalid.id, sharedId])
      expect((await outsider.get(`${own}/logs/requests/${id}`)).status).toBe(404);
    expectPage(await outsider.get(`${own}/search?q=${sharedId}`), 200, /Nothing found for/);
    expectPage(await member.get(`/console/${slug}/search?q=${sharedId}`), 200, /Nothing found for/);
    expect((await browser.get(`${page}/none`)).status).toBe(404);
  });
});
