import { expect } from '@jest/globals';
import { newId } from '../../lib/data/ids.ts';
import type { Client } from '../support/client.ts';
import { untilStatus } from '../support/notifications.ts';
import { covers } from './covers.ts';

const text = 'Hello {{ name }}, your order {{ number }} is on its way.';
const variables = [
  { name: 'name', required: false, sample: 'Grace' },
  { name: 'number', required: true, sample: 'A-1' },
];
const newRecipient = () => newId('req');

async function withTemplate(client: Client, work: (templateId: string) => Promise<void>): Promise<void> {
  const body = { name: 'Order', text, variables };
  const { id } = await client.call('notification.templates.create', { body });
  try {
    await work(id);
  } finally {
    await client.attempt('notification.templates.delete', { path: { templateId: id } });
  }
}

/** Works with the channel `microblog` connected by the mailbox. */
async function withChannel(client: Client, work: (channelId: string) => Promise<void>): Promise<void> {
  const body = { channel: 'microblog', provider: 'mailbox', name: 'Trying' } as const;
  const { id } = await client.call('notification.channels.create', { body });
  try {
    await work(id);
  } finally {
    await client.attempt('notification.channels.delete', { path: { channelId: id } });
  }
}

const messageOf = (templateId: string, recipientId = newRecipient()) => ({
  channel: 'microblog' as const,
  recipientId,
  templateId,
  variables: { number: '7' },
});

covers('notification.send', async ({ own }) => {
  await withChannel(own, () =>
    withTemplate(own, async (templateId) => {
      const { status, body } = await own.attempt('notification.notifications.send', { body: messageOf(templateId) });
      const sentOrQueued = expect.stringMatching(/^(?:sent|queued)$/);
      expect([status, body]).toEqual([
        200,
        { notificationId: expect.stringMatching(/^ntf_/), channel: 'microblog', status: sentOrQueued },
      ]);
    }),
  );
});

covers('notification.send-refused', async ({ own }) => {
  await withChannel(own, () =>
    withTemplate(own, async (templateId) => {
      const refused = async (change: object) => {
        const body = { ...messageOf(templateId), ...change };
        const answer = await own.attempt('notification.notifications.send', { body });
        return [answer.status, answer.body.details?.[0]?.path];
      };
      expect(await refused({ channel: undefined })).toEqual([400, 'body.channel']);
      expect(await refused({ channel: 'photoapp' })).toEqual([400, 'body.channel']);
      expect(await refused({ recipientId: undefined })).toEqual([400, 'body.recipientId']);
      expect(await refused({ templateId: newId('tpl') })).toEqual([400, 'body.templateId']);
      expect(await refused({ variables: {} })).toEqual([400, 'body.variables.number']);
    }),
  );
});

covers('notification.list', async ({ own }) => {
  await withChannel(own, () =>
    withTemplate(own, async (templateId) => {
      const body = messageOf(templateId);
      const { notificationId } = await own.call('notification.notifications.send', { body });
      await untilStatus(own, notificationId, 'sent');
      const query = { recipientId: body.recipientId, channel: 'microblog', status: 'sent' } as const;
      const { data } = await own.call('notification.notifications.list', { query });
      expect(data).toMatchObject([{ notificationId, status: 'sent' }]);
      const failed = { ...query, status: 'failed' as const };
      expect((await own.call('notification.notifications.list', { query: failed })).data).toEqual([]);
    }),
  );
});

covers('notification.read', async ({ own, other }) => {
  await withChannel(own, () =>
    withTemplate(own, async (templateId) => {
      const body = messageOf(templateId);
      const { notificationId } = await own.call('notification.notifications.send', { body });
      const { events } = await untilStatus(own, notificationId, 'sent');
      expect(events.map(({ type }) => type)).toEqual(['queued', 'sent']);
      const path = { notificationId };
      expect(await other.attempt('notification.notifications.read', { path })).toMatchObject({ status: 404 });
    }),
  );
});

covers('notification.resend', async ({ own, other }) => {
  await withChannel(own, () =>
    withTemplate(own, async (templateId) => {
      const { notificationId } = await own.call('notification.notifications.send', { body: messageOf(templateId) });
      await untilStatus(own, notificationId, 'sent');
      const path = { notificationId };
      const refused = { status: 409, body: { error: 'MESSAGE_NOT_RESENDABLE' } };
      expect(await own.attempt('notification.notifications.resend', { path })).toMatchObject(refused);
      expect(await other.attempt('notification.notifications.resend', { path })).toMatchObject({ status: 404 });
    }),
  );
});

covers('notification.channel-create', async ({ own }) => {
  const refused = { channel: 'phone', provider: 'telegram' };
  expect(await own.attempt('notification.channels.create', { body: refused })).toMatchObject({ status: 400 });
  const secret = `whsec_${'A'.repeat(32)}`;
  const body = { channel: 'socialapp', provider: 'webhook', credentials: { url: 'https://192.0.2.1/', secret } };
  expect(await own.attempt('notification.channels.create', { body })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'body.credentials.url' }] },
  });
  const made = await own.attempt('notification.channels.create', {
    body: { channel: 'microblog', provider: 'mailbox' },
  });
  expect(made).toMatchObject({ status: 201, body: { id: expect.stringMatching(/^chn_/), state: 'connected' } });
  expect(made.body).not.toHaveProperty('credentials');
  await own.call('notification.channels.delete', { path: { channelId: made.body.id } });
});

covers('notification.channels', async ({ own }) => {
  await withChannel(own, async (channelId) => {
    const { data } = await own.call('notification.channels.list', { query: { channel: 'microblog', limit: '100' } });
    expect(data).toContainEqual(expect.objectContaining({ id: channelId, provider: 'mailbox', name: 'Trying' }));
  });
});

covers('notification.channel', async ({ own, other }) => {
  await withChannel(own, async (channelId) => {
    const path = { channelId };
    expect(await own.call('notification.channels.read', { path })).toMatchObject({ id: channelId, state: 'connected' });
    expect(await other.attempt('notification.channels.read', { path })).toMatchObject({ status: 404 });
  });
});

covers('notification.channel-update', async ({ own }) => {
  await withChannel(own, async (channelId) => {
    const change = (body: object) => own.call('notification.channels.update', { path: { channelId }, body });
    expect(await change({ priority: 3, enabled: false })).toMatchObject({ priority: 3, state: 'disabled' });
    expect(await change({ enabled: true })).toMatchObject({ priority: 3, state: 'connected' });
  });
});

covers('notification.channel-delete', async ({ own }) => {
  await withChannel(own, async (channelId) => {
    const path = { channelId };
    expect(await own.attempt('notification.channels.delete', { path })).toMatchObject({ status: 204 });
    expect(await own.attempt('notification.channels.read', { path })).toMatchObject({ status: 404 });
  });
});

covers('notification.channel-test', async ({ own }) => {
  await withChannel(own, async (channelId) => {
    const tested = await own.call('notification.channels.test', {
      path: { channelId },
      body: { recipientId: newRecipient() },
    });
    expect(tested).toMatchObject({ status: 'sent', error: null, channel: { id: channelId, state: 'connected' } });
  });
});

covers('notification.templates', async ({ own }) => {
  await withTemplate(own, async (templateId) => {
    const ids: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { limit: '100', ...(cursor && { cursor }) };
      const { data, nextCursor } = await own.call('notification.templates.list', { query });
      ids.push(...data.map(({ id }) => id));
      cursor = nextCursor;
    }
    expect(ids).toContain(templateId);
  });
});

covers('notification.template-create', async ({ own }) => {
  const answer = await own.attempt('notification.templates.create', { body: { name: 'Order', text, variables } });
  expect(answer).toMatchObject({ status: 201, body: { version: 1, liveVersion: 1, text, variables } });
  await own.call('notification.templates.delete', { path: { templateId: answer.body.id } });
  const unknown = { name: 'Order', text: '{{ unknown }}', variables: [] };
  expect(await own.attempt('notification.templates.create', { body: unknown })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'body.text' }] },
  });
});

covers('notification.template-starters', async ({ own }) => {
  const { data } = await own.call('notification.templates.starters', { query: {} });
  expect(data).not.toEqual([]);
  for (const { starter } of data) {
    const { id } = await own.call('notification.templates.create', { body: { starter } });
    const path = { templateId: id };
    const { text: shown } = await own.call('notification.templates.preview', { path, body: {} });
    expect(shown).toEqual(expect.not.stringContaining('{{'));
    await own.call('notification.templates.delete', { path });
  }
});

covers('notification.template-read', async ({ own, other }) => {
  await withTemplate(own, async (templateId) => {
    const path = { templateId };
    await own.call('notification.templates.update', { path, body: { text: 'Second' } });
    expect(await own.call('notification.templates.read', { path, query: {} })).toMatchObject({ text: 'Second' });
    const first = await own.call('notification.templates.read', { path, query: { version: '1' } });
    expect(first).toMatchObject({ version: 1, text });
    expect(await other.attempt('notification.templates.read', { path })).toMatchObject({ status: 404 });
  });
});

covers('notification.template-update', async ({ own }) => {
  await withTemplate(own, async (templateId) => {
    const path = { templateId };
    const changed = await own.call('notification.templates.update', { path, body: { text: 'Second' } });
    expect(changed).toMatchObject({ version: 2, liveVersion: 2, text: 'Second' });
  });
});

covers('notification.template-versions', async ({ own, other }) => {
  await withTemplate(own, async (templateId) => {
    const path = { templateId };
    await own.call('notification.templates.update', { path, body: { text: 'Second' } });
    const { data } = await own.call('notification.templates.versions', { path, query: {} });
    expect(data.map(({ version }) => version)).toEqual([2, 1]);
    expect((await other.attempt('notification.templates.versions', { path, query: {} })).status).toBe(404);
  });
});

covers('notification.template-publish', async ({ own }) => {
  await withTemplate(own, async (templateId) => {
    const path = { templateId };
    const draft = await own.call('notification.templates.update', { path, body: { text: 'Second', publish: false } });
    expect(draft).toMatchObject({ version: 2, liveVersion: 1 });
    expect(await own.call('notification.templates.publish', { path, body: {} })).toMatchObject({ liveVersion: 2 });
  });
});

covers('notification.template-preview', async ({ own }) => {
  await withTemplate(own, async (templateId) => {
    const body = { variables: { name: '{{ number }}' } };
    const { text: shown } = await own.call('notification.templates.preview', { path: { templateId }, body });
    expect(shown).toBe('Hello {{ number }}, your order A-1 is on its way.');
  });
});

covers('notification.template-test', async ({ own }) => {
  await withChannel(own, () =>
    withTemplate(own, async (templateId) => {
      const body = { channel: 'microblog', recipientId: newRecipient() } as const;
      const { notificationId } = await own.call('notification.templates.test', { path: { templateId }, body });
      await untilStatus(own, notificationId, 'sent');
    }),
  );
});

covers('notification.template-delete', async ({ own }) => {
  await withChannel(own, () =>
    withTemplate(own, async (templateId) => {
      const path = { templateId };
      expect(await own.attempt('notification.templates.delete', { path })).toMatchObject({ status: 204 });
      expect(await own.attempt('notification.templates.read', { path })).toMatchObject({ status: 404 });
      expect(await own.attempt('notification.notifications.send', { body: messageOf(templateId) })).toMatchObject({
        status: 400,
        body: { details: [{ path: 'body.templateId' }] },
      });
    }),
  );
});
