import { beforeAll, describe, expect, test } from '@jest/globals';
import type { CallOutput } from '../../../lib/contract/context.ts';
import type { Client } from '../../support/client.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { newMember } from '../../support/widget-client.ts';

type Reply = CallOutput<'connect.replies.create'>;

let own: Client;
let member: Client;
let other: Client;
let hours: Reply;
let theirs: Reply;

const create = (tenant: Client, name: string, text = 'Hello') =>
  tenant.call('connect.replies.create', { body: { name, text } });
const listOf = async (tenant: Client) => (await tenant.call('connect.replies.list', { query: { limit: '100' } })).data;

beforeAll(async () => {
  [own, other] = await Promise.all([newTenantClient(), newTenantClient()]);
  member = await newMember(own);
  hours = await create(own, 'Hours', 'From 9 to 18.');
  theirs = await create(other, 'Hours', 'Never.');
});

describe('the saved replies', () => {
  test('are listed by name, page by page, and read by every agent', async () => {
    const tenant = await newTenantClient();
    for (const name of ['returns', 'Delivery', 'address']) await create(tenant, name);
    const first = await tenant.call('connect.replies.list', { query: { limit: '2' } });
    expect(first.data.map(({ name }) => name)).toEqual(['address', 'Delivery']);
    const second = await tenant.call('connect.replies.list', { query: { limit: '2', cursor: first.nextCursor! } });
    expect(second).toMatchObject({ data: [{ name: 'returns' }], nextCursor: null });
    expect(await listOf(await newMember(tenant))).toHaveLength(3);
  });

  test('are trimmed, changed and removed, with a record of each', async () => {
    const tenant = await newTenantClient();
    const reply = await create(tenant, ' Hours ', ' From 9\r\nto 18. ');
    expect(reply).toMatchObject({ replyId: expect.stringMatching(/^rpl_/), name: 'Hours', text: 'From 9\nto 18.' });
    const path = { replyId: reply.replyId };
    expect(await tenant.call('connect.replies.update', { path, body: {} })).toEqual(reply);
    const changed = await tenant.call('connect.replies.update', { path, body: { name: 'HOURS' } });
    expect(changed).toMatchObject({ replyId: reply.replyId, name: 'HOURS', text: reply.text });
    expect(await listOf(tenant)).toEqual([changed]);
    expect((await tenant.attempt('connect.replies.delete', { path })).status).toBe(204);
    expect(await listOf(tenant)).toEqual([]);
    const slug = tenant.orgId.replace('_', '-');
    const { data } = await tenant.call('identity.audit.list', { path: { slug }, query: {} });
    const acts = data.filter(({ target }) => target?.id === reply.replyId).map(({ action }) => action);
    expect(acts).toEqual(['saved-reply.deleted', 'saved-reply.updated', 'saved-reply.created']);
  });

  test('are at most 200, and then one has to go first', async () => {
    const tenant = await newTenantClient();
    for (let number = 0; number < 200; number += 1) await create(tenant, `Reply ${number}`);
    const body = { name: 'One more', text: 'a' };
    const refused = await tenant.attempt('connect.replies.create', { body });
    expect(refused).toMatchObject({
      status: 409,
      body: { error: 'LIMIT_REACHED', message: 'The organization has 200 saved replies already; remove one first.' },
    });
    const [{ replyId } = hours] = await listOf(tenant);
    await tenant.call('connect.replies.delete', { path: { replyId } });
    expect((await tenant.attempt('connect.replies.create', { body })).status).toBe(201);
  });

  test('are added once for an idempotency key', async () => {
    const tenant = await newTenantClient();
    const body = { name: 'Once', text: 'a' };
    const send = () => tenant.attempt('connect.replies.create', { body }, { 'idempotency-key': 'once' });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.body]).toEqual([201, first.body]);
    expect(await listOf(tenant)).toHaveLength(1);
  });
});

describe('a request that is refused changes nothing:', () => {
  const at = (replyId: string) => `/v1/connect/replies/${replyId}`;
  const collection = () => '/v1/connect/replies';
  const mine = () => at(hours.replyId);
  const valid = { name: 'New', text: 'a' };
  type Case = [string, () => Client, string, () => string, unknown, number, string];
  test.each<Case>([
    ['without a name', () => own, 'POST', collection, { text: 'a' }, 400, 'name'],
    ['with a name of nothing', () => own, 'POST', collection, { ...valid, name: ' ' }, 400, 'name'],
    ['with a name of two lines', () => own, 'POST', collection, { ...valid, name: 'a\nb' }, 400, 'name'],
    ['with a long name', () => own, 'POST', collection, { ...valid, name: 'x'.repeat(101) }, 400, 'name'],
    ['without a text', () => own, 'POST', collection, { name: 'New' }, 400, 'text'],
    ['with a text of nothing', () => own, 'POST', collection, { ...valid, text: ' \n' }, 400, 'text'],
    ['with a long text', () => own, 'POST', collection, { ...valid, text: 'x'.repeat(5001) }, 400, 'text'],
    ['with an unknown field', () => own, 'POST', collection, { ...valid, tag: 'a' }, 400, 'tag'],
    ['with a name that is taken', () => own, 'POST', collection, { ...valid, name: 'hOURS' }, 409, 'CONFLICT'],
    ['of a member, adding', () => member, 'POST', collection, valid, 403, 'PERMISSION_DENIED'],
    ['that changes to no name', () => own, 'PATCH', mine, { name: '' }, 400, 'name'],
    ['that changes to no text', () => own, 'PATCH', mine, { text: '' }, 400, 'text'],
    ['of a member, changing', () => member, 'PATCH', mine, { text: 'b' }, 403, 'PERMISSION_DENIED'],
    ['that changes an unknown one', () => own, 'PATCH', () => at('rpl_x'), { text: 'b' }, 404, 'NOT_FOUND'],
    ['of another organization', () => own, 'PATCH', () => at(theirs.replyId), { text: 'b' }, 404, 'NOT_FOUND'],
    ['of a member, removing', () => member, 'DELETE', mine, undefined, 403, 'PERMISSION_DENIED'],
    ['that removes an unknown one', () => own, 'DELETE', () => at('rpl_x'), undefined, 404, 'NOT_FOUND'],
    ["that removes another's", () => own, 'DELETE', () => at(theirs.replyId), undefined, 404, 'NOT_FOUND'],
    ['with a wrong cursor', () => own, 'GET', () => '/v1/connect/replies?cursor=x', undefined, 400, 'CURSOR_INVALID'],
  ])('%s', async (_name, client, method, path, body, status, reason) => {
    const answer = await client().send<{ error: string; details?: { path: string }[] }>(method, path(), body);
    const field = answer.body.details?.[0]?.path.replace('body.', '');
    expect([answer.status, answer.body.error === 'INPUT_INVALID' ? field : answer.body.error]).toEqual([
      status,
      reason,
    ]);
    expect(await listOf(own)).toEqual([hours]);
    expect(await listOf(other)).toEqual([theirs]);
  });

  test('without a credential', async () => {
    for (const [method, path] of [
      ['GET', collection()],
      ['POST', collection()],
      ['PATCH', mine()],
      ['DELETE', mine()],
    ] as const) {
      const body = method === 'POST' || method === 'PATCH' ? valid : undefined;
      expect((await own.send(method, path, body, { authorization: null })).status).toBe(401);
    }
    expect(await listOf(own)).toEqual([hours]);
  });

  test('with the name of another one', async () => {
    const tenant = await newTenantClient();
    const [first, second] = [await create(tenant, 'First'), await create(tenant, 'Second')];
    const path = { replyId: second.replyId };
    const answer = await tenant.attempt('connect.replies.update', { path, body: { name: 'FIRST', text: 'b' } });
    expect(answer).toMatchObject({ status: 409, body: { error: 'CONFLICT' } });
    expect(await listOf(tenant)).toEqual([first, second]);
  });
});
