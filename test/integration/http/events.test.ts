import { afterEach, describe, expect, test } from '@jest/globals';
import { clientOf } from '../../support/client.ts';
import { type EventClient, listen } from '../../support/event-client.ts';
import { openConnection } from '../../support/raw-http.ts';
import { createTenant } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { createUser, sessionClientOf } from '../../support/user-client.ts';
import { ownStreamingPlatform } from './own-streaming-platform.ts';

const own = ownStreamingPlatform();
const path = '/v1/test/events';
const open: EventClient[] = [];

afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});

async function stream(headers: Record<string, string> = own.headers, query = ''): Promise<EventClient> {
  const made = await listen(own.url, path + query, headers);
  open.push(made);
  return made;
}

const hint = (room: string, count = 1, client = own.client) => client.send('POST', '/v1/test/hints', { room, count });

/** A key of its own, because a key has at most twenty streams. */
async function ownKey() {
  const tenant = await createTenant(own.databaseUrl);
  return {
    tenant,
    headers: { authorization: `Bearer ${tenant.apiKey}` },
    client: clientOf({ ...tenant, url: own.url }),
  };
}

describe('an event stream', () => {
  test('begins at once, with headers that keep proxies from holding it back', async () => {
    const { status, headers, take } = await stream();
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      connection: 'close',
    });
    expect(await take('open')).toMatchObject([{ data: {} }]);
  });

  test('gets the hints of its channels, in order, and no others', async () => {
    const [hall, attic] = [await stream(), await stream(own.headers, '?room=attic')];
    const other = await ownKey();
    const foreign = await stream(other.headers);
    await Promise.all([hall, attic, foreign].map((one) => one.take('open')));
    await hint('hall', 3);
    await hint('attic', 1);
    await hint('hall', 1, other.client);
    expect((await hall.take('changed', 3)).map(({ data }) => data)).toEqual([1, 2, 3].map((n) => ({ n, text: '' })));
    expect(await attic.take('changed')).toHaveLength(1);
    expect(await foreign.take('changed')).toHaveLength(1);
    expect(hall.events).toHaveLength(4);
  });

  test('tells a client that comes back what it has missed, or that it has missed something', async () => {
    const first = await stream();
    await first.take('open');
    await hint('hall', 2);
    const [one, two] = await first.take('changed', 2);
    first.close();
    for (const again of [
      await stream({ ...own.headers, 'last-event-id': one!.id }),
      await stream(own.headers, `?lastEventId=${one!.id}`),
    ]) {
      await again.take('open');
      const ids = again.events.map(({ id }) => id);
      expect(ids).not.toContain(one!.id);
      expect(ids.includes(two!.id) || again.events.some(({ event }) => event === 'reset')).toBe(true);
    }
  });

  test.each(['hnt_00000000000000000000000000', 'not an id'])(
    'tells a client that comes back with %s to read everything again',
    async (id) => {
      const { take, events } = await stream({ ...own.headers, 'last-event-id': id });
      await take('open');
      expect(events.map(({ event }) => event)).toEqual(['reset', 'open']);
    },
  );

  test('is refused like any other request', async () => {
    expect((await stream({})).status).toBe(401);
    const { apiKey } = await createTenant(own.databaseUrl, { scopes: ['mail.send'] });
    expect((await stream({ authorization: `Bearer ${apiKey}` })).status).toBe(403);
    expect((await stream(own.headers, '?other=1')).status).toBe(400);
  });

  test('has a comment from time to time', async () => {
    const { others } = await stream();
    await until(() => others.includes(':'), 25_000);
  });
});

test('a credential has at most twenty streams, and gets the place of one that it closes', async () => {
  const { headers } = await ownKey();
  const streams = await Promise.all(Array.from({ length: 20 }, () => stream(headers)));
  expect(streams.map(({ status }) => status)).toEqual(Array(20).fill(200));
  const refused = await stream(headers);
  expect(refused.status).toBe(429);
  streams[0]?.close();
  await until(async () => (await stream(headers)).status === 200);
});

describe('a stream ends', () => {
  test('when its key is revoked', async () => {
    const { tenant, headers, client } = await ownKey();
    const { status } = await client.send('GET', '/v1/test/state');
    expect(status).toBe(200);
    const [ended, other] = [await stream(headers), await stream()];
    const owner = await createUser(own.databaseUrl, { orgId: tenant.orgId });
    const revoke = sessionClientOf(own.url, owner.sessionToken);
    const url = `/applications/${tenant.applicationId}/api-keys/${tenant.keyId}`;
    expect((await revoke.send('DELETE', url, undefined, { 'x-tenant-id': tenant.orgId })).status).toBe(204);
    await ended.ended;
    expect(other.isEnded()).toBe(false);
  });

  test('when its user is removed from the organization, or signs out', async () => {
    const { tenant } = await ownKey();
    const [member, leaver] = [
      await createUser(own.databaseUrl, { orgId: tenant.orgId, role: 'member' }),
      await createUser(own.databaseUrl, { orgId: tenant.orgId, role: 'member' }),
    ];
    const owner = await createUser(own.databaseUrl, { orgId: tenant.orgId });
    const as = (user: { sessionToken: string }) => ({
      cookie: `platform_session=${user.sessionToken}`,
      'x-tenant-id': tenant.orgId,
    });
    const [removed, left] = [await stream(as(member)), await stream(as(leaver))];
    expect([removed.status, left.status]).toEqual([200, 200]);
    const slug = tenant.orgId.replace('_', '-');
    const act = sessionClientOf(own.url, owner.sessionToken);
    expect((await act.send('DELETE', `/organizations/${slug}/members/${member.userId}`)).status).toBe(204);
    await removed.ended;
    expect(left.isEnded()).toBe(false);
    const leaving = sessionClientOf(own.url, leaver.sessionToken);
    const { body } = await leaving.send<{ data: { id: string }[] }>('GET', '/identity/me/sessions');
    expect((await leaving.send('DELETE', `/identity/me/sessions/${body.data[0]?.id}`)).status).toBe(204);
    await left.ended;
  });

  test('when its client does not read', async () => {
    const { headers, client } = await ownKey();
    const socket = await openConnection(own.url);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${headers.authorization}\r\n\r\n`);
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    const closed = new Promise<boolean>((resolve) => socket.once('close', () => resolve(true)));
    const text = 'x'.repeat(900);
    // More than the buffers of both sockets and the megabyte that the platform keeps.
    await until(async () => {
      await client.send('POST', '/v1/test/hints', { room: 'hall', count: 2000, text });
      return (await own.node.log()).some(({ path: logged, status }) => logged === path && status === 499);
    }, 25_000);
    socket.resume();
    expect(await closed).toBe(true);
  });
});
