import { expect } from '@jest/globals';
import { EJSON, serialize } from 'bson';
import type { Connection } from 'mongoose';
import {
  type Collection,
  type Db,
  type Document,
  type IndexDescription,
  MongoBulkWriteError,
  type MongoClient,
  MongoError,
} from './driver.ts';

/** What a case works with: a collection of its own, holding the `given` documents and indexes. */
export type Scene = { url: string; client: MongoClient; db: Db; collection: Collection; mongoose: Connection };

/** One sentence of the protocol: what is there, what is done, and the answer MongoDB documents. */
export type Case = {
  says: string;
  given?: Document[];
  indexes?: IndexDescription[];
  when: (scene: Scene) => Promise<unknown>;
  answer: unknown;
};

/** Cases by group; a case is known by `group: sentence`. */
export type Group = { group: string; cases: Case[] };

/** Runs a case's action; what the server or the driver refuses is an answer too. */
export function observe(action: () => Promise<unknown>): Promise<unknown> {
  return action().catch((error: unknown) => {
    if (error instanceof MongoError) return refusalOf(error);
    throw error;
  });
}

/** What a refusal tells its caller. */
export function refusalOf(error: MongoError) {
  // Where a case asks for unpromoted values, even a code is one.
  const code = error.code === undefined ? undefined : Number(error.code);
  return { refused: { code, message: error.message } };
}

/** A refusal by code that names what it refuses. */
export function refused(code: number, naming = '') {
  return { refused: { code, message: expect.stringContaining(naming) } };
}

/** The outcome of an action that is one of several in a case. */
export function outcome(action: Promise<unknown>): Promise<unknown> {
  return observe(() => action.then(() => 'accepted'));
}

/** What a bulk write did: its counts and the place and code of each operation it refused. */
export function bulkOutcome(action: Promise<unknown>): Promise<unknown> {
  return action.then(
    () => 'accepted',
    (error: unknown) => {
      if (!(error instanceof MongoBulkWriteError)) throw error;
      return { errors: [error.writeErrors].flat().map(({ index, code }) => ({ index, code })) };
    },
  );
}

/** Everything stored, in order of `_id`. */
export function stored({ collection }: Scene): Promise<Document[]> {
  return collection.find({}, { sort: { _id: 1 } }).toArray();
}

/** Stored documents with their BSON types and key order visible, as canonical extended JSON. */
export async function storedTypes({ collection }: Scene): Promise<string[]> {
  const exact = { promoteValues: false, promoteLongs: false, bsonRegExp: true, sort: { _id: 1 } } as const;
  return typesOf(...(await collection.find({}, exact).toArray()));
}

/** The same text for documents of the test. */
export function typesOf(...documents: Document[]): string[] {
  return documents.map((document) => EJSON.stringify(document, { relaxed: false }));
}

/** The stored documents' bytes. */
export async function storedBytes({ collection }: Scene): Promise<string[]> {
  const documents = await collection.find({}, { raw: true, sort: { _id: 1 } }).toArray();
  return documents.map((bytes) => Buffer.from(bytes as unknown as Uint8Array).toString('hex'));
}

export function bytesOf(...documents: Document[]): string[] {
  return documents.map((document) => Buffer.from(serialize(document)).toString('hex'));
}

/** The `_id`s of documents in the order given. */
export function ids(documents: Document[]): unknown[] {
  return documents.map(({ _id }) => _id);
}

/** Stands for a field that a document has not. */
export const missing = Symbol('missing');

/** Documents 1, 2, 3, … that hold these values in `v`. */
export function holding(...values: unknown[]): Document[] {
  return values.map((v, index) => (v === missing ? { _id: index + 1 } : { _id: index + 1, v }));
}
