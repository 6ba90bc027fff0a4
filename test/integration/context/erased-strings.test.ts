import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
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
 * Where the person's strings are, in any collection and any file of objects, in any case. The file of a deleted object is
 * there for the minute in which a reader may open it; `formerSince` marks it for the sweep.
 */
async function findStrings({ mark, digits }: Person): Promise<string[]> {
  const platform = await sharedPlatform();
  const found: string[] = [];
  const marked = new Set<string>();
  const isTheirs = (text: string) => text.toLowerCase().includes(mark) || text.replace(/[\s()-]/g, '').includes(digits);
  const client = await MongoClient.connect(await databaseUrlOf(platform));
  try {
    const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
    for (const { name } of databases) {
      for (const collection of await client.db(name).collections()) {
        for await (const document of collection.find()) {
          if (isTheirs(JSON.stringify(document))) found.push(collection.collectionName);
          if (document.formerSince instanceof Date) marked.add(String(document._id));
        }
      }
    }
  } finally {
    await client.close();
  }
  const files = join(platform.dataDir, 'objects', 'files');
  const isInFiles = () =>
    readdirSync(files, { recursive: true, withFileTypes: true }).some((entry) => {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || path.split('/').some((part) => marked.has(part))) return false;
      return isTheirs(path + readFileSync(path, 'utf8'));
    });
  // Other tests move and delete files. The walk fails when one vanishes, and is repeated.
  if (await eventually(isInFiles)) found.push('a file');
  return [...new Set(found)].sort();
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

describe('after the erasure of a customer, no collection and no file has a string of the person', () => {
  test('who has a story, conversations with files, mail, and notifications that were addressed in other forms', async () => {
    const shop = await newShop();
    const { secret } = await shop.call('connect.sites.create-secret', { path: { siteId: shop.siteId } });
    const person = newPerson();
    await tell(shop, person);
    const { id, email, name } = person;
    await uploadAndSay(await newVisitor(shop, signedBy(secret, { id, email, name })), person);
    await uploadAndSay(await newVisitor(shop, { user: { id: 'anything', name } }), person, {
      email: person.typedEmail,
    });
    await notify(shop, person);
    await mail(shop, person);
    const before = await findStrings(person);
    for (const name of ['context_events', 'connect_messages', 'mail_messages', 'notification_messages', 'a file']) {
      expect(before).toContain(name);
    }
    expect((await erase(shop, id)).status).toBe(204);
    expect(await findStrings(person)).toEqual([]);
  });

  test.each(['typedEmail', 'email', 'phone'] as const)(
    'who is known by an address alone, named by %s',
    async (form) => {
      const shop = await newShop();
      const person = newPerson();
      await notify(
        shop,
        form === 'phone'
          ? { ...person, email: person.phone, typedEmail: person.phone }
          : { ...person, phone: person.email, typedPhones: [] },
      );
      if (form !== 'phone') await mail(shop, person);
      expect(await findStrings(person)).toContain('notification_messages');
      expect((await erase(shop, person[form])).status).toBe(204);
      expect(await findStrings(person)).toEqual([]);
      expect((await erase(shop, person[form])).status).toBe(404);
    },
  );

  test('who has a story without an id, named by the address', async () => {
    const shop = await newShop();
    const person = newPerson();
    const payload = { email: person.email, customer: { name: person.name } };
    await shop.call('context.events.create', {
      body: eventOf(shop.orgId, { actor: { type: 'system', id: 'shop' }, payload }),
    });
    expect((await erase(shop, person.typedEmail)).status).toBe(204);
    expect(await findStrings(person)).toEqual([]);
  });
});
