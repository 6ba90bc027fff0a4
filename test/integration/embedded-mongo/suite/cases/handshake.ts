import { expect } from '@jest/globals';
import { Long, UUID } from 'bson';
import { type Case, type Group, ids, refused, type Scene } from '../case.ts';
import { MongoClient } from '../driver.ts';

async function withClient<T>(url: string, options: object, use: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = await MongoClient.connect(url, options);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

const command = (says: string, run: (scene: Scene) => Promise<unknown>, answer: unknown): Case => ({
  says,
  when: run,
  answer,
});

const handshake: Case[] = [
  command(
    'hello tells the limits of the protocol',
    ({ db }) => db.command({ hello: 1 }),
    expect.objectContaining({
      isWritablePrimary: true,
      maxBsonObjectSize: 16 * 1024 * 1024,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 100_000,
      maxWireVersion: expect.any(Number),
      minWireVersion: 0,
      readOnly: false,
      ok: 1,
    }),
  ),
  command(
    'hello tells the time',
    async ({ db }) => {
      const { localTime } = await db.command({ hello: 1 });
      return Math.abs(localTime.getTime() - Date.now()) < 60_000;
    },
    true,
  ),
  command(
    'the older name of hello is known',
    ({ db }) => db.command({ isMaster: 1 }),
    expect.objectContaining({ ismaster: true, ok: 1 }),
  ),
  command('names of commands are told by case', ({ db }) => db.command({ PING: 1 }), refused(59, 'PING')),
  command('ping answers', ({ db }) => db.command({ ping: 1 }), { ok: 1 }),
  command(
    'buildInfo tells a version',
    ({ db }) => db.admin().buildInfo(),
    expect.objectContaining({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      versionArray: expect.any(Array),
      maxBsonObjectSize: 16 * 1024 * 1024,
      ok: 1,
    }),
  ),
  command(
    'a client may name itself and its application',
    ({ url }) =>
      withClient(url, { appName: 'suite', driverInfo: { name: 'suite' } }, (client) =>
        client.db('admin').command({ ping: 1 }),
      ),
    { ok: 1 },
  ),
  command(
    'sessions end',
    async ({ client }) => {
      const session = client.startSession();
      await client.db().command({ ping: 1 }, { session });
      return client.db('admin').command({ endSessions: [session.id] });
    },
    { ok: 1 },
  ),
  command(
    'a session is accepted by reads and writes',
    async ({ client, collection }) =>
      client.withSession(async (session) => {
        await collection.insertOne({ v: 1 }, { session });
        return collection.countDocuments({ v: 1 }, { session });
      }),
    1,
  ),
  command(
    'a write with every strength of acknowledgement is accepted',
    async ({ collection }) => {
      await collection.insertOne({ v: 1 }, { writeConcern: { w: 'majority', j: true } });
      await collection.insertOne({ v: 1 }, { writeConcern: { w: 1 } });
      return collection.countDocuments({}, { readConcern: { level: 'majority' }, readPreference: 'primaryPreferred' });
    },
    2,
  ),
  command(
    'a write without acknowledgement gets no reply and is done before the next command',
    ({ url, db, collection }) =>
      withClient(url, { maxPoolSize: 1 }, async (client) => {
        const own = client.db(db.databaseName).collection<{ _id: number; v: number }>(collection.collectionName);
        await own.insertOne({ _id: 1, v: 1 }, { writeConcern: { w: 0 } });
        await own.updateOne({ _id: 1 }, { $inc: { v: 1 } }, { writeConcern: { w: 0 } });
        return own.findOne({ _id: 1 });
      }),
    { _id: 1, v: 2 },
  ),
  command(
    'a time limit and a comment are accepted',
    ({ collection }) => collection.find({}, { maxTimeMS: 5_000, comment: 'why' }).toArray(),
    [],
  ),
  command(
    'commands sent at once over one connection are answered in order',
    ({ url }) =>
      withClient(url, { maxPoolSize: 1 }, (client) =>
        Promise.all([
          client.db('a').command({ ping: 1 }),
          client.db('b').command({ hello: 1 }),
          client.db('c').command({ ping: 1 }),
        ]).then((replies) => replies.map((reply) => reply.isWritablePrimary ?? 'pong')),
      ),
    ['pong', true, 'pong'],
  ),
  command(
    'databases are apart',
    async ({ client, db, collection }) => {
      const other = client.db(`${db.databaseName}_other`);
      await collection.insertOne({ v: 1 });
      await other.collection(collection.collectionName).insertMany([{ v: 2 }, { v: 3 }]);
      const counts = [
        await collection.countDocuments(),
        await other.collection(collection.collectionName).countDocuments(),
      ];
      await other.dropDatabase();
      return [
        ...counts,
        await collection.countDocuments(),
        await other.collection(collection.collectionName).countDocuments(),
      ];
    },
    [1, 2, 1, 0],
  ),
];

const refusals: Case[] = [
  command(
    'an unknown command is refused by name',
    ({ db }) => db.command({ doNonsense: 1 }),
    refused(59, 'doNonsense'),
  ),
  command(
    'an unknown field of a command is refused by name',
    ({ db }) => db.command({ find: 'c', nonsense: 1 }),
    refused(40415, 'nonsense'),
  ),
  command(
    'a field of a wrong type is refused by name',
    ({ db }) => db.command({ find: 'c', filter: 'text' }),
    refused(14, 'filter'),
  ),
  command('a missing field is refused by name', ({ db }) => db.command({ insert: 'c' }), refused(40414, 'documents')),
  command('a name with a null byte is refused', ({ db }) => db.command({ find: 'a\0b' }), refused(73)),
  command('an empty name of a collection is refused', ({ db }) => db.command({ find: '' }), refused(73)),
  command(
    'an insert without documents is refused',
    ({ db }) => db.command({ insert: 'c', documents: [] }),
    refused(16),
  ),
  command('an update without statements is refused', ({ db }) => db.command({ update: 'c', updates: [] }), refused(16)),
  command(
    'an unknown field of an update statement is refused by name',
    ({ db }) => db.command({ update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } }, nonsense: 1 }] }),
    refused(40415, 'nonsense'),
  ),
  command(
    'a refusal names its code',
    ({ db }) =>
      Promise.all(
        [
          { doNonsense: 1 },
          { find: 'c', filter: { $nonsense: 1 } },
          { find: 'c', filter: 1 },
          { dropIndexes: 'none', index: 'x' },
        ].map((asked) => db.command(asked).catch(({ codeName }) => codeName)),
      ),
    ['CommandNotFound', 'BadValue', 'TypeMismatch', 'NamespaceNotFound'],
  ),
  command(
    'a transaction is refused by a server that is no member of a set',
    ({ db }) =>
      db.command({
        insert: 'c',
        documents: [{ v: 1 }],
        lsid: { id: new UUID() },
        txnNumber: Long.ONE,
        startTransaction: true,
        autocommit: false,
      }),
    refused(20, 'ransaction'),
  ),
  command(
    'after a refusal the connection goes on',
    ({ url }) =>
      withClient(url, { maxPoolSize: 1 }, async (client) => {
        await client
          .db('admin')
          .command({ doNonsense: 1 })
          .catch(() => undefined);
        return client.db('admin').command({ ping: 1 });
      }),
    { ok: 1 },
  ),
];

const inserts: Case[] = [
  {
    says: 'an inserted document is there as it was sent',
    when: async ({ collection }) => {
      await collection.insertOne({ _id: 1, name: 'Ada', tags: ['a', 'b'], address: { city: 'London' } } as never);
      return collection.findOne();
    },
    answer: { _id: 1, name: 'Ada', tags: ['a', 'b'], address: { city: 'London' } },
  },
  {
    says: 'an insert is acknowledged with its id',
    when: ({ collection }) => collection.insertOne({ _id: 7 } as never),
    answer: { acknowledged: true, insertedId: 7 },
  },
  {
    says: 'many documents keep the order of their insertion',
    when: async ({ collection }) => {
      await collection.insertMany([{ _id: 3 }, { _id: 1 }, { _id: 2 }] as never[]);
      return ids(await collection.find().toArray());
    },
    answer: [3, 1, 2],
  },
  {
    says: 'a document without _id gets an object id',
    when: async ({ db, collection }) => {
      await db.command({ insert: collection.collectionName, documents: [{ v: 1 }] });
      const found = await collection.findOne();
      return [Object.keys(found!), found!._id];
    },
    answer: [['_id', 'v'], expect.objectContaining({ _bsontype: 'ObjectId' })],
  },
  {
    says: '_id is stored first',
    when: async ({ db, collection }) => {
      await db.command({ insert: collection.collectionName, documents: [{ v: 1, _id: 1 }] });
      return Object.keys((await collection.findOne())!);
    },
    answer: ['_id', 'v'],
  },
  {
    says: 'fields keep their order',
    when: async ({ collection }) => {
      await collection.insertOne({ z: 1, a: 2, m: { y: 1, b: 2 } });
      const found = await collection.findOne();
      return [Object.keys(found!), Object.keys(found!.m)];
    },
    answer: [
      ['_id', 'z', 'a', 'm'],
      ['y', 'b'],
    ],
  },
  {
    says: '_id may be of many types',
    when: async ({ collection }) => {
      const documents = [1, 'a', true, new Date(0), { a: 1, b: 2 }, null].map((_id) => ({ _id }));
      await collection.insertMany(documents as never[]);
      const found = await Promise.all(documents.map(({ _id }) => collection.countDocuments({ _id } as never)));
      return found;
    },
    answer: [1, 1, 1, 1, 1, 1],
  },
  {
    says: 'an array is no _id',
    when: ({ collection }) => collection.insertOne({ _id: [1] } as never),
    answer: refused(53, '_id'),
  },
  {
    says: 'a regular expression is no _id',
    when: ({ collection }) => collection.insertOne({ _id: /a/ } as never),
    answer: refused(53, '_id'),
  },
  {
    says: 'the same _id is refused',
    given: [{ _id: 1 }],
    when: ({ collection }) => collection.insertOne({ _id: 1 } as never),
    answer: refused(11000, 'E11000'),
  },
  {
    says: 'the same _id of another numeric type is refused',
    given: [{ _id: 1 }],
    when: ({ db, collection }) =>
      db.command({ insert: collection.collectionName, documents: [{ _id: 1.5 }, { _id: 1 }] }),
    answer: expect.objectContaining({ ok: 1, n: 1, writeErrors: [expect.objectContaining({ index: 1, code: 11000 })] }),
  },
  {
    says: 'an insert of no document is refused without creating the collection',
    when: async ({ db, collection }) => {
      await db.command({ insert: collection.collectionName, documents: [] }).catch(() => undefined);
      return db.listCollections({ name: collection.collectionName }).toArray();
    },
    answer: [],
  },
];

export const handshakeGroups: Group[] = [
  { group: 'handshake', cases: handshake },
  { group: 'refusals', cases: refusals },
  { group: 'insert', cases: inserts },
];
