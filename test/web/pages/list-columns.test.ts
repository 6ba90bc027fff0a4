import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { eventAbout } from '../../support/events.ts';
import { newOperatorClient } from '../../support/operators.ts';
import { expectRedirect, newVisitor, type Visitor } from '../../support/pages.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { slugOf, type Tenant } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { decodeEntities } from '../../support/user-agent.ts';
import { newUserClient } from '../../support/user-client.ts';

/* The lists whose columns can be hidden. The pages of users and customers have their own tests of it. */

type List = { path: string; keys: string; first: string; filter: string };

const ofConsole: readonly List[] = [
  { path: 'events', keys: 'customer.source.received', first: 'Event', filter: 'source=shop' },
  { path: 'messages', keys: 'message.kind.accepted', first: 'To', filter: 'kind=mail' },
  { path: 'applications', keys: 'slug.used.created', first: 'Name', filter: '' },
  { path: 'logs', keys: 'action.about.from', first: 'Who', filter: 'from=2020-01-01' },
  { path: 'logs/requests', keys: 'error.took.by.when', first: 'Request', filter: 'outcome=4xx' },
];
const ofOperators: readonly List[] = [
  { path: 'organizations', keys: 'plan.members.created', first: 'Organization', filter: 'state=active' },
  { path: 'users', keys: 'organizations.login.created', first: 'User', filter: '' },
];

let tenant: Client & Tenant;
let owner: Visitor;
let operator: Visitor;

beforeAll(async () => {
  tenant = await newTenantClient();
  const user = await newUserClient({ orgId: tenant.orgId });
  owner = await newVisitor(user.sessionToken);
  operator = await newVisitor((await newOperatorClient()).sessionToken);
  await tenant.send('POST', '/events', eventAbout(tenant.orgId, 'C-1'));
  await tenant.send('GET', '/events/none');
  await user.call('identity.applications.create', { body: { name: 'Shop', slug: `${slugOf(tenant.orgId)}-shop` } });
  const template = { name: 'Shipped', subject: 'Shipped', text: 'It is on its way.' };
  const { id: templateId } = await tenant.call('mail.templates.create', { body: template });
  await tenant.call('mail.messages.send', { body: { to: 'ada@example.com', templateId } });
});

type Page = { text: string };

const headingsOf = ({ text }: Page): string[] =>
  [...text.matchAll(/<th scope="col"[^>]*>([^<]*)/g)].map(([, heading]) => heading!);

/** Reads a page when it has a row: some lists are filled in the background. */
const withRows = (visitor: Visitor, address: string): Promise<Page> =>
  eventually(async () => {
    const page = await visitor.get(address);
    if (!page.text.includes('<tbody>')) throw new Error(`${address} has no rows.`);
    return page;
  });

async function expectHideable(visitor: Visitor, path: string, { keys, first, filter }: List): Promise<void> {
  const all = headingsOf(await withRows(visitor, path));
  const page = await withRows(visitor, `${path}?hide=${keys}.none&${filter}`);
  const shown = headingsOf(page);
  expect([all[0], shown[0]]).toEqual([first, first]);
  expect(all.length - shown.length).toBe(keys.split('.').length);
  const [, menu] = /<form[^>]* id="columns"(.*?)<\/form>/s.exec(page.text)!;
  expect([...menu!.matchAll(/name="column" value="(\w+)"/g)].map(([, key]) => key).join('.')).toBe(keys);
  expect(menu).not.toContain(' checked');
  if (filter !== '') {
    const [name, value] = filter.split('=');
    expect(menu).toContain(`<input type="hidden" name="${name}" value="${value}">`);
    expect(decodeEntities(page.text)).toContain(`href="${path}?hide=${keys}.none"`);
  }
  for (const [, href] of decodeEntities(page.text).matchAll(/href="([^"]*format=[^"]*)"/g)) {
    expect(href).not.toContain('hide');
  }
  const some = keys.split('.').slice(1);
  const boxes = some.map((key) => `column=${key}`).join('&');
  expectRedirect(await visitor.get(`${path}?columns=${keys}&${boxes}`), `${path}?hide=${keys.split('.')[0]}`);
}

describe('the columns of a list are hidden by its address', () => {
  test.each(ofConsole)('in the console: $path', async (list) => {
    await expectHideable(owner, `/console/${slugOf(tenant.orgId)}/${list.path}`, list);
  });

  test.each(ofOperators)('for operators: $path', async (list) => {
    await expectHideable(operator, `/operator/console/${list.path}`, list);
  });

  test.each(['events', 'messages'])('which the list that a script replaces keeps: %s', async (path) => {
    const address = `/console/${slugOf(tenant.orgId)}/${path}`;
    const { text } = await withRows(owner, `${address}?hide=customer.kind`);
    const [, source] = /<x-live-list data-src="([^"]*)"/.exec(decodeEntities(text))!;
    expect(source).toBe(`${address}?hide=customer.kind&fragment=list`);
    expect(headingsOf(await owner.get(source!))).toEqual(headingsOf({ text }));
  });
});
