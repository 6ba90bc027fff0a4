import { expect } from '@jest/globals';
import { newId } from '../../lib/data/ids.ts';
import type { Client } from '../support/client.ts';
import { send } from '../support/http.ts';
import { eventually } from '../support/until.ts';
import { covers } from './covers.ts';

const text = { subject: 'Order {{ number }}', text: 'Hello {{ name }}, order {{ number }}.' };
const variables = [
  { name: 'name', required: false, sample: 'Grace' },
  { name: 'number', required: true, sample: 'A-1' },
];
const newAddress = () => `${newId('req')}@example.com`;

async function withTemplate(client: Client, work: (templateId: string) => Promise<void>, content: object = text) {
  const body = { name: 'Order', ...content, variables };
  const { id } = await client.call('mail.templates.create', { body });
  try {
    await work(id);
  } finally {
    await client.attempt('mail.templates.delete', { path: { templateId: id } });
  }
}

const mailOf = (client: Client, templateId: string, more: object = {}) =>
  client.attempt('mail.messages.send', { body: { to: newAddress(), templateId, variables: { number: '7' }, ...more } });

covers('mail.send', async ({ own }) => {
  await withTemplate(own, async (templateId) => {
    const { status, body } = await mailOf(own, templateId);
    expect([status, body]).toEqual([202, { messageId: expect.stringMatching(/^msg_/), status: 'queued' }]);
  });
});

covers('mail.send-refused', async ({ own }) => {
  await withTemplate(own, async (templateId) => {
    const refused = async (body: object) => {
      const answer = await own.send<{ details?: { path: string }[] }>('POST', '/v1/mail/send', body);
      return [answer.status, answer.body.details?.[0]?.path];
    };
    const whole = { to: newAddress(), templateId, variables: { number: '7' } };
    expect(await refused({ ...whole, to: undefined })).toEqual([400, 'body.to']);
    expect(await refused({ ...whole, to: 'ada@example.com, bob@example.com' })).toEqual([400, 'body.to']);
    expect(await refused({ ...whole, templateId: undefined })).toEqual([400, 'body.templateId']);
    expect(await refused({ ...whole, templateId: newId('tpl') })).toEqual([400, 'body.templateId']);
    expect(await refused({ ...whole, variables: {} })).toEqual([400, 'body.variables.number']);
  });
});

covers('mail.messages', async ({ own }) => {
  await withTemplate(own, async (templateId) => {
    const to = newAddress();
    const { body } = await mailOf(own, templateId, { to });
    const sent = { query: { to, status: 'sent' as const } };
    await eventually(async () => {
      const { data } = await own.call('mail.messages.list', sent);
      expect(data).toMatchObject([{ messageId: (body as { messageId: string }).messageId, to, status: 'sent' }]);
    });
    expect((await own.call('mail.messages.list', { query: { to, status: 'failed' } })).data).toEqual([]);
  });
});

covers('mail.message', async ({ own }) => {
  await withTemplate(own, async (templateId) => {
    const { messageId } = await own.call('mail.messages.send', {
      body: { to: newAddress(), templateId, variables: { number: '7' } },
    });
    await eventually(async () => {
      const message = await own.call('mail.messages.read', { path: { messageId } });
      expect(message).toMatchObject({ status: 'sent', subject: 'Order 7', templateId, templateVersion: 1 });
      expect(message.events.map(({ type }) => type)).toEqual(['queued', 'sent']);
    });
  });
});

covers('mail.resend', async ({ own, other }) => {
  await withTemplate(own, async (templateId) => {
    const { messageId } = await own.call('mail.messages.send', {
      body: { to: newAddress(), templateId, variables: { number: '7' } },
    });
    const path = { messageId };
    await eventually(async () =>
      expect(await own.call('mail.messages.read', { path })).toMatchObject({ status: 'sent' }),
    );
    const refused = { status: 409, body: { error: 'MESSAGE_NOT_RESENDABLE' } };
    expect(await own.attempt('mail.messages.resend', { path })).toMatchObject(refused);
    expect(await other.attempt('mail.messages.resend', { path })).toMatchObject({ status: 404 });
  });
});

covers('mail.templates', async ({ own }) => {
  await withTemplate(own, async (templateId) => {
    const { data } = await own.call('mail.templates.list', { query: { limit: '100' } });
    expect(data).toContainEqual(expect.objectContaining({ id: templateId, liveVersion: 1, latestVersion: 1 }));
  });
});

covers('mail.template-create', async ({ own }) => {
  await withTemplate(own, async (templateId) => {
    const template = await own.call('mail.templates.read', { path: { templateId }, query: {} });
    expect(template).toMatchObject({ id: templateId, ...text, variables, version: 1, liveVersion: 1, locales: {} });
  });
});

covers('mail.template-starters', async ({ own }) => {
  const { data, nextCursor } = await own.call('mail.templates.starters', { query: {} });
  expect(nextCursor).toBeNull();
  const first = await own.call('mail.templates.starters', { query: { limit: '2' } });
  const rest = await own.call('mail.templates.starters', { query: { cursor: first.nextCursor! } });
  expect([...first.data, ...rest.data]).toEqual(data);
  expect(data.length).toBeGreaterThanOrEqual(6);
  for (const { starter, variables: of } of data) {
    const created = await own.call('mail.templates.create', { body: { starter } });
    expect(created).toMatchObject({ liveVersion: 1, variables: of });
    await own.call('mail.templates.delete', { path: { templateId: created.id } });
  }
});

covers('mail.template', async ({ own }) => {
  await withTemplate(own, async (templateId) => {
    await own.call('mail.templates.update', { path: { templateId }, body: { subject: 'Second' } });
    const read = (version: string) => own.call('mail.templates.read', { path: { templateId }, query: { version } });
    expect([(await read('1')).subject, (await read('2')).subject]).toEqual([text.subject, 'Second']);
  });
});

covers('mail.template-update', async ({ own }) => {
  await withTemplate(own, async (templateId) => {
    const update = (body: object) => own.call('mail.templates.update', { path: { templateId }, body });
    expect(await update({ subject: 'Second' })).toMatchObject({ liveVersion: 2, latestVersion: 2, version: 2 });
    expect(await update({ subject: 'Third', publish: false })).toMatchObject({ liveVersion: 2, latestVersion: 3 });
  });
});

covers('mail.template-versions', async ({ own, other }) => {
  await withTemplate(own, async (templateId) => {
    const path = { templateId };
    await own.call('mail.templates.update', { path, body: { subject: 'Second' } });
    const { data } = await own.call('mail.templates.versions', { path, query: {} });
    expect(data.map(({ version, subject }) => [version, subject])).toEqual([
      [2, 'Second'],
      [1, text.subject],
    ]);
    expect((await other.attempt('mail.templates.versions', { path, query: {} })).status).toBe(404);
  });
});

covers('mail.template-publish', async ({ own }) => {
  await withTemplate(own, async (templateId) => {
    const path = { templateId };
    await own.call('mail.templates.update', { path, body: { subject: 'Second', publish: false } });
    expect(await own.call('mail.templates.publish', { path, body: {} })).toMatchObject({ liveVersion: 2 });
    expect(await own.call('mail.templates.publish', { path, body: { version: 1 } })).toMatchObject({ liveVersion: 1 });
  });
});

covers('mail.template-preview', async ({ own }) => {
  const german = { locales: { de: { subject: 'Bestellung {{ number }}', html: '<p>{{ name }}</p>' } } };
  await withTemplate(
    own,
    async (templateId) => {
      const preview = (body: object) => own.call('mail.templates.preview', { path: { templateId }, body });
      expect(await preview({})).toMatchObject({ locale: null, subject: 'Order A-1', text: 'Hello Grace, order A-1.' });
      expect(await preview({ locale: 'de-AT', variables: { name: '<b>Ada</b>' } })).toMatchObject({
        locale: 'de',
        subject: 'Bestellung A-1',
        html: '<p>&lt;b&gt;Ada&lt;/b&gt;</p>',
        text: '<b>Ada</b>',
      });
    },
    { ...text, ...german },
  );
});

covers('mail.template-test', async ({ own }) => {
  await withTemplate(own, async (templateId) => {
    const path = { templateId };
    await own.call('mail.templates.update', { path, body: { subject: 'Draft', publish: false } });
    const { status, body } = await own.attempt('mail.templates.test', { path, body: { to: newAddress() } });
    expect([status, body]).toEqual([202, { messageId: expect.stringMatching(/^msg_/), status: 'queued' }]);
    const { messageId } = body as { messageId: string };
    await eventually(async () => {
      expect(await own.call('mail.messages.read', { path: { messageId } })).toMatchObject({ subject: 'Draft' });
    });
  });
});

covers('mail.template-delete', async ({ own }) => {
  await withTemplate(own, async (templateId) => {
    const path = { templateId };
    expect((await own.attempt('mail.templates.delete', { path })).status).toBe(204);
    expect((await own.attempt('mail.templates.read', { path, query: {} })).status).toBe(404);
    expect((await mailOf(own, templateId)).status).toBe(400);
  });
});

covers('mail.settings', async ({ own }) => {
  const settings = await own.call('mail.settings.read', {});
  expect(settings).toEqual({
    fromName: expect.any(String),
    from: expect.stringContaining('@'),
    replyTo: settings.replyTo,
  });
});

covers('mail.settings-change', async ({ own }) => {
  const before = await own.call('mail.settings.read', {});
  const body = { fromName: 'Acme, "Bikes" <x>', replyTo: 'service@acme.example' };
  expect(await own.call('mail.settings.write', { body })).toEqual({ ...body, from: before.from });
  const { status } = await own.attempt('mail.settings.write', { body: { from: 'ceo@bank.example' } });
  expect(status).toBe(400);
  expect(await own.call('mail.settings.read', {})).toEqual({ ...body, from: before.from });
  await own.call('mail.settings.write', { body: {} });
});

covers('mail.suppressions', async ({ own }) => {
  const address = newAddress();
  const { id } = await own.call('mail.suppressions.create', { body: { address } });
  const { data } = await own.call('mail.suppressions.list', { query: { address } });
  expect(data).toMatchObject([{ id, address, reason: 'manual' }]);
});

covers('mail.suppress', async ({ own }) => {
  await withTemplate(own, async (templateId) => {
    const to = newAddress();
    await own.call('mail.suppressions.create', { body: { address: to.toUpperCase() } });
    const { status, body } = await mailOf(own, templateId, { to });
    expect([status, body]).toEqual([202, { messageId: expect.any(String), status: 'suppressed' }]);
  });
});

covers('mail.unsuppress', async ({ own }) => {
  await withTemplate(own, async (templateId) => {
    const to = newAddress();
    const { id } = await own.call('mail.suppressions.create', { body: { address: to } });
    expect((await own.attempt('mail.suppressions.delete', { path: { suppressionId: id } })).status).toBe(204);
    expect((await mailOf(own, templateId, { to })).body).toMatchObject({ status: 'queued' });
  });
});

const report = (url: string, path: string, body: object, headers: Record<string, string> = {}) =>
  send<{ error?: string }>(url, { method: 'POST', path, body: JSON.stringify(body), headers });

covers('mail.feedback', async ({ own }) => {
  const body = { messageId: newId('msg'), type: 'bounced' };
  const headers = { 'content-type': 'text/plain', 'x-signature': `t=1,v1=${'0'.repeat(64)}` };
  expect([400, 404]).toContain((await report(own.url, '/v1/mail/feedback', body, headers)).status);
});

covers('mail.feedback-ses', async ({ own }) => {
  const headers = { 'content-type': 'text/plain' };
  expect([400, 404]).toContain((await report(own.url, '/v1/mail/feedback/ses', { Type: 'x' }, headers)).status);
});

covers('mail.feedback-postmark', async ({ own }) => {
  const headers = { 'content-type': 'application/json', authorization: 'Basic eDp5' };
  const answer = await report(own.url, '/v1/mail/feedback/postmark', { RecordType: 'Bounce' }, headers);
  expect([400, 404]).toContain(answer.status);
});
