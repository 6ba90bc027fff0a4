import { decodeUntrusted } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import type { Document, Fields, Maybe, Value } from '../bson/value.ts';
import type { Cursors } from '../cursors.ts';
import { badValue, MongoError, notSupported } from '../errors.ts';
import type { Operations } from '../operations.ts';
import { isTruthy, toNumber } from '../query/operators.ts';
import type { Work } from '../slice.ts';
import type { Store } from '../store/catalog.ts';
import type { Checkpoints } from '../store/checkpoints.ts';
import type { LogSync } from '../store/log-sync.ts';

export type Context = {
  store: Store;
  log: LogSync;
  checkpoints: Checkpoints;
  cursors: Cursors;
  operations: Operations;
  startedAt: number;
};

export type Request = {
  /** The name the client used: the first field of the body. */
  name: string;
  database: string;
  body: Document;
  sequences: Map<string, Buffer[]>;
  /** maxTimeMS, or Infinity. */
  timeLimit: number;
};

export type Command = {
  /** Writes of one turn of the event loop share a transaction; reads run before them. */
  kind: 'read' | 'write';
  /** Supported fields of the body, in addition to `commonFields`. */
  options: ReadonlySet<string>;
  /**
   * Returns the reply without `ok`, or resumable work that returns it. Throws MongoError. May run again after its
   * transaction was rolled back.
   */
  run: (context: Context, request: Request) => Fields | Work<Fields>;
};

/** Fields that any command may carry. Most have no effect on a single server with durable writes. */
const commonFields = new Set([
  '$db',
  'lsid',
  'writeConcern',
  'readConcern',
  '$readPreference',
  '$clusterTime',
  'comment',
  'maxTimeMS',
  'apiVersion',
  'apiStrict',
  'apiDeprecationErrors',
]);

const transactionFields = new Set(['txnNumber', 'startTransaction', 'autocommit', 'stmtId', 'stmtIds']);

/** Throws for any field of the request that the command does not support. */
export function requireKnownOptions(command: Command, request: Request): void {
  for (const [name, value] of request.body) {
    if (name === request.name || command.options.has(name)) continue;
    if (transactionFields.has(name)) {
      throw new MongoError('IllegalOperation', `Transactions and retryable writes (${name}) are not supported`);
    }
    if (!commonFields.has(name)) throw notSupported(`the option ${name} of the command ${request.name}`);
    if (name === 'readConcern') requireReadConcern(value);
  }
  request.timeLimit = Math.min(request.timeLimit, timeLimitOf(request.body));
  for (const name of request.sequences.keys()) {
    if (!command.options.has(name)) throw notSupported(`the option ${name} of the command ${request.name}`);
  }
}

const maxTimeLimit = 0x7fffffff;

function timeLimitOf(body: Document): number {
  const milliseconds = countOption(body, 'maxTimeMS', 0);
  if (milliseconds > maxTimeLimit) throw badValue(`maxTimeMS must be at most ${maxTimeLimit}`);
  return milliseconds || Infinity;
}

function requireReadConcern(value: Value): void {
  const level = value instanceof Map ? value.get('level') : undefined;
  if (level === 'snapshot') throw notSupported('the read concern snapshot');
}

/** The collection's name: the value of the command's first field. */
export function collectionName(request: Request): string {
  const name = request.body.get(request.name);
  if (typeof name === 'string' && name !== '' && !name.includes('\0')) return name;
  throw new MongoError('InvalidNamespace', `${request.name} needs the name of a collection`);
}

/**
 * Namespace that a request reads or changes. Null when it has none or several, as a list of collections has, or when
 * its name is not a string.
 */
export function namespaceOf({ name, database, body }: Request): string | null {
  const collection = body.get(name === 'getMore' ? 'collection' : name);
  return typeof collection === 'string' ? `${database}.${collection}` : null;
}

/** Default number of documents in the first batch of a cursor. */
export const firstBatchDocuments = 101;

/** Decodes the statements of a bulk, which are in document sequences or in the body. */
export function statementsOf(request: Request, name: string): Document[] {
  const sequence = request.sequences.get(name);
  if (sequence) return requireStatements(name, sequence.map(decodeUntrusted));
  const values = request.body.get(name);
  if (values === undefined) throw missingField(`${request.name}.${name}`);
  if (!Array.isArray(values) || !values.every((value) => value instanceof Map))
    throw badValue(`${name} must be an array of documents`);
  return requireStatements(name, values);
}

/** Returns the encoded documents of an insert, not yet validated. */
export function encodedDocumentsOf(request: Request, name: string): Buffer[] {
  const sequence = request.sequences.get(name);
  if (sequence) return requireStatements(name, sequence);
  return statementsOf(request, name).map((document) => encodeDocument(document));
}

export const writeBatchLimit = 100_000;

function requireStatements<Item>(name: string, items: Item[]): Item[] {
  if (items.length > 0 && items.length <= writeBatchLimit) return items;
  throw new MongoError(
    'InvalidLength',
    `${name} must hold between 1 and ${writeBatchLimit} documents, not ${items.length}`,
  );
}

/** Supported and required fields of the statements of a bulk; `what` names a statement in error messages. */
type StatementShape = { known: ReadonlySet<string>; required: readonly string[]; what: string };

/** Decodes and validates the statements of a bulk. */
export function checkedStatementsOf(request: Request, name: string, shape: StatementShape): Document[] {
  const statements = statementsOf(request, name);
  for (const statement of statements) {
    requireKnownFields(statement, shape.known, shape.what);
    const missing = shape.required.find((field) => !statement.has(field));
    if (missing !== undefined) throw missingField(`${request.name}.${name}.${missing}`);
  }
  return statements;
}

/** Throws for any field of a statement that is not in `known`. */
function requireKnownFields(statement: Document, known: ReadonlySet<string>, what: string): void {
  for (const name of statement.keys()) {
    if (!known.has(name)) throw notSupported(`the option ${name} of ${what}`);
  }
}

function missingField(path: string): MongoError {
  return new MongoError('IDLFailedToParse', `BSON field '${path}' is missing but a required field`);
}

export function documentOption(document: Document, name: string): Document {
  const value = document.get(name);
  if (value === undefined || value === null) return new Map();
  if (value instanceof Map) return value;
  throw new MongoError('TypeMismatch', `${name} must be a document`);
}

/** Reads a non-negative count; returns `fallback` when the option is missing. */
export function countOption(document: Document, name: string, fallback: number): number {
  const value = document.get(name);
  if (value === undefined || value === null) return fallback;
  const number = toNumber(value);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  if (Number.isNaN(number)) throw new MongoError('TypeMismatch', `${name} must be a number`);
  throw new MongoError('Location51024', `${name} must be a whole number that is not negative`);
}

export function flagOption(document: Document, name: string, fallback = false): boolean {
  const value: Maybe = document.get(name);
  return value === undefined ? fallback : isTruthy(value);
}
