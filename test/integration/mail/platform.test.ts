import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Collection } from 'mongodb';
import type { MessageDocument } from '../../../models/mail/message.ts';
import { clientOf } from '../../support/client.ts';
import { freePort } from '../../support/free-port.ts';
import { send } from '../../support/http.ts';
import { readMetric } from '../../support/metrics.ts';
import { visitorOf, wordsOf } from '../../support/pages.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { bodyOf, headerOf, type SmtpServer, startSmtpServer } from '../../support/smtp-server.ts';
import { storageOf } from '../../support/storage-client.ts';
import { createTenant, databaseUrlOf, slugOf, withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { createUser } from '../../support/user-client.ts';
import { askPlatform } from './ask-platform.ts';

describe('a platform with a mail server', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'platform-'));
  let server: SmtpServer;
  let platform: Platform;
  let metricsPort: number;

  async function newTenant() {
    const tenant = await createTenant(await databaseUrlOf(platform));
    return { ...tenant, ...clientOf({ url: platform.url, ...tenant }) };
  }

  beforeAll(async () => {
    server = await startSmtpServer();
    metricsPort = freePort();
    platform = await start();
  });
  afterAll(async () => {
    await platform.stop();
    await server.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const credentials = 'postmark:a-long-random-password';
  const start = () =>
    startPlatform({
      dataDir,
      env: {
        SMTP_URL: server.url,
        METRICS_PORT: String(metricsPort),
        DEV_MAILBOX: 'yes',
        MAIL_RECIPIENT_LIMIT: '40',
        MAIL_SENDER_DOMAINS: 'shared.example,acme.example=org_01m8fpw7c97teamq3z020hcsw2',
        MAIL_POSTMARK_CREDENTIALS: credentials,
      },
    });
  const ask = async () => askPlatform({ dataDir, databaseUrl: await databaseUrlOf({ dataDir }) });

  test('sends through it, and counts what it sent', async () => {
    const id = await ask();
    await until(() => server.mails.some(({ headers }) => headers.includes(`<${id}@localhost>`)));
    await until(async () => (await readMetric(metricsPort, 'mail_sent_total')) === 1);
    await until(async () => (await readMetric(metricsPort, 'mail_queued')) === 0);
    expect(await readMetric(metricsPort, 'mail_failed_total')).toBe(0);
    expect(platform.output()).not.toContain('s3cr3t');
  });

  test('takes no attachment of another organization and no 10 MB of variables, and stores nothing then', async () => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    expect((await (await storageOf(other)).put(other.orgId, 'terms.txt', 'Terms of another.')).status).toBe(200);
    const variables = [{ name: 'name', required: true, sample: 'Grace' }];
    const template = { name: 'Order', subject: 'Order', text: 'Hello {{ name }}', variables };
    const { id: templateId } = await tenant.call('mail.templates.create', { body: template });
    const whole = { to: 'grace@example.com', templateId, variables: { name: 'Grace' } };
    const refused = async (body: object) => {
      const answer = await tenant.send<{ details?: { path: string }[] }>('POST', '/v1/mail/send', body);
      return [answer.status, answer.body.details?.[0]?.path];
    };
    const attachments = [{ bucket: other.orgId, key: 'terms.txt' }];
    expect(await refused({ ...whole, attachments })).toEqual([400, 'body.attachments.0']);
    expect((await refused({ ...whole, variables: { name: 'x'.repeat(10_000_000) } }))[0]).toBe(413);
    expect((await tenant.call('mail.messages.list', { query: {} })).data).toEqual([]);
  });

  test('sends for an organization: its sender, attachments, locale, and a way to unsubscribe by one POST', async () => {
    const tenant = await createTenant(await databaseUrlOf(platform));
    const client = clientOf({ url: platform.url, ...tenant });
    const stored = await (await storageOf(client)).put(tenant.orgId, 'terms.txt', 'Our terms.');
    expect(stored.status).toBe(200);
    await client.call('mail.settings.write', { body: { fromName: 'Acme, "Bikes"', replyTo: 'desk@acme.example' } });
    const content = { subject: 'News', text: 'News of {{ name }}: {{ unsubscribeUrl }}' };
    const { id: templateId } = await client.call('mail.templates.create', {
      body: {
        name: 'News',
        category: 'marketing',
        ...content,
        variables: [{ name: 'name', required: true, sample: 'Acme' }],
        locales: { de: { subject: 'Neues von {{ name }}', text: content.text } },
      },
    });
    const send202 = { to: 'grace@example.com', templateId, variables: { name: 'A\r\nBcc: eve@example.com' } };
    const attachments = [{ bucket: tenant.orgId, key: 'terms.txt' }];
    const body = { ...send202, locale: 'de-AT', attachments };
    const { messageId } = await client.call('mail.messages.send', { body });
    await until(() => server.mails.some(({ headers }) => headers.includes(messageId)));
    const { headers, text } = server.mails.find((mail) => mail.headers.includes(messageId))!;
    expect(headers).toMatch(/^From: "Acme, \\"Bikes\\" via Platform" <messages@localhost>$/m);
    expect(headers).toMatch(/^Reply-To: desk@acme\.example$/m);
    expect(headers).toMatch(/^Subject: Neues von A Bcc: eve@example\.com$/m);
    expect(headers).not.toMatch(/^(?:Bcc|Auto-Submitted):/im);
    expect(text).toMatch(/filename=terms\.txt/);
    expect(text).toContain(Buffer.from('Our terms.').toString('base64'));

    const address = /^List-Unsubscribe: <([^>]+)>$/m.exec(headers.replace(/\n\s+/g, ' '))![1]!;
    expect(headers).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click$/m);
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const path = new URL(address).pathname;
    const posted = await send(platform.url, {
      method: 'POST',
      path,
      body: 'List-Unsubscribe=One-Click',
      headers: type,
    });
    expect(posted.status).toBe(200);
    expect(await client.call('mail.messages.send', { body: send202 })).toMatchObject({ status: 'suppressed' });
  });

  test('shows in the overview of an organization whether it sends from a domain that the operator allows', async () => {
    const tenant = await newTenant();
    const { sessionToken } = await createUser(await databaseUrlOf(platform), { orgId: tenant.orgId });
    const owner = visitorOf(platform.url, sessionToken);
    const step = async () => {
      const words = wordsOf(await owner.get(`/console/${slugOf(tenant.orgId)}`));
      return /(Done: )?Send from your own domain/.exec(words)?.[0];
    };
    expect(await step()).toBe('Send from your own domain');
    await tenant.call('mail.settings.write', { body: { from: 'hello@shared.example' } });
    await until(async () => (await step()) === 'Done: Send from your own domain');
  });

  test('sends marketing with a link to unsubscribe where its template has none, as the preview shows it', async () => {
    const tenant = await newTenant();
    const create = async (category: 'marketing' | 'transactional', content: object) => {
      const body = { name: 'News', category, subject: 'News', ...content };
      return (await tenant.call('mail.templates.create', { body })).id;
    };
    const countLinks = (text: string, link: string) => text.split(link).length - 1;
    const html = '<body><p>News.</p></body>';
    const own = '<body><a href="https://t.example/?to={{ unsubscribeUrl | url_encode }}">No more news</a></body>';
    for (const [category, content, links] of [
      ['marketing', { html }, [1, 1]],
      ['marketing', { html: own, text: 'News.' }, [1, 1]],
      ['marketing', { html: '{% if false %}<a href="{{ unsubscribeUrl }}">x</a>{% endif %}' }, [1, 1]],
      ['marketing', { text: 'News.' }, [0, 1]],
      ['transactional', { html, text: 'News.' }, [0, 0]],
    ] as const) {
      const templateId = await create(category, content);
      const { messageId } = await tenant.call('mail.messages.send', { body: { to: 'ann@example.com', templateId } });
      await until(() => server.mails.some(({ headers }) => headers.includes(messageId)));
      const received = server.mails.find(({ headers }) => headers.includes(messageId))!;
      const address = /^List-Unsubscribe: <([^>]+)>$/m.exec(received.headers.replace(/\n\s+/g, ' '))?.[1] ?? 'none';
      const token = address.split('/').at(-1)!;
      const parts = bodyOf(received);
      expect({ content, links: [countLinks(parts.html, token), countLinks(parts.text, token)] }).toEqual({
        content,
        links,
      });
      const preview = await tenant.call('mail.templates.preview', { path: { templateId }, body: {} });
      const shown = [preview.html ?? '', preview.text ?? ''].map((part) => countLinks(part, 'unsubscribeUrl'));
      expect({ content, links: shown }).toEqual({ content, links });
    }
  });

  test('sends optional variables that are not sent as nil, in its subject too', async () => {
    const tenant = await newTenant();
    const branch = '{% if company %}For {{ company }}{% else %}For you{% endif %}';
    const { id: templateId } = await tenant.call('mail.templates.create', {
      body: {
        name: 'Order',
        subject: branch,
        html: `<p>${branch}</p>`,
        text: `${branch}: {{ price | times: 3 }}`,
        variables: [
          { name: 'company', required: false, sample: 'Acme' },
          { name: 'price', required: true, sample: '1.10' },
        ],
      },
    });
    const arrived = async (variables: Record<string, string>) => {
      const body = { to: 'ann@example.com', templateId, variables };
      const { messageId } = await tenant.call('mail.messages.send', { body });
      await until(() => server.mails.some(({ headers }) => headers.includes(messageId)));
      const received = server.mails.find(({ headers }) => headers.includes(messageId))!;
      const { html, text } = bodyOf(received);
      return [headerOf(received, 'Subject'), html.trim(), text.trim()];
    };
    expect(await arrived({ price: '1.10' })).toEqual(['For you', '<p>For you</p>', 'For you: 3.3']);
    expect(await arrived({ price: '0.1', company: 'Mugs' })).toEqual([
      ...['For Mugs', '<p>For Mugs</p>', 'For Mugs: 0.3'],
    ]);
  });

  test('unsubscribes by one POST of the signed link, whatever comes with it', async () => {
    const tenant = await newTenant();
    const content = { subject: 'News', text: 'News: {{ unsubscribeUrl }}' };
    const { id: templateId } = await tenant.call('mail.templates.create', {
      body: { name: 'News', category: 'marketing', ...content },
    });
    const { messageId } = await tenant.call('mail.messages.send', { body: { to: 'ann@example.com', templateId } });
    await until(() => server.mails.some(({ headers }) => headers.includes(messageId)));
    const { headers: sent } = server.mails.find((mail) => mail.headers.includes(messageId))!;
    const path = new URL(/^List-Unsubscribe: <([^>]+)>$/m.exec(sent)![1]!).pathname;
    const user = await createUser(await databaseUrlOf(platform));
    const cookie = `platform_session=${user.sessionToken}`;
    const form = 'List-Unsubscribe=One-Click';
    const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };
    const multipart = [
      ...['--a', 'Content-Disposition: form-data; name="List-Unsubscribe"', '', 'One-Click', '--a--', ''],
    ].join('\r\n');
    const posts: { body?: string | Uint8Array; headers?: Record<string, string> }[] = [
      { body: multipart, headers: { 'content-type': 'multipart/form-data; boundary=a' } },
      { body: multipart, headers: { 'content-type': 'multipart/form-data' } },
      { body: form, headers: urlencoded },
      { body: form, headers: { 'content-type': 'application/x-www-form-urlencoded; charset=iso-8859-1' } },
      { body: form },
      { body: form, headers: { 'content-type': 'text/plain' } },
      { body: Buffer.from('84ff', 'hex'), headers: { 'content-encoding': 'gzip' } },
      { body: '' },
      {},
      { body: form, headers: { ...urlencoded, origin: 'https://mail.example' } },
      { body: form, headers: { ...urlencoded, origin: 'null' } },
      { body: form, headers: { ...urlencoded, origin: 'https://mail.example', cookie } },
      { body: form, headers: { ...urlencoded, cookie } },
      { body: form, headers: { ...urlencoded, authorization: 'Bearer x' } },
    ];
    for (const post of posts) {
      const answer = await send(platform.url, { method: 'POST', path, ...post });
      const { data } = await tenant.call('mail.suppressions.list', { query: {} });
      expect({ post, status: answer.status, data }).toMatchObject({
        status: 200,
        data: [{ address: 'ann@example.com', reason: 'unsubscribed', messageId }],
      });
      await tenant.call('mail.suppressions.delete', { path: { suppressionId: data[0]!.id } });
    }
    const large = await send(platform.url, { method: 'POST', path, body: 'x'.repeat(70_000) });
    const changed = await send(platform.url, { method: 'POST', path: `${path.slice(0, -2)}AA`, body: form });
    expect([large.status, changed.status]).toEqual([413, 404]);
    expect((await tenant.call('mail.suppressions.list', { query: {} })).data).toEqual([]);
  });

  test('takes as many mails to suppressed addresses a day as the plan has suppressions', async () => {
    const databaseUrl = await databaseUrlOf(platform);
    const counts = <T>(work: (collection: Collection<{ _id: string; count: number }>) => Promise<T>) =>
      withDatabase(databaseUrl, (database) => work(database.collection('mail_recipient_counts')));
    const [tenant, other] = [await newTenant(), await newTenant()];
    const ways = await Promise.all(
      [tenant, other].map(async (one) => {
        await one.call('mail.suppressions.create', { body: { address: 'ann@example.com' } });
        const { id: templateId } = await one.call('mail.templates.create', {
          body: { name: 'Order', subject: 'Order', text: 'It is on its way.' },
        });
        return () => one.attempt('mail.messages.send', { body: { to: 'ann@example.com', templateId } });
      }),
    );
    const [send, sendOther] = ways as [(typeof ways)[0], (typeof ways)[0]];
    const before = await counts((all) => all.distinct('_id'));
    expect(await send()).toMatchObject({ status: 202, body: { status: 'suppressed' } });
    const { modifiedCount } = await counts((all) =>
      all.updateMany({ _id: { $nin: before }, count: 1 }, { $set: { count: 9_999 } }),
    );
    expect(modifiedCount).toBe(1);
    expect(await send()).toMatchObject({ status: 202 });
    const refused = await send();
    expect(refused).toMatchObject({ status: 429, body: { error: 'RATE_LIMITED' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const stored = await withDatabase(databaseUrl, (database) =>
      database.collection('mail_messages').countDocuments({ orgId: tenant.orgId }),
    );
    expect(stored).toBe(2);
    expect(await sendOther()).toMatchObject({ status: 202 });
  });

  test('names its sender so that no organization looks like the platform', async () => {
    const tenant = await newTenant();
    const { id: templateId } = await tenant.call('mail.templates.create', {
      body: { name: 'Order', subject: 'Order', text: 'It is on its way.' },
    });
    const sender = async () => {
      const { messageId } = await tenant.call('mail.messages.send', { body: { to: 'ann@example.com', templateId } });
      return (await tenant.call('mail.messages.read', { path: { messageId } })).from;
    };
    const { name } = await tenant.call('identity.organizations.read', {
      path: { slug: tenant.orgId.replace('_', '-') },
    });
    expect(await tenant.call('mail.settings.read', {})).toEqual({
      fromName: name,
      from: 'messages@localhost',
      replyTo: null,
    });
    expect(await sender()).toEqual({ name: `${name} via Platform`, address: 'messages@localhost' });
    const put = async (body: object) => {
      const answer = await tenant.send<{ details?: { path: string }[] }>('PUT', '/v1/mail/settings', body);
      return [answer.status, answer.body.details?.[0]?.path];
    };
    for (const fromName of [
      'Platform',
      'PLATFORM support',
      'Рlаtfоrm',
      'P.l.a.t.f.o.r.m',
      'evil.example',
      'https://evil',
    ]) {
      expect([fromName, await put({ fromName })]).toEqual([fromName, [400, 'body.fromName']]);
    }
    for (const from of ['no-reply@localhost', 'mail@acme.example', 'mail@other.example']) {
      expect([from, await put({ from })]).toEqual([from, [400, 'body.from']]);
    }
    expect(await put({ fromName: 'Acme', from: 'messages@localhost' })).toEqual([200, undefined]);
    expect(await sender()).toEqual({ name: 'Acme via Platform', address: 'messages@localhost' });
    expect(await put({ fromName: 'Acme', from: 'acme@shared.example' })).toEqual([200, undefined]);
    expect(await sender()).toEqual({ name: 'Acme', address: 'acme@shared.example' });
  });

  test('sends no more than so many mails an hour of all organizations together to one address', async () => {
    const to = `stranger+${Date.now()}@example.com`;
    const outcomes = await Promise.all(
      [await newTenant(), await newTenant(), await newTenant()].map(async (tenant) => {
        const body = { name: 'Order', subject: 'Order', text: 'It is on its way.' };
        const { id: templateId } = await tenant.call('mail.templates.create', { body });
        const answers = [];
        for (let count = 0; count < 20; count += 1) {
          answers.push(await tenant.send('POST', '/v1/mail/send', { to, templateId }));
        }
        const other = { to: `x${to}`, templateId };
        expect((await tenant.send('POST', '/v1/mail/send', other)).status).toBe(202);
        return answers.map(({ status }) => status);
      }),
    );
    const statuses = outcomes.flat();
    expect(statuses.filter((status) => status === 202)).toHaveLength(40);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  });

  test('sends no more what waits for an address when the address is suppressed', async () => {
    const tenant = await newTenant();
    const template = { name: 'Order', subject: 'Order', text: 'It is on its way.' };
    const { id: templateId } = await tenant.call('mail.templates.create', { body: template });
    const waiting = async (to: string) => {
      server.reply('RCPT', '451 4.7.1 Try again later');
      const { messageId } = await tenant.call('mail.messages.send', { body: { to, templateId } });
      const read = () => tenant.call('mail.messages.read', { path: { messageId } });
      await until(async () => (await read()).events[0]?.detail !== null);
      return read;
    };
    const [readGrace, readAda] = [await waiting('Grace@Example.com'), await waiting('ada@example.com')];
    await tenant.call('mail.suppressions.create', { body: { address: 'grace@example.com' } });
    const suppressed = await readGrace();
    expect(suppressed.status).toBe('suppressed');
    expect(suppressed.events.map(({ type, detail }) => [type, detail])).toEqual([
      ['queued', null],
      ['suppressed', null],
    ]);
    expect((await readAda()).status).toBe('queued');
  });

  describe('takes reports of Postmark', () => {
    type Report = { RecordType: string; Type?: string; Email: string };

    /** A tenant with a mail that was sent. */
    async function newSender() {
      const tenant = await newTenant();
      const template = { name: 'Order', subject: 'Order', text: 'It is on its way.' };
      const { id: templateId } = await tenant.call('mail.templates.create', { body: template });
      const body = { to: 'Grace@Example.com', templateId };
      const { messageId } = await tenant.call('mail.messages.send', { body });
      const read = () => tenant.call('mail.messages.read', { path: { messageId } });
      await until(async () => (await read()).status === 'sent');
      return { tenant, body, messageId, read };
    }

    const report = (messageId: string, body: Report, authorization?: string) =>
      send(platform.url, {
        method: 'POST',
        path: '/v1/mail/feedback/postmark',
        headers: { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) },
        body: JSON.stringify({ ...body, Metadata: { 'Message-Id': messageId }, Details: '550 No such user' }),
      });
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

    test.each<[Report, 'bounced' | 'complained']>([
      [{ RecordType: 'Bounce', Type: 'HardBounce', Email: 'grace@example.com' }, 'bounced'],
      [{ RecordType: 'SpamComplaint', Email: 'grace@example.com' }, 'complained'],
    ])('with the credentials: %j suppresses the address', async (body, reason) => {
      const { tenant, body: again, messageId, read } = await newSender();
      for (let times = 0; times < 2; times += 1) {
        const { status, text } = await report(messageId, body, basic(credentials));
        expect([status, JSON.parse(text)]).toEqual([200, { received: true }]);
      }
      expect((await read()).events.map(({ type }) => type)).toEqual(['queued', 'sent', reason]);
      const { data } = await tenant.call('mail.suppressions.list', { query: {} });
      expect(data).toMatchObject([{ address: 'grace@example.com', reason, messageId }]);
      expect(await tenant.call('mail.messages.send', { body: again })).toMatchObject({ status: 'suppressed' });
    });

    test('of a bounce that may pass, without suppressing', async () => {
      const { tenant, messageId, read } = await newSender();
      const body = { RecordType: 'Bounce', Type: 'SoftBounce', Email: 'grace@example.com' };
      expect((await report(messageId, body, basic(credentials))).status).toBe(200);
      expect(await read()).toMatchObject({ status: 'sent', events: [{}, {}, { type: 'bounced' }] });
      expect((await tenant.call('mail.suppressions.list', { query: {} })).data).toEqual([]);
    });

    test('not with wrong credentials or none, and changes nothing then', async () => {
      const { tenant, messageId, read } = await newSender();
      const body = { RecordType: 'Bounce', Type: 'HardBounce', Email: 'grace@example.com' };
      const wrong = ['postmark:another', credentials.toUpperCase(), `${credentials} `, ''].map(basic);
      for (const authorization of [...wrong, `Bearer ${credentials}`, credentials, 'Basic', undefined]) {
        const { status, text } = await report(messageId, body, authorization);
        expect([authorization, status, JSON.parse(text).error]).toEqual([authorization, 400, 'WEBHOOK_INVALID']);
      }
      expect(await read()).toMatchObject({ status: 'sent', events: [{}, {}] });
      expect((await tenant.call('mail.suppressions.list', { query: {} })).data).toEqual([]);
    });
  });

  test('has no mailbox for development, although it was allowed', async () => {
    const id = await ask();
    for (const path of ['/dev/mailbox', `/dev/mailbox/${id}`, `/dev/mailbox/${id}/html`]) {
      const { status, headers, text } = await send(platform.url, { path });
      expect({ status, type: headers['content-type'] }).toEqual({ status: 404, type: 'text/html; charset=utf-8' });
      expect(text).not.toMatch(/s3cr3t|ada@example/);
    }
    await until(() => server.mails.some(({ headers }) => headers.includes(id)));
  });

  test('sends again what it was sending when it was killed, under the same Message-ID', async () => {
    const release = server.hold();
    const before = server.texts();
    const id = await ask();
    await until(() => server.texts() === before + 1);
    await platform.kill();
    platform = await start();
    // The lease of the dead process ends.
    await withDatabase(await databaseUrlOf({ dataDir }), (database) =>
      database
        .collection<MessageDocument>('mail_messages')
        .updateOne({ _id: id, status: 'sending' }, { $set: { nextAttemptAt: new Date(0) } }),
    );
    release();
    await until(() => server.mails.filter(({ headers }) => headers.includes(`<${id}@localhost>`)).length === 2);
  });
});
