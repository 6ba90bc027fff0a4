import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { type Document, serialize } from 'bson';
import { startEmbeddedMongo } from '../../../embedded/mongo/index.ts';
import { temporaryFolder } from './support/folder.ts';
import { withServer } from './support/server.ts';
import { sharedServer } from './support/shared-server.ts';
import { connectRaw } from './support/wire.ts';

const mebibyte = 1024 * 1024;
const { server, emptyCollection } = sharedServer();

/** What a command answers when its body is sent as it is, without a driver's own checks. */
async function answerTo(body: Buffer | Document): Promise<Document | null> {
  const connection = await connectRaw(server().url);
  const answer = await connection.command(body);
  connection.end();
  return answer;
}

function nested(depth: number): Document {
  let document: Document = { leaf: true };
  for (let level = 1; level < depth; level++) document = { inner: document };
  return document;
}

describe('a document of more than 16 MiB', () => {
  test('is refused by an insert, and nothing is stored', async () => {
    const items = emptyCollection();
    const insert = { insert: items.collectionName, documents: [{ text: 'x'.repeat(16 * mebibyte) }], $db: 'test' };
    expect(await answerTo(insert)).toMatchObject({ n: 0, writeErrors: [{ index: 0, code: 10334 }] });
    expect(await items.countDocuments()).toBe(0);
  });

  test('of just 16 MiB is stored', async () => {
    const items = emptyCollection();
    const document = { _id: 1, text: '' };
    document.text = 'x'.repeat(16 * mebibyte - serialize(document).length);
    await items.insertOne(document as never);
    expect(serialize((await items.findOne({}))!)).toHaveLength(16 * mebibyte);
  });

  test('is not made by an update, and the document stays as it was', async () => {
    const items = emptyCollection();
    await items.insertOne({ parts: ['x'.repeat(10 * mebibyte)] });
    await expect(items.updateOne({}, { $push: { parts: 'y'.repeat(7 * mebibyte) } } as never)).rejects.toMatchObject({
      code: 17419,
    });
    await expect(
      items.findOneAndUpdate({}, { $push: { parts: 'y'.repeat(7 * mebibyte) } } as never),
    ).rejects.toMatchObject({ code: 17419 });
    expect((await items.findOne({}))!.parts).toHaveLength(1);
  });
});

describe('a document that nests', () => {
  test('100 levels deep is stored as it is', async () => {
    const items = emptyCollection();
    await items.insertOne({ _id: 1, ...nested(100) } as never);
    expect(await items.findOne({})).toEqual({ _id: 1, ...nested(100) });
  });

  test('101 levels deep is refused, and nothing is stored', async () => {
    const items = emptyCollection();
    await expect(items.insertOne(nested(101))).rejects.toMatchObject({ code: 15 });
    expect(await items.countDocuments()).toBe(0);
  });

  test('a million levels deep is refused, and the server goes on', async () => {
    const items = emptyCollection();
    const insert = { insert: items.collectionName, documents: [{}], $db: 'test' };
    const answer = await answerTo(withDeepDocument(insert, 1_000_000));
    expect(answer).toMatchObject({ ok: 0, code: 15 });
    expect(await items.countDocuments()).toBe(0);
  });

  test('too deep after an update stays as it was', async () => {
    const items = emptyCollection();
    await items.insertOne({ _id: 1, inner: nested(99) } as never);
    const path = `${'inner.'.repeat(99)}leaf`;
    await expect(items.updateOne({}, { $set: { [path]: nested(5) } })).rejects.toMatchObject({ code: 15 });
    expect(await items.findOne({})).toEqual({ _id: 1, inner: nested(99) });
  });
});

/** The bytes of a body with a field of documents within documents, which no serializer would make. */
function withDeepDocument(body: Document, depth: number): Buffer {
  const head = Buffer.from(serialize(body)).subarray(4, -1);
  const deep = Buffer.alloc(depth * 8 + 5);
  for (let level = 0; level < depth; level++) {
    const at = level * 7;
    deep.writeInt32LE(depth * 8 + 5 - level * 8, at);
    deep[at + 4] = 3;
    deep[at + 5] = 0x61;
  }
  deep.writeInt32LE(5, depth * 7);
  const field = Buffer.concat([Buffer.from([3, 0x64, 0]), deep]);
  const length = Buffer.alloc(4);
  length.writeInt32LE(4 + head.length + field.length + 1);
  return Buffer.concat([length, head, field, Buffer.from([0])]);
}

describe('a field name with a null byte', () => {
  test('is not made by a rename, and the document stays as it was', async () => {
    const items = emptyCollection();
    await items.insertOne({ _id: 1, name: 'kept' } as never);
    await expect(items.updateOne({}, { $rename: { name: 'na\u0000me' } })).rejects.toMatchObject({ code: 2 });
    expect(await items.findOne({})).toEqual({ _id: 1, name: 'kept' });
  });

  test('names no collection and no database', async () => {
    expect(await answerTo({ insert: 'it\u0000ems', documents: [{}], $db: 'test' })).toMatchObject({ ok: 0, code: 73 });
    expect(await answerTo({ insert: 'items', documents: [{}], $db: 'te\u0000st' })).toMatchObject({ ok: 0, code: 73 });
  });

  test('may stand in a value', async () => {
    const items = emptyCollection();
    await items.insertOne({ text: 'a\u0000b' });
    expect(await items.countDocuments({ text: 'a\u0000b' })).toBe(1);
  });
});

describe('bytes that are no message', () => {
  const cases = [
    { is: 'a length of zero', bytes: Buffer.alloc(16) },
    { is: 'a negative length', bytes: Buffer.from('ffffffff000000000000000000000000', 'hex') },
    { is: 'a length above 48,000,000', bytes: Buffer.from('00e1f505000000000000000000000000', 'hex') },
    { is: 'another protocol', bytes: Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n') },
  ];

  test.each(cases)('such as $is end the connection, and the server goes on', async ({ bytes }) => {
    const connection = await connectRaw(server().url);
    connection.send(bytes);
    expect(await connection.command({ ping: 1, $db: 'admin' })).toBeNull();
    expect(await answerTo({ ping: 1, $db: 'admin' })).toEqual({ ok: 1 });
  });

  const malformed = [
    { is: 'a string longer than its document', bytes: '1600000002696e7365727400ff000000612400000000' },
    { is: 'a document without its end', bytes: '0c0000001070696e6700010000' },
    { is: 'a type that does not exist', bytes: '0f0000002270696e67000100000000' },
  ];

  test.each(malformed)('a body with $is is refused, and the connection goes on', async ({ bytes }) => {
    const connection = await connectRaw(server().url);
    expect(await connection.command(Buffer.from(bytes, 'hex'))).toMatchObject({ ok: 0, code: 2 });
    expect(await connection.command({ ping: 1, $db: 'admin' })).toEqual({ ok: 1 });
    connection.end();
  });

  test('a message may come byte by byte', async () => {
    const connection = await connectRaw(server().url);
    expect(await connection.command({ ping: 1, $db: 'admin' }, 1)).toEqual({ ok: 1 });
    expect(await connection.command({ ping: 1, $db: 'admin' })).toEqual({ ok: 1 });
    connection.end();
  });
});

describe('the address', () => {
  test('is a socket in the folder that only its owner may use', () => {
    expect(decodeURIComponent(server().url)).toMatch(/^mongodb:\/\/\/.*mongo\.sock\/\?directConnection=true$/);
  });

  test('is a loopback port where the path of a socket would be too long', async () => {
    const dir = join(temporaryFolder(), 'a'.repeat(120));
    mkdirSync(dir);
    await withServer(dir, async ({ server, items }) => {
      expect(server.url).toMatch(/^mongodb:\/\/127\.0\.0\.1:\d+\/\?directConnection=true$/);
      await items.insertOne({});
      expect(await items.countDocuments()).toBe(1);
    });
  });

  test('is the loopback port asked for, and one that is taken stops the start', async () => {
    const first = await startEmbeddedMongo({ dir: temporaryFolder(), port: 0 });
    const port = Number(/:(\d+)\//.exec(first.url)![1]);
    const second = startEmbeddedMongo({ dir: temporaryFolder(), port });
    await expect(second).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      message: expect.stringContaining(String(port)),
    });
    await first.close();
  });
});
