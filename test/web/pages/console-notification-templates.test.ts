import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { connect, newTemplate } from '../../support/notifications.ts';
import { expectPage, expectRedirect, flowOf, newVisitor, type Visitor } from '../../support/pages.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { slugOf } from '../../support/tenants.ts';
import { decodeEntities } from '../../support/user-agent.ts';
import { newUserClient } from '../../support/user-client.ts';

let tenant: Awaited<ReturnType<typeof newTenantClient>>;
let owner: Visitor;
let member: Visitor;
/** The token of a form that the member opened before the permission was taken away. */
let memberFlow: string;
let list: string;

const listOf = (orgId: string) => `/console/${slugOf(orgId)}/notification-templates`;

beforeAll(async () => {
  tenant = await newTenantClient();
  owner = await newVisitor((await newUserClient({ orgId: tenant.orgId })).sessionToken);
  list = listOf(tenant.orgId);
  const user = await newUserClient({ orgId: tenant.orgId, role: 'admin' });
  member = await newVisitor(user.sessionToken);
  memberFlow = flowOf(await member.get(`${list}/new`));
  const path = { slug: slugOf(tenant.orgId), userId: user.userId };
  await tenant.call('identity.members.update', { path, body: { role: 'member' } });
  await connect(tenant);
});

const read = (templateId: string) => tenant.call('notification.templates.read', { path: { templateId }, query: {} });

describe('the notification templates of an organization', () => {
  test('are shown next to those of mail, and created from a starter or blank', async () => {
    expectPage(await owner.get(list), 200, /Templates .* Mail Notifications .*No notification templates yet/);
    for (const [starter, text] of [
      ['code', '{{ code }} is your code. It is valid for ten minutes. Do not share it.'],
      ['blank', 'Hello {{ name }},'],
    ] as const) {
      const answer = await owner.postFrom(`${list}/new`, `${list}/new`, { name: '<b>Code</b>', starter });
      const [, id = ''] = /\/(tpl_[^/?]+)\?done=created$/.exec(String(answer.headers.location))!;
      expect(await read(id)).toMatchObject({ name: '<b>Code</b>', text, liveVersion: null });
    }
    const shown = await owner.get(list);
    expectPage(shown, 200, /<b>Code<\/b> .* Draft Default 1/);
    expect(shown.text).not.toContain('<b>Code');
  });
});

describe('a notification template', () => {
  let id: string;
  let page: string;
  const rows = {
    'variable-0': 'name',
    'sample-0': 'Grace',
    'required-0': 'on',
    'variable-1': 'orderId',
    'sample-1': 'A-1',
  };
  const text = 'Hello {{ name }}, {{ orderId }}.';
  const whole = { name: 'Order', category: 'transactional', version: '1', act: 'draft', subject: '', text, ...rows };
  const save = (changes: Record<string, string>) => owner.postFrom(page, page, { ...whole, ...changes });

  beforeEach(async () => {
    id = await newTemplate(tenant);
    page = `${list}/${id}`;
  });

  test('is shown with its text as the message, and saved with HTML and an approved template', async () => {
    expectPage(
      await owner.get(page),
      200,
      /Order shipped Version 1 live .* Hello Grace, your order A-1001 is on its way/,
    );
    const whatsapp = {
      whatsappName: 'order_shipped',
      whatsappLanguage: 'de',
      whatsappParameters: '{{ name }}\n\n{{ orderId }}',
    };
    expectRedirect(await save({ html: '<p>{{ name }}</p>', ...whatsapp, act: 'publish' }), `${page}?done=published`);
    const saved = await read(id);
    const approved = { name: 'order_shipped', language: 'de', parameters: ['{{ name }}', '{{ orderId }}'] };
    expect(saved).toMatchObject({ text, html: '<p>{{ name }}</p>', options: { whatsapp: approved }, liveVersion: 2 });
    expect(saved.subject).toBeUndefined();
    const shown = await owner.get(page);
    expect(decodeEntities(shown.text)).toContain('{{ name }}\n{{ orderId }}</textarea>');
    expectRedirect(await save({ version: '2' }), `${page}?done=saved`);
    const plain = (await read(id)) as Record<string, unknown>;
    expect([plain.html, plain.options]).toEqual([undefined, undefined]);
  });

  test('has each problem at its field, and nothing is saved', async () => {
    const refusals = [
      [{ text: '' }, 'text'],
      [{ text: '{{ nope }}' }, 'text'],
      [{ subject: '{% if %}' }, 'subject'],
      [{ html: '<p>{{ nope }}</p>' }, 'html'],
      [{ whatsappName: 'Not a name', whatsappLanguage: 'de' }, 'whatsappName'],
      [{ whatsappName: 'name' }, 'whatsappLanguage'],
      [{ whatsappName: 'name', whatsappLanguage: 'de', whatsappParameters: '{{ nope }}' }, 'whatsappParameters'],
    ] as const;
    for (const [changes, field] of refusals) {
      const answer = await save(changes);
      expectPage(answer, 400, /Check the marked field/);
      expect(answer.text).toContain(`id="${field}-error"`);
    }
    expect(await read(id)).toMatchObject({ latestVersion: 1, name: 'Order shipped' });
  });

  test('is previewed as text, with the HTML in the frame', async () => {
    const draft = { ...whole, flow: flowOf(await owner.get(page)), html: '<i>{{ orderId }}</i>' };
    const fragment = await owner.post(`${page}/preview?fragment=preview`, draft);
    expect(fragment.text).toContain('data-part="text">Hello Grace, A-1.</pre>');
    expect((await owner.post(`${page}/preview`, draft)).text).toBe('<i>A-1</i>');
    const plain = await owner.post(`${page}/preview`, { ...draft, html: '', 'sample-0': '<b>' });
    expect(plain.text).toContain('<pre>Hello &lt;b&gt;, A-1.</pre>');
  });

  test('is tested by a channel and a recipient', async () => {
    const test = { 'test-locale': '', channel: 'chatapp', recipientId: 'ada' };
    expectRedirect(await owner.postFrom(page, `${page}/test`, test), `${page}?done=tested`);
    const sent = async () =>
      (await tenant.call('notification.notifications.list', { query: { limit: '100' } })).data.filter(
        ({ templateId }) => templateId === id,
      );
    expect(await sent()).toMatchObject([{ recipientId: 'ada', channel: 'chatapp', templateVersion: 1 }]);
    const unconnected = await owner.postFrom(page, `${page}/test`, { ...test, channel: 'phone' });
    expect(unconnected.status).toBeGreaterThanOrEqual(400);
    expect(unconnected.status).toBeLessThan(500);
    const empty = await owner.postFrom(page, `${page}/test`, { ...test, recipientId: '' });
    expectPage(empty, 400, /Check the marked field/);
    expect(empty.text).toContain('id="recipientId-error"');
    expect(await sent()).toHaveLength(1);
  });

  test('is not changed by a member without the permission, nor found in another organization', async () => {
    expectPage(await member.get(page), 200, /lacks notification\.templates\.write/);
    const other = await newTenantClient();
    const stranger = await newVisitor((await newUserClient({ orgId: other.orgId })).sessionToken);
    const path = `${listOf(other.orgId)}/${id}`;
    expectPage(await member.get(`${list}/new`), 200, /lacks notification\.templates\.write/);
    const otherFlow = flowOf(await stranger.get(`${listOf(other.orgId)}/new`));
    expectPage(await stranger.get(path), 404);
    for (const [below, form] of [
      ['', whole],
      ['/publish', { version: '1' }],
      ['/delete', {}],
    ] as const) {
      expectPage(await member.post(page + below, { ...form, flow: memberFlow }), 403, /notification\.templates\.write/);
      expectPage(await stranger.post(path + below, { ...form, flow: otherFlow }), 404);
    }
    expect(await read(id)).toMatchObject({ latestVersion: 1, liveVersion: 1 });
  });
});
