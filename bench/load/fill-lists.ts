import mongoose from 'mongoose';
import { newId } from '../../lib/data/ids.ts';
import { searchForm } from '../../lib/format/search-form.ts';
import { hashToken } from '../../lib/security/token-hash.ts';
import { databaseNameOf } from '../../lib/settings/mongo-url.ts';
import { newDelivery } from '../../messaging/delivery/documents.ts';
import type { CustomerDocument } from '../../models/context/customer.ts';
import { type IdentifierDocument, identifierDocumentId } from '../../models/context/identifier.ts';
import { type DirectoryEntryDocument, directoryEntryId } from '../../models/identity/directory-entry.ts';
import type { DirectoryKeyDocument } from '../../models/identity/directory-key.ts';
import type { SessionDocument } from '../../models/identity/session.ts';
import type { UserDocument } from '../../models/identity/user.ts';
import type { MessageDocument } from '../../models/mail/message.ts';
import type { ObjectDocument } from '../../models/storage/object.ts';
import { newUser } from '../../services/identity/accounts/new-user.ts';
import { searchKeysOf } from '../../services/identity/directory/search-keys.ts';
import { takeJob } from './job.ts';

/**
 * Fills the lists of an organization. `userIds`: its members, whose accounts are made; the first gets a session with
 * `sessionToken`. `count`: of copies of its only customer, of copies of its only file, and of mails.
 */
export type ListsJob = { url: string; orgId: string; userIds: string[]; sessionToken: string; count: number };

const eachTime = 2000;
const sessionMilliseconds = 86_400_000;
const firstNames = ['Ada', 'Bruno', 'Chiara', 'Dilnoza', 'Emeka', 'Freya', 'Gustavo', 'Hana', 'Ines', 'Jonas'];

/** Names by which a search of the beginning finds one of a thousand. */
const firstNameAt = (index: number): string => firstNames[index % firstNames.length] ?? '';
const lastNameAt = (index: number): string => `Family${String(index % 1000).padStart(3, '0')}`;
const nameAt = (index: number): string => `${firstNameAt(index)} ${lastNameAt(index)}`;
const emailAt = (index: number): string => `person-${index}@example.com`;
const minutesAgo = (index: number): Date => new Date(Date.now() - index * 60_000);

takeJob(async ({ url, orgId, userIds, sessionToken, count }: ListsJob): Promise<object> => {
  const client = new mongoose.mongo.MongoClient(url);
  const database = client.db(databaseNameOf(url));
  await fillUsers(database, orgId, userIds);
  await logIn(database, userIds[0] ?? '', sessionToken);
  await fillCustomers(database, orgId, count);
  await fillMails(database, orgId, count);
  await fillFiles(database, orgId, count);
  await client.close();
  return {};
});

type Database = mongoose.mongo.Db;
type Documents = Record<string, { _id: string }[]>;

/** Inserts what `make` returns for each index, by collection, many at a time. */
async function fill(database: Database, count: number, make: (index: number) => Documents): Promise<void> {
  for (let from = 0; from < count; from += eachTime) {
    const all: Documents = {};
    for (let index = from; index < Math.min(count, from + eachTime); index += 1) {
      for (const [name, documents] of Object.entries(make(index))) {
        all[name] ??= [];
        all[name].push(...documents);
      }
    }
    for (const [name, documents] of Object.entries(all)) {
      await database.collection<{ _id: string }>(name).insertMany(documents, { ordered: false });
    }
  }
}

function fillUsers(database: Database, orgId: string, userIds: string[]): Promise<void> {
  return fill(database, userIds.length, (index) => {
    const userId = userIds[index] ?? '';
    const profile = { firstName: firstNameAt(index), lastName: lastNameAt(index) };
    const user: UserDocument = newUser({ userId, email: emailAt(index), passwordHash: 'none', profile });
    const entry: DirectoryEntryDocument = {
      _id: directoryEntryId(orgId, userId),
      orgId,
      userId,
      lastLoginAt: minutesAgo(index),
    };
    const keys = searchKeysOf(user).map(
      (key): DirectoryKeyDocument => ({ _id: `${orgId}:${userId}:${key}`, orgId, userId, key, revision: 1 }),
    );
    return { identity_users: [user], identity_directory_entries: [entry], identity_directory_keys: keys };
  });
}

async function logIn(database: Database, userId: string, token: string): Promise<void> {
  const at = new Date();
  const expiresAt = new Date(at.getTime() + sessionMilliseconds);
  await database.collection<SessionDocument>('identity_sessions').insertOne({
    _id: newId('ses'),
    userId,
    tokenHash: hashToken(token),
    authenticatedAt: at,
    lastUsedAt: at,
    expiresAt,
    absoluteExpiresAt: expiresAt,
    address: '127.0.0.1',
    userAgent: 'bench',
    createdAt: at,
  });
}

async function fillCustomers(database: Database, orgId: string, count: number): Promise<void> {
  const model = await database.collection<CustomerDocument>('context_customers').findOne({ orgId });
  if (!model?.listing) throw new Error('The customer to copy does not exist.');
  const { listing } = model;
  await fill(database, count, (index) => {
    const _id = newId('cus');
    const name = nameAt(index);
    const lastEventAt = minutesAgo(index);
    const customer: CustomerDocument = {
      ...model,
      _id,
      listing: { ...listing, customerId: `customer-${index}`, name, nameKey: searchForm(name), lastEventAt },
    };
    const pointers = [`id:customer-${index}`, `email:${emailAt(index)}`].map(
      (key): IdentifierDocument => ({ _id: identifierDocumentId(orgId, key), orgId, key, customer: _id }),
    );
    return { context_customers: [customer], context_identifiers: pointers };
  });
}

function fillMails(database: Database, orgId: string, count: number): Promise<void> {
  return fill(database, count, (index) => {
    const at = minutesAgo(index);
    const _id = newId('msg');
    const to = emailAt(index % 1000);
    const mail: MessageDocument = {
      ...newDelivery(at),
      _id,
      orgId,
      status: 'sent',
      attempts: 1,
      key: _id,
      from: { name: 'Shop', address: 'shop@example.com' },
      replyTo: null,
      to,
      recipient: to,
      subject: `Your order ${index}`,
      sealedBody: null,
      templateId: null,
      templateVersion: null,
      category: 'transactional',
      locale: null,
      attachments: [],
      feedback: [],
      sentAt: at,
    };
    return { mail_messages: [mail] };
  });
}

async function fillFiles(database: Database, orgId: string, count: number): Promise<void> {
  const model = await database.collection<ObjectDocument>('storage_objects').findOne({ orgId });
  if (!model) throw new Error('The file to copy does not exist.');
  await fill(database, count, (index) => {
    const object: ObjectDocument = { ...model, _id: newId('obj'), key: `${lastNameAt(index)}-${index}.txt` };
    return { storage_objects: [object] };
  });
}
