import { beforeAll, describe, expect, test } from '@jest/globals';
import { recordBackup } from '../../../lib/data/backup-log.ts';
import { newId } from '../../../lib/data/ids.ts';
import type { Job } from '../../../mixins/cron/jobs.ts';
import type { InvoiceDocument } from '../../../models/billing/invoice.ts';
import type { AuditRecordDocument } from '../../../models/identity/audit-record.ts';
import { composeDraft } from '../../../services/billing/invoices/issue-invoice.ts';
import type { Client } from '../../support/client.ts';
import { createOAuthClient } from '../../support/oauth-database-client.ts';
import { newOperatorClient } from '../../support/operators.ts';
import { expectPage, expectRedirect, newVisitor, type Visitor, wordsOf } from '../../support/pages.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { newUserClient, type User } from '../../support/user-client.ts';

/* The console of operators, as a visitor without scripts. */

const base = '/operator/console';
const hostileName = '<script>alert(1)</script>"&';
let databaseUrl: string;
let operator: Client & User;
let visitor: Visitor;
let tenant: Client & Tenant;
let owner: Client & User;

beforeAll(async () => {
  databaseUrl = await databaseUrlOf(await sharedPlatform());
  operator = await newOperatorClient();
  visitor = await newVisitor(operator.sessionToken);
  tenant = await newTenantClient();
  owner = await newUserClient({ orgId: tenant.orgId });
  await rename('identity_organizations', tenant.orgId);
});

const rename = (collection: string, _id: string) =>
  withDatabase(databaseUrl, (database) =>
    database.collection<{ _id: string }>(collection).updateOne({ _id }, { $set: { name: hostileName } }),
  );
type Stored = { _id: string; status?: string; isTrusted?: boolean; isFirstParty?: boolean };
const stored = (collection: string, _id: string) =>
  withDatabase(databaseUrl, (database) => database.collection<Stored>(collection).findOne({ _id }));
const recordsOf = (action: string) =>
  withDatabase(databaseUrl, (database) =>
    database.collection<AuditRecordDocument>('identity_audit_records').find({ orgId: tenant.orgId, action }).toArray(),
  );
const page = (orgId = tenant.orgId) => `${base}/organizations/${orgId}`;

const addresses = () => [
  '/operator',
  base,
  `${base}/organizations`,
  page(),
  `${page()}/plan`,
  `${page()}/audit`,
  `${base}/users`,
  `${base}/registration`,
  `${base}/nodes`,
  `${base}/queues`,
  `${base}/jobs`,
  `${base}/backups`,
];

describe('the console of operators', () => {
  test('is an unknown address for other users, and lets visitors log in first', async () => {
    const user = await newVisitor(owner.sessionToken);
    const unknown = await user.get('/operator/console/nothing', { accept: 'text/html' });
    for (const address of addresses()) {
      const answer = await user.get(address);
      expect({ address, status: answer.status, words: wordsOf(answer) }).toEqual({
        address,
        status: 404,
        words: wordsOf(unknown),
      });
      expect(answer.text).not.toContain(tenant.orgId);
      const stranger = await (await newVisitor()).get(address);
      expect(stranger.headers.location).toContain('/self-service/login/browser');
    }
  });

  test('shows its sign and its navigation, and leads to the overview', async () => {
    expectRedirect(await visitor.get('/operator'), base);
    for (const address of addresses().slice(1)) {
      const answer = await visitor.get(address);
      expectPage(answer, 200);
      expect(answer.text).toContain('<span class="badge accent">Operator</span>');
      expect(answer.text).toMatch(/<a href="\/operator\/console(?:\/\w+)?" aria-current="page">/);
      expect(answer.text).not.toContain('<script>alert');
    }
  });

  test('is in the account menu of operators alone', async () => {
    expect((await visitor.get('/account')).text).toContain('Operator console');
    expect((await (await newVisitor(owner.sessionToken)).get('/account')).text).not.toContain('Operator console');
  });
});

describe('the overview', () => {
  test('counts what the platform has, with links to the lists', async () => {
    const page = await visitor.get(base);
    const counted = /Organizations \d+ \d+ new in 7 days Users \d+ \d+ new in 7 days Nodes 1 1 ready Jobs \d+ /;
    expectPage(page, 200, counted);
    for (const area of ['organizations', 'users', 'nodes', 'jobs']) {
      expect(page.text).toContain(`<a href="${base}/${area}"><span class="lab">`);
    }
  });

  test('names what needs attention: dead letters, failed jobs and failed payments', async () => {
    const plan = `href="${base}/organizations/${tenant.orgId}/plan"`;
    expect((await visitor.get(base)).text).not.toContain(plan);
    const at = new Date();
    const letter = {
      status: 'failed',
      attempts: 12,
      leaseOwner: null,
      createdAt: at,
      nextAttemptAt: at,
      updatedAt: at,
    };
    const dead = {
      ...letter,
      _id: newId('ntf'),
      key: newId('ntf'),
      orgId: tenant.orgId,
      startedAt: at,
      lastError: null,
      lastFailure: null,
    };
    const overdue = { _id: tenant.orgId, orgId: tenant.orgId, revision: 1, effects: [] };
    await withDatabase(databaseUrl, async (database) => {
      const of = (name: string) => database.collection<{ _id: string }>(name);
      await until(
        async () => (await of('scheduled_jobs').findOne({ _id: 'identity.audit', doneAt: { $ne: null } })) !== null,
      );
      const stored = await of('billing_subscriptions').findOne({ _id: tenant.orgId });
      await of('notification_messages').insertOne(dead);
      await of('billing_subscriptions').updateOne(
        { _id: tenant.orgId },
        { $set: { 'subscription.status': 'past_due' }, $setOnInsert: overdue },
        { upsert: true },
      );
      await of('scheduled_jobs').updateOne({ _id: 'identity.audit' }, { $set: { lastError: hostileName } });
      try {
        const page = await visitor.get(base);
        expectPage(
          page,
          200,
          /1 failing Needs attention 1 job fails identity\.audit .*dead letters? waits? Notifications /,
        );
        expect(wordsOf(page)).toContain(`${hostileName} org-`);
        expect(wordsOf(page)).toContain('its last payment failed');
        expect(page.text).toContain(`href="${base}/queues?queue=notification"`);
        expect(page.text).toContain(plan);
      } finally {
        await of('notification_messages').deleteOne({ _id: dead._id });
        await of('scheduled_jobs').updateOne({ _id: 'identity.audit' }, { $set: { lastError: null } });
        if (stored) await of('billing_subscriptions').replaceOne({ _id: tenant.orgId }, stored);
        else await of('billing_subscriptions').deleteOne({ _id: tenant.orgId });
      }
    });
  });
});

describe('the jobs', () => {
  const jobs = `${base}/jobs`;
  const name = 'identity.oauth';
  const doneAt = async () =>
    (await withDatabase(databaseUrl, (database) => database.collection<Job>('scheduled_jobs').findOne({ _id: name })))
      ?.doneAt ?? null;

  test('run now', async () => {
    await until(async () => (await doneAt()) !== null);
    const before = await doneAt();
    expectPage(await visitor.get(jobs), 200, /identity\.oauth .*Run now/);
    expectRedirect(await visitor.postFrom(jobs, jobs, { name }), `${jobs}?done=requested`);
    expectPage(await visitor.get(`${jobs}?done=requested`), 200, /The job was started\./);
    await until(async () => (await doneAt())?.getTime() !== before?.getTime());
  });

  test.each([
    [{ name: 'identity.nothing' }, 404],
    [{ name: hostileName }, 404],
    [{ name: '' }, 404],
    [{ name, flow: 'x' }, 400],
    [{ name, more: '1' }, 400],
  ])('do not run for %j', async (fields, status) => {
    const before = await doneAt();
    expectPage(await visitor.postFrom(jobs, jobs, fields as Record<string, string>), status);
    expect(await doneAt()).toEqual(before);
  });
});

describe('the organizations', () => {
  test('are found by id and by the address of a member', async () => {
    for (const search of [tenant.orgId, owner.email]) {
      const answer = await visitor.get(`${base}/organizations?${new URLSearchParams({ search })}`);
      expectPage(answer, 200, /<script>alert\(1\)<\/script>"& org-\S+ Free, 1 member Free 1 Active/);
      expect(answer.text).toContain(`href="${page()}"`);
    }
    expectPage(await visitor.get(`${base}/organizations?search=%3Cb%3E`), 200, /No organization has this ID/);
  });

  test('continue behind a cursor, and a wrong one is refused', async () => {
    expectPage(await visitor.get(`${base}/organizations?cursor=x`), 400, /not one this list returned/);
  });

  test('are none for another id', async () => {
    for (const below of ['', '/plan', '/audit']) {
      expectPage(await visitor.get(page(newId('org')) + below), 404, /does not exist/);
    }
  });
});

describe('an organization', () => {
  test('shows its facts', async () => {
    expectPage(await visitor.get(page()), 200, /Slug org-\S+ Plan Free Members 1 Owners \S+@example\.com Created/);
  });

  test('is trusted and no longer trusted', async () => {
    expectRedirect(await visitor.postFrom(page(), `${page()}/trust`, { isTrusted: 'true' }), `${page()}?done=trusted`);
    expectPage(await visitor.get(`${page()}?done=trusted`), 200, /The organization is trusted\..*End trust/);
    expect(await stored('identity_organizations', tenant.orgId)).toMatchObject({ isTrusted: true });
    await visitor.postFrom(page(), `${page()}/trust`, { isTrusted: 'false' });
    expect(await stored('identity_organizations', tenant.orgId)).toMatchObject({ isTrusted: false });
    expect(await recordsOf('organization.trusted')).toMatchObject([
      { actor: { type: 'operator', id: operator.userId } },
    ]);
    expectPage(await visitor.get(`${page()}/audit`), 200, /You ended that browsers return/);
    const member = await newVisitor(owner.sessionToken);
    const overview = await member.get(`/console/${tenant.orgId.replace('_', '-')}`);
    expectPage(overview, 200, /An operator of the platform ended that browsers return/);
  });

  test('has clients that become first-party', async () => {
    const { clientId } = await createOAuthClient(databaseUrl, tenant, { redirectUris: ['https://shop.example/cb'] });
    await rename('identity_applications', tenant.applicationId);
    const path = `${page()}/clients/${clientId}`;
    expectPage(await visitor.get(page()), 200, /https:\/\/shop\.example Asked/);
    expect((await visitor.post(path, { flow: 'x', isFirstParty: 'true' })).status).toBe(400);
    expect((await visitor.postFrom(page(), `${page()}/clients/${newId('cli')}`, { isFirstParty: 'true' })).status).toBe(
      404,
    );
    expect((await stored('identity_oauth_clients', clientId))?.isFirstParty).toBeUndefined();
    expectRedirect(await visitor.postFrom(page(), path, { isFirstParty: 'true' }), `${page()}?done=first-party`);
    expectPage(await visitor.get(page()), 200, /https:\/\/shop\.example First-party/);
  });
});

describe('the plan of an organization', () => {
  const party = { name: 'A shop', address: [], taxId: null };
  const lines = [{ description: 'Pro, monthly', quantity: 1, unitAmount: 4900, period: null }];

  test('is given, if the form offers it', async () => {
    const plan = `${page()}/plan`;
    expectPage(await visitor.postFrom(plan, plan, { plan: 'gold' }), 400);
    expectPage(await visitor.get(plan), 200, /Audit log Free Free, with no end date/);
    expectRedirect(await visitor.postFrom(plan, plan, { plan: 'pro' }), `${plan}?done=given`);
    expectPage(await visitor.get(`${plan}?done=given`), 200, /The organization has the plan\. Pro Free of charge\./);
    expect(await recordsOf('subscription.given')).toMatchObject([
      { actor: { type: 'operator' }, after: { plan: 'pro' } },
    ]);
  });

  test('has invoices that are marked as paid', async () => {
    const order = { orgId: tenant.orgId, key: 'of a page', currency: 'eur' as const, buyer: party, lines };
    const draft = composeDraft(order, { seller: party, prefix: '', taxRate: null });
    const open = { ...draft, status: 'open' as const, series: tenant.orgId, sequence: 1, number: `${tenant.orgId}-1` };
    await withDatabase(databaseUrl, (database) =>
      database.collection<InvoiceDocument>('billing_invoices').insertOne(open),
    );
    const plan = `${page()}/plan`;
    const pay = `${plan}/invoices/${draft._id}`;
    expectPage(await visitor.get(plan), 200, /Open €49 Mark paid/);
    expect((await visitor.post(pay, { flow: 'x' })).status).toBe(400);
    const other = await newTenantClient();
    const elsewhere = `${page(other.orgId)}/plan/invoices/${draft._id}`;
    expect((await visitor.postFrom(plan, elsewhere)).status).toBe(404);
    expect(await stored('billing_invoices', draft._id)).toMatchObject({ status: 'open' });
    expectRedirect(await visitor.postFrom(plan, pay), `${plan}?done=paid`);
    expect(await stored('billing_invoices', draft._id)).toMatchObject({ status: 'paid' });
    expect((await visitor.get(plan)).text).not.toContain('Mark paid');
  });
});

describe('what a form of operators changes', () => {
  test('stays as it is for other users', async () => {
    const user = await newVisitor(owner.sessionToken);
    for (const [path, fields] of [
      [`${page()}/trust`, { isTrusted: 'true' }],
      [`${page()}/plan`, { plan: 'scale' }],
      [`${base}/queues`, { queue: 'mail', what: 'all' }],
    ] as const) {
      const answer = await user.postFrom('/account', path, fields);
      expect({ path, status: answer.status }).toEqual({ path, status: 404 });
    }
    expect((await stored('identity_organizations', tenant.orgId))?.isTrusted).not.toBe(true);
    expect(await owner.call('billing.subscription.read', { path: { orgId: tenant.orgId } })).not.toMatchObject({
      plan: 'scale',
    });
  });
});

test('the users are found by id and by the beginning of their address', async () => {
  for (const search of [owner.userId, owner.email.slice(0, 10)]) {
    const answer = await visitor.get(`${base}/users?${new URLSearchParams({ search })}`);
    expectPage(answer, 200, new RegExp(owner.userId));
    expect(answer.text).toContain(`href="${page()}"`);
  }
  expectPage(await visitor.get(`${base}/users?search=${operator.userId}`), 200, /None Operator Never/);
  expectPage(await visitor.get(`${base}/users?search=usr_x`), 200, /No user has this ID/);
});

test('the nodes show their services and whether they are ready', async () => {
  expectPage(
    await visitor.get(`${base}/nodes`),
    200,
    /Ready v\d+\.\d+\.\d+ [\d,]+ MiB \d+ min .*identity \w+ on \S+ One version/,
  );
});

test('the backups show when each was saved and whether its file is there, and warn when the newest is old', async () => {
  const { dataDir } = await sharedPlatform();
  const backup = { file: '/backups/<i>spring</i>.db', bytes: 48_200_000, objects: 1204 };
  await recordBackup(dataDir, { ...backup, savedAt: new Date(Date.now() - 8 * 86_400_000).toISOString() });
  const shown = await visitor.get(`${base}/backups`);
  expectPage(shown, 200, /The newest backup is more than 7 days old\. .*Moved or deleted 48\.2 MB 1,204/);
  expect(shown.text).toContain('/backups/&lt;i&gt;spring&lt;/i&gt;.db');
  await recordBackup(dataDir, { ...backup, savedAt: new Date().toISOString() });
  expect(wordsOf(await visitor.get(`${base}/backups`))).not.toContain('more than 7 days');
});

test('the jobs show when they ran and what failed', async () => {
  expectPage(await visitor.get(`${base}/jobs`), 200, /context\.retention/);
});

describe('the queues', () => {
  async function newDeadLetter(): Promise<string> {
    const template = await tenant.call('mail.templates.create', { body: { name: 'A', subject: 'a', text: 'b' } });
    const body = { to: `${newId('req')}@example.com`, templateId: template.id };
    const { messageId } = await tenant.call('mail.messages.send', { body });
    await withDatabase(databaseUrl, async (database) => {
      const messages = database.collection<{ _id: string }>('mail_messages');
      const dead = { status: 'failed', lastFailure: 'refused', lastError: `550 ${hostileName}`, attempts: 3 };
      // The message may still be on its way: it is dead once no lease can end otherwise.
      for (let isDead = false; !isDead; ) {
        const { modifiedCount } = await messages.updateOne({ _id: messageId, status: 'sent' } as never, { $set: dead });
        isDead = modifiedCount === 1;
      }
    });
    return messageId;
  }

  test('queue a dead letter again, with a record in its organization', async () => {
    const messageId = await newDeadLetter();
    const queues = `${base}/queues`;
    expectPage(await visitor.get(queues), 200, new RegExp(`${messageId} 550 <script>`));
    expect((await visitor.post(queues, { flow: 'x', queue: 'mail', what: messageId })).status).toBe(400);
    expect(await stored('mail_messages', messageId)).toMatchObject({ status: 'failed' });
    expectRedirect(
      await visitor.postFrom(queues, queues, { queue: 'mail', what: messageId }),
      `${queues}?done=redriven`,
    );
    expect((await stored('mail_messages', messageId))?.status).not.toBe('failed');
    expect(await recordsOf('dead-letters.requeued')).toMatchObject([
      { actor: { type: 'operator' }, target: { type: 'mail', id: messageId }, after: { requeued: 1 } },
    ]);
  });

  test('refuse what is no dead letter', async () => {
    const queues = `${base}/queues`;
    const messageId = await newDeadLetter();
    const answer = await visitor.postFrom(queues, queues, { queue: 'mail', what: 'msg_unknown' });
    expectPage(answer, 404, /no such resource/i);
    // Other tests may have dead letters of notifications meanwhile.
    const others = await visitor.get(`${queues}?queue=notification`);
    expectPage(others, 200, /No dead letters|Dead letters of Notifications/);
    expect(others.text).not.toContain(messageId);
  });
});
