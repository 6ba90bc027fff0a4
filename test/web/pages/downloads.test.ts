import { beforeAll, describe, expect, test } from '@jest/globals';
import { parseCsv, unguarded } from '../../support/csv.ts';
import { eventAbout } from '../../support/events.ts';
import type { Answer } from '../../support/http.ts';
import { expectPage, expectRedirect, newVisitor, type Visitor } from '../../support/pages.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { slugOf } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { decodeEntities } from '../../support/user-agent.ts';
import { newUserClient } from '../../support/user-client.ts';

const hostile = '=HYPERLINK("http://evil.example"),\r\n"<b>Zoë</b>" 😀';
/** More than two pages of the API. */
const eventCount = 230;

type Tenant = Awaited<ReturnType<typeof newTenantClient>>;
type Object = Record<string, unknown>;

let tenant: Tenant;
let owner: Visitor;
const at = (path: string) => `/console/${slugOf(tenant.orgId)}/${path}`;

beforeAll(async () => {
  tenant = await newTenantClient();
  const { orgId } = tenant;
  const user = await newUserClient({ orgId });
  await user.call('identity.me.update', { body: { displayName: '+Ada, "the first"' } });
  owner = await newVisitor(user.sessionToken);
  const events = Array.from({ length: eventCount }, (_, index) =>
    eventAbout(orgId, `C-${index % 3}`, {
      eventName: index % 5 === 0 ? 'order.unknown' : 'user.registered',
      payload: { name: index % 3 === 0 ? hostile : `Grace ${index % 3}`, index },
    }),
  );
  for (let start = 0; start < events.length; start += 50) {
    const body = { events: events.slice(start, start + 50) };
    expect((await tenant.send('POST', '/events/batch', body)).status).toBeLessThan(300);
  }
  for (const email of ['a@example.com', 'b@example.com']) {
    const body = { email, role: 'member' as const };
    await user.call('identity.invitations.create', { path: { slug: slugOf(orgId) }, body });
  }
  const { id: templateId } = await tenant.call('mail.templates.create', {
    body: { name: 'Order', subject: hostile.replaceAll(/[\r\n]/g, ' '), text: 'Sent.' },
  });
  for (const to of ['=ida@example.com', 'jo@example.com']) {
    await tenant.call('mail.messages.send', { body: { to, templateId } });
  }
});

/** The rows of a list as the API answers them. */
async function readAll(path: string, query: Record<string, string> = {}): Promise<Object[]> {
  const rows: Object[] = [];
  let cursor: string | null = null;
  do {
    const parameters = new URLSearchParams({ ...query, limit: '100', ...(cursor && { cursor }) });
    const { status, text } = await tenant.send('GET', `${path}?${parameters}`);
    expect(status).toBe(200);
    const page = JSON.parse(text) as { data: Object[]; nextCursor: string | null };
    rows.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return rows;
}

const linesOf = ({ text }: Answer): Object[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** The cells of an object in CSV, by the column. */
function cellOf(row: Object, column: string): string {
  const value = column.split('.').reduce<unknown>((inner, name) => (inner as Object | undefined)?.[name], row);
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const lists = [
  ['users', () => '/identity/users', 'id,email,emailVerified,firstName'],
  [
    'customers',
    () => '/v1/story/customers',
    'customerId,name,title,emails,phones,firstEventAt,lastEventAt,eventCount,open.orders',
  ],
  ['events', () => '/events', 'schemaVersion,tenantId,eventId,eventName,occurredAt,actor.type,actor.id'],
  ['messages?kind=mail', () => '/v1/mail/messages', 'messageId,to,subject,templateId'],
  ['invitations', () => `/organizations/${slugOf(tenant.orgId)}/invitations`, 'id,email,role,status,invitedBy.type'],
] as const;

const fileOf = (name: string, format: string) => at(`${name}${name.includes('?') ? '&' : '?'}format=${format}`);

describe('the file of a list', () => {
  test.each(lists)(
    'of %s has the objects of the API in NDJSON and its fields in CSV',
    async (name, pathOf, columns) => {
      const all = await eventually(async () => {
        const rows = await readAll(pathOf());
        if (rows.length === 0 || (name === 'customers' && rows.length < 3)) throw new Error('Not listed yet.');
        return rows;
      });
      const ndjson = await eventually(async () => {
        const answer = await owner.get(fileOf(name, 'ndjson'));
        if (linesOf(answer).length !== all.length) throw new Error('The list changes.');
        return answer;
      });
      const day = new Date().toISOString().slice(0, 10);
      expect(ndjson.headers).toMatchObject({
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': `attachment; filename="${name.replace(/^.*=/, '')}-${day}.ndjson"`,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      const ids = (rows: Object[]) => rows.map((row) => Object.values(row).slice(0, 3));
      expect(ids(linesOf(ndjson))).toEqual(ids(all));
      const csv = await owner.get(fileOf(name, 'csv'));
      expect(csv.headers).toMatchObject({
        'content-type': 'text/csv; charset=utf-8; header=present',
        'content-disposition': `attachment; filename="${name.replace(/^.*=/, '')}-${day}.csv"`,
      });
      const [head, ...records] = parseCsv(csv.text);
      expect(head!.join(',')).toMatch(new RegExp(`^${columns}(,|$)`));
      expect(new Set(linesOf(ndjson).flatMap(Object.keys))).toEqual(
        new Set(head!.map((column) => column.split('.')[0]!).filter((column) => column !== 'suspendedAt')),
      );
      expect(records.map((cells) => cells.map(unguarded))).toEqual(
        linesOf(await owner.get(fileOf(name, 'ndjson'))).map((row) => head!.map((column) => cellOf(row, column))),
      );
      for (const cell of records.flat()) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
    },
  );

  test('has all pages of the list, and those rows alone that the filters find', async () => {
    const all = linesOf(await owner.get(at('events?format=ndjson')));
    expect(new Set(all.map(({ eventId }) => eventId)).size).toBe(eventCount);
    expect(all).toEqual(await readAll('/events'));
    const path = at('events?eventName=order.unknown');
    const found = linesOf(await owner.get(`${path}&format=ndjson`));
    expect(found.length).toBe(eventCount / 5);
    expect(new Set(found.map(({ eventName }) => eventName))).toEqual(new Set(['order.unknown']));
    expect(decodeEntities((await owner.get(path)).text)).toContain(`href="${path}&format=csv"`);
    const ofOne = linesOf(await owner.get(at('events?customerId=C-1&understood=true&format=ndjson')));
    expect(new Set(ofOne.map(({ customerId, understood }) => `${customerId} ${understood}`))).toEqual(
      new Set(['C-1 true']),
    );
    const mail = linesOf(await owner.get(at('messages?kind=mail&who=jo@example.com&format=ndjson')));
    expect(mail.map(({ to }) => to)).toEqual(['jo@example.com']);
    const users = parseCsv((await owner.get(at('users?search=nobody&format=csv'))).text);
    expect(users.length).toBe(1);
  });

  test('is linked on its page, with the bound', async () => {
    for (const [name] of lists) {
      const page = await owner.get(at(name));
      expectPage(page, 200, /Export As filtered, at most 50,000 rows CSV NDJSON/);
      const links = decodeEntities(page.text);
      for (const format of ['csv', 'ndjson']) expect(links).toContain(`href="${fileOf(name, format)}"`);
    }
    const empty = await newTenantClient();
    const other = await newVisitor((await newUserClient({ orgId: empty.orgId })).sessionToken);
    for (const name of ['customers', 'events', 'messages', 'invitations']) {
      expect((await other.get(`/console/${slugOf(empty.orgId)}/${name}`)).text).not.toContain('format=csv');
    }
  });
});

describe('a download is refused', () => {
  test('for a wrong filter or format, as the page is', async () => {
    expectPage(await owner.get(at('events?understood=maybe&format=csv')), 400, /Must be true or false/);
    expectPage(await owner.get(at(`users?search=${'a'.repeat(201)}&format=csv`)), 400, /200 characters/);
    expectPage(await owner.get(at(`customers?q=${'a'.repeat(300)}&format=ndjson`)), 400);
    for (const [name] of lists) {
      expectPage(await owner.get(fileOf(name, 'xml')), 400);
      expectPage(await owner.get(fileOf(name, 'csv&format=csv')), 400);
    }
  });

  test.each(lists.map(([name]) => [name]))('of %s to other tenants and without a session', async (name) => {
    const stranger = await newVisitor((await newUserClient()).sessionToken);
    expectPage(await stranger.get(fileOf(name, 'csv')), 404);
    const path = fileOf(name, 'csv');
    const login = `/self-service/login/browser?${new URLSearchParams({ return_to: path })}`;
    expectRedirect(await (await newVisitor()).get(path), login);
  });

  test('to members without the permission of the list', async () => {
    const member = await newUserClient({ orgId: tenant.orgId, role: 'member' });
    const visitor = await newVisitor(member.sessionToken);
    expectPage(await visitor.get(at('users?format=csv')), 403, /lacks console\.users\.read/);
    expect((await visitor.get(at('events?format=csv'))).headers['content-type']).toMatch(/^text\/csv/);
  });
});
