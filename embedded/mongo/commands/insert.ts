import { ObjectId } from 'bson';
import { decodeField } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import { documentSizeLimitBytes, endOfCString, endOfValue, typeByte, validateDocument } from '../bson/layout.ts';
import { badValue, MongoError } from '../errors.ts';
import { ensureCollection } from '../store/catalog.ts';
import { insertRecord } from '../store/records.ts';
import { type Command, collectionName, encodedDocumentsOf, flagOption } from './command.ts';
import { runStatements, writeErrorsField } from './write-result.ts';

export const insert: Command = {
  kind: 'write',
  options: new Set(['documents', 'ordered', 'bypassDocumentValidation']),
  run: function* ({ store }, request) {
    const documents = encodedDocumentsOf(request, 'documents');
    const name = collectionName(request);
    let inserted = 0;
    let collection = ensureCollection(store, request.database, name);
    const insertOne = (document: Buffer) => {
      // The collection may have been dropped since the last slice.
      if (collection.isDropped) collection = ensureCollection(store, request.database, name);
      insertRecord(store, collection, withId(checked(document)));
      inserted++;
    };
    const writeErrors = yield* runStatements(documents, flagOption(request.body, 'ordered', true), insertOne);
    return { n: inserted, ...writeErrorsField(writeErrors) };
  },
};

/** Validates an encoded document that is to be stored. */
function checked(document: Buffer): Buffer {
  if (document.length > documentSizeLimitBytes) {
    throw new MongoError(
      'BSONObjectTooLarge',
      `The document has ${document.length} bytes and ${documentSizeLimitBytes} are allowed`,
    );
  }
  validateDocument(document);
  return document;
}

const idType: Partial<Record<number, string>> = {
  [typeByte.array]: 'an array',
  [typeByte.regex]: 'a regular expression',
};

/** Returns the document with its _id first; generates a missing one. Rejects names that start with $. */
export function withId(document: Buffer): Buffer {
  const last = document.length - 1;
  let offset = 4;
  let id: Buffer | undefined;
  let idStart = 4;
  while (offset < last) {
    const type = document[offset] ?? 0;
    const nameEnd = endOfCString(document, offset + 1);
    const end = endOfValue(document, type, nameEnd + 1);
    if (document[offset + 1] === dollar) {
      throw new MongoError(
        'DollarPrefixedFieldName',
        `The field ${document.toString('utf8', offset + 1, nameEnd)} starts with $`,
      );
    }
    if (isIdName(document, offset + 1, nameEnd)) {
      if (id) throw badValue('A document has two fields _id');
      if (idType[type]) throw new MongoError('InvalidIdField', `The _id of a document cannot be ${idType[type]}`);
      if (type === typeByte.document) requirePlainId(document);
      id = document.subarray(offset, end);
      idStart = offset;
    }
    offset = end;
  }
  if (id && idStart === 4) return document;
  return id ? withIdMoved(document, id, idStart) : withNewId(document);
}

const dollar = 0x24;

function isIdName(bytes: Buffer, start: number, end: number): boolean {
  return end - start === 3 && bytes[start] === 0x5f && bytes[start + 1] === 0x69 && bytes[start + 2] === 0x64;
}

function requirePlainId(document: Buffer): void {
  const id = decodeField(document, '_id');
  const name = id instanceof Map ? [...id.keys()].find((key) => key.startsWith('$')) : undefined;
  if (name) throw new MongoError('DollarPrefixedFieldName', `The _id has the field ${name}, which starts with $`);
}

function withIdMoved(document: Buffer, id: Buffer, idStart: number): Buffer {
  const after = idStart + id.length;
  return Buffer.concat([document.subarray(0, 4), id, document.subarray(4, idStart), document.subarray(after)]);
}

function withNewId(document: Buffer): Buffer {
  const id = encodeDocument({ _id: new ObjectId() }).subarray(4, -1);
  const length = Buffer.alloc(4);
  length.writeInt32LE(document.length + id.length);
  return Buffer.concat([length, id, document.subarray(4)]);
}
