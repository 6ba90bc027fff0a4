import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '../../../lib/data/ids.ts';
import type { OrganizationDocument } from '../../../models/identity/organization.ts';
import type { Client } from '../../support/client.ts';
import { newOperatorClient } from '../../support/operators.ts';
import { expectPage, expectRedirect, newVisitor, type Visitor, wordsOf } from '../../support/pages.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, slugOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { joinAs, newUserClient, type User } from '../../support/user-client.ts';
import { storeInvoice } from './subscriptions.ts';

/* A suspended organization on the pages of operators and of its members, without scripts. */

const reason = '<script>alert(1)</script>"& ‮unpaid';
const list = '/operator/console/organizations';

let databaseUrl: string;
let operator: Visitor;
let tenant: Client & Tenant;
let owner: Client & User;
let member: Visitor;
let page: string;
let home: string;

beforeAll(async () => {
  databaseUrl = await databaseUrlOf(await sharedPlatform());
  operator = await newVisitor((await newOperatorClient()).sessionToken);
});

beforeEach(async () => {
  tenant = await newTenantClient();
  owner = await newUserClient({ orgId: tenant.orgId });
  member = await newVisitor(owner.sessionToken);
  page = `${list}/${tenant.orgId}`;
  home = `/console/${slugOf(tenant.orgId)}`;
});

const suspend = (fields: Record<string, string> = { reason }) => operator.postFrom(page, `${page}/suspend`, fields);
const stored = () =>
  withDatabase(databaseUrl, (database) =>
    database.collection<OrganizationDocument>('identity_organizations').findOne({ _id: tenant.orgId }),
  );

describe('the page of operators about an organization', () => {
  test('suspends it with a reason, says so, and ends it', async () => {
    expectPage(await operator.get(page), 200, /Suspension Suspend this organization .* Reason .* Suspend organization/);
    expectRedirect(await suspend(), `${page}?done=suspended`);
    const shown = await operator.get(`${page}?done=suspended`);
    expectPage(shown, 200, /Suspended .*The organization is suspended\. .*Suspended since .*unpaid.* End suspension/);
    expect(shown.text).not.toContain('<script>alert');
    expect(wordsOf(shown)).not.toContain('Suspend organization');
    expect(await stored()).toMatchObject({ suspension: { reason } });
    for (const tab of ['plan', 'audit']) expectPage(await operator.get(`${page}/${tab}`), 200, /Suspended since/);
    expectPage(await operator.get(`${page}/audit`), 200, /You suspended the organization/);

    expectRedirect(await operator.postFrom(page, `${page}/restore`), `${page}?done=restored`);
    const restored = await operator.get(`${page}?done=restored`);
    expectPage(restored, 200, /The suspension is ended\./);
    expect(wordsOf(restored)).not.toContain('Suspended since');
    expect((await stored())?.suspension).toBeUndefined();
    await eventually(async () => expect((await member.get(home)).status).toBe(200));
    expectPage(await member.get(home), 200, /An operator of the platform ended the suspension of the organization/);
  });

  test.each([
    ['no reason', ' ', 400, /Reason/],
    ['a reason that is too long', `Kept${'a'.repeat(497)}`, 400, /at most 500 characters/],
  ])('refuses %s, keeps what was typed, and suspends nothing', async (_name, typed, status, words) => {
    const answer = await suspend({ reason: typed });
    expectPage(answer, status, words);
    expect(answer.text).toContain('id="reason-error"');
    if (typed.trim() !== '') expect(answer.text).toContain(`value="${typed}"`);
    expect((await stored())?.suspension).toBeUndefined();
  });

  test('refuses a stale form, another user, and an id of no organization, and changes nothing', async () => {
    expectPage(await operator.post(`${page}/suspend`, { flow: 'none', reason }), 400, /open for too long/);
    for (const act of ['suspend', 'restore']) {
      const byMember = await member.postFrom('/account', `${page}/${act}`, { reason });
      expect({ act, status: byMember.status }).toEqual({ act, status: 404 });
      const nowhere = await operator.postFrom(page, `${list}/${newId('org')}/${act}`, { reason });
      expect({ act, status: nowhere.status }).toEqual({ act, status: 404 });
    }
    expect((await stored())?.suspension).toBeUndefined();
    await suspend();
    expectPage(await operator.post(`${page}/restore`, { flow: 'none' }), 400, /open for too long/);
    expect(await stored()).toMatchObject({ suspension: { reason } });
  });

  test('is in the list by its state', async () => {
    await suspend();
    const find = (state: string) => operator.get(`${list}?${new URLSearchParams({ search: tenant.orgId, state })}`);
    const suspended = await find('suspended');
    expectPage(suspended, 200, /Suspended/);
    expect(suspended.text).toContain(`href="${page}"`);
    expectPage(await find('active'), 200, /No organization is in this state\./);
    expect((await find('unknown')).text).toContain(`href="${page}"`);
  });
});

describe('the console of a suspended organization', () => {
  const addresses = ['', '/users', '/usage', '/files', '/events', '/settings', '/search?q=a', '/users?format=csv'];

  test('is one page, which says since when, why, and whom to ask', async () => {
    await suspend();
    for (const below of addresses) {
      const answer = await member.get(home + below);
      expectPage(answer, 403, /Suspended The operator of this platform has suspended this organization\./);
      expect(wordsOf(answer)).toMatch(
        /Since .* Reason <script>alert\(1\)<\/script>"& ‮unpaid Contact Ask the operator of/,
      );
      expect(answer.text).not.toContain('<script>alert');
      expect(answer.text).not.toContain(`href="${home}/users"`);
    }
    expectPage(await member.postFrom('/account', `${home}/settings`, { name: 'Changed' }), 403, /Suspended/);
    expect((await stored())?.name).not.toBe('Changed');
  });

  test('shows the invoices with their PDFs, and leads to them', async () => {
    await storeInvoice(tenant.orgId, 1, 'open');
    await suspend();
    expect((await member.get(home)).text).toContain(`href="${home}/usage/invoices"`);
    const invoices = await member.get(`${home}/usage/invoices`);
    expectPage(invoices, 200, /Invoices .*T-1 .*Open/);
    const [, pdf] = /href="([^"]*\/pdf)"/.exec(invoices.text)!;
    const file = await member.get(pdf!);
    expect({ status: file.status, type: file.headers['content-type'] }).toEqual({
      status: 200,
      type: 'application/pdf',
    });
    const stranger = await newVisitor((await newUserClient()).sessionToken);
    expectPage(await stranger.get(`${home}/usage/invoices`), 404);
    expect((await stranger.get(pdf!)).status).toBe(404);
  });

  test('leaves the account, which marks it, and another organization, to which the console leads', async () => {
    const other = await newTenantClient();
    await joinAs(owner, { orgId: other.orgId, role: 'owner' });
    await suspend();
    expectPage(await member.get('/account/organizations'), 200, /owner Suspended/);
    const elsewhere = await member.get(`/console/${slugOf(other.orgId)}`);
    expectPage(elsewhere, 200);
    expect(elsewhere.text).toMatch(/<span class="post row"><span class="badge warn">Suspended<\/span><\/span>/);
    const fresh = await newVisitor(owner.sessionToken);
    expectRedirect(await fresh.get('/console'), `/console/${slugOf(other.orgId)}`);
  });

  test('is not there for others', async () => {
    await suspend();
    const stranger = await newVisitor((await newUserClient()).sessionToken);
    const answer = await stranger.get(home);
    expectPage(answer, 404);
    expect(wordsOf(answer)).not.toContain('unpaid');
  });
});
