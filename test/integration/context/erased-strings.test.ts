import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { BSON, MongoClient } from 'mongodb';
import type { Client } from '../../support/client.ts';
import { eventOf } from '../../support/events.ts';
import { connect, newTemplate } from '../../support/notifications.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { databaseUrlOf, type Tenant } from '../../support/tenants.ts';
import { eventually } from '../../support/until.ts';
import { newShop, newVisitor, signedBy, type Visitor } from '../../support/widget-client.ts';

/** A person whose every string has a part that occurs nowhere else. */
function newPerson() {
  const mark = randomUUID().replaceAll('-', '').slice(0, 16);
  const digits = String(BigInt(`0x${mark}`))
    .padStart(10, '1')
    .slice(-7);
  return {
    mark,
    id: `C-${mark}`,
    name: `Jean ${mark}`,
    email: `jean.${mark}@example.com`,
    typedEmail: `Jean.${mark.toUpperCase()}@Example.com`,
    phone: `+49170${digits}`,
    typedPhones: [`+49 (170) ${digits}`, `0049170${digits}`, `0170-${digits}`, `49170${digits}`],
    digits: `170${digits}`,
  };
}

type Person = ReturnType<typeof newPerson>;

/**
 * Where the strings of each person are, in any collection and any file of objects, in any case. `formerSince` marks a
 * deleted object for the sweep. Reads everything once for all, because the platform has the documents of other tests.
 */
async function findStrings(people: Person[]): Promise<string[][]> {
  const platform = await sharedPlatform();
  const found = people.map(() => new Set<string>());
  const marked = new Set<string>();
  const note = (text: string, place: string) => {
    const [lower, digitsOnly] = [text.toLowerCase(), text.replace(/[\s()-]/g, '')];
    for (const [at, { mark, digits }] of people.entries()) {
      if (lower.includes(mark) || digitsOnly.includes(digits)) found[at]!.add(place);
    }
  };
  const client = await MongoClient.connect(await databaseUrlOf(platform));
  try {
    const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
    for (const { name } of databases) {
      for (const collection of await client.db(name).collections()) {
        // The bytes of a document have its strings as they are.
        for await (const bytes of collection.find<Buffer>({}, { raw: true })) {
          note(bytes.toString('latin1'), collection.collectionName);
          const { _id, formerSince } = bytes.includes('formerSince') ? BSON.deserialize(bytes) : {};
          if (formerSince instanceof Date) marked.add(String(_id));
        }
      }
    }
  } finally {
    await client.close();
  }
  const files = join(platform.dataDir, 'objects', 'files');
  // Other tests move and delete files. The walk fails when one vanishes, and is repeated.
  await eventually(() => {
    for (const entry of readdirSync(files, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || path.split('/').some((part) => marked.has(part))) continue;
      note(path + readFileSync(path, 'latin1'), 'a file');
    }
  });
  return found.map((places) => [...places].sort());
}

async function uploadAndSay(visitor: Visitor, { mark, email, name }: Person, about: object = {}): Promise<void> {
  const file = { fileName: `${mark}.txt`, mimeType: 'text/plain', size: mark.length };
  type Upload = { attachmentId: string; uploadUrl: string; headers: Record<string, string> };
  const { body } = await visitor.send<Upload>('POST', '/v1/widget/attachments', file);
  expect((await fetch(body.uploadUrl, { method: 'PUT', headers: body.headers, body: mark })).status).toBe(200);
  const text = `I am ${name}, write to ${email}`;
  const message = { echoId: '1', text, attachments: [body.attachmentId], ...about };
  expect((await visitor.send('POST', '/v1/widget/messages', message)).status).toBe(200);
  expect((await visitor.send('POST', '/v1/widget/messages', { echoId: '2', text, ...about })).status).toBe(200);
}

async function notify(shop: Client, person: Person): Promise<void> {
  await connect(shop);
  const templateId = await newTemplate(shop);
  for (const recipientId of [person.email, person.typedEmail, person.phone, ...person.typedPhones]) {
    const variables = { name: person.name, orderId: person.mark };
    await shop.call('notification.notifications.send', {
      body: { channel: 'chatapp', recipientId, templateId, variables },
    });
  }
}

async function mail(shop: Client, person: Person): Promise<void> {
  const variables = [{ name: 'name', required: true, sample: 'Grace' }];
  const template = { name: 'Hello', subject: 'Hello {{ name }}', text: 'Hello {{ name }}', variables };
  const { id: templateId } = await shop.call('mail.templates.create', { body: template });
  const { status, text } = await shop.send('POST', '/v1/mail/send', {
    to: person.typedEmail,
    templateId,
    variables: { name: person.name },
  });
  expect([status, text]).toEqual([202, expect.any(String)]);
}

async function tell(shop: Client & Tenant, { id, email, phone, name, mark }: Person): Promise<void> {
  const payload = { email, phone, name, customer: { name }, orderId: mark };
  await shop.call('context.events.create', {
    body: eventOf(shop.orgId, { actor: { type: 'customer', id }, payload }),
  });
}

const erase = (shop: Client, customerId: string) => shop.attempt('context.story.erase', { path: { customerId } });

type Shop = Awaited<ReturnType<typeof newShop>>;

async function tellInEveryForm(shop: Shop, person: Person): Promise<void> {
  const { secret } = await shop.call('connect.sites.create-secret', { path: { siteId: shop.siteId } });
  await tell(shop, person);
  const { id, email, name } = person;
  await uploadAndSay(await newVisitor(shop, signedBy(secret, { id, email, name })), person);
  await uploadAndSay(await newVisitor(shop, { user: { id: 'anything', name } }), person, { email: person.typedEmail });
  await notify(shop, person);
  await mail(shop, person);
}

async function sendToAddress(shop: Shop, person: Person): Promise<void> {
  await notify(shop, { ...person, phone: person.email, typedPhones: [] });
  await mail(shop, person);
}

async function tellWithoutId(shop: Shop, { email, name }: Person): Promise<void> {
  const payload = { email, customer: { name } };
  await shop.call('context.events.create', {
    body: eventOf(shop.orgId, { actor: { type: 'system', id: 'shop' }, payload }),
  });
}

type Erased = { id: 'id' | 'typedEmail' | 'email' | 'phone'; tell: typeof tellInEveryForm; places: string[] };

const sent = ['notification_messages'];
const everywhere = ['context_events', 'connect_messages', 'mail_messages', 'notification_messages', 'a file'];
const all: [string, Erased][] = [
  [
    'who has a story, conversations with files, mail, and notifications that were addressed in other forms',
    { id: 'id', tell: tellInEveryForm, places: everywhere },
  ],
  [
    'who is known by an address alone, named by typedEmail',
    { id: 'typedEmail', tell: sendToAddress, places: [...sent, 'mail_messages'] },
  ],
  [
    'who is known by an address alone, named by email',
    { id: 'email', tell: sendToAddress, places: [...sent, 'mail_messages'] },
  ],
  [
    'who is known by an address alone, named by phone',
    {
      id: 'phone',
      tell: (shop, person) => notify(shop, { ...person, email: person.phone, typedEmail: person.phone }),
      places: sent,
    },
  ],
  [
    'who has a story without an id, named by the address',
    { id: 'typedEmail', tell: tellWithoutId, places: ['context_events'] },
  ],
];

describe('after the erasure of a customer, no collection and no file has a string of the person', () => {
  const people = all.map(() => newPerson());
  let shops: Shop[];
  let before: string[][];
  let statuses: number[];
  let after: string[][];

  beforeAll(async () => {
    shops = await Promise.all(
      all.map(async ([_who, { tell: tellOf }], at) => {
        const shop = await newShop();
        await tellOf(shop, people[at]!);
        return shop;
      }),
    );
    before = await findStrings(people);
    statuses = await Promise.all(
      all.map(async ([_who, { id }], at) => (await erase(shops[at]!, people[at]![id])).status),
    );
    after = await findStrings(people);
  });

  test.each(all.map(([who, erased], at) => [who, at, erased] as const))('%s', (_who, at, { places }) => {
    expect(before[at]).toEqual(expect.arrayContaining(places));
    expect(statuses[at]).toBe(204);
    expect(after[at]).toEqual([]);
  });

  test.each([1, 2, 3])('and who was known by an address alone is not known: %i', async (at) => {
    expect((await erase(shops[at]!, people[at]![all[at]![1].id])).status).toBe(404);
  });
});
