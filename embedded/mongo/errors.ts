import type { Fields } from './bson/value.ts';

/** Error codes of the MongoDB protocol that this server uses, by their protocol names. */
export const errorCodes = {
  InternalError: 1,
  BadValue: 2,
  FailedToParse: 9,
  TypeMismatch: 14,
  Overflow: 15,
  InvalidLength: 16,
  IllegalOperation: 20,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  CannotBackfillArray: 34,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  NamespaceExists: 48,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  NotSingleValueField: 54,
  EmptyFieldName: 56,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  CommandNotSupported: 115,
  Unauthorized: 13,
  InvalidPipelineOperator: 168,
  CannotIndexParallelArrays: 171,
  QueryExceededMemoryLimitNoDiskUseAllowed: 292,
  BSONObjectTooLarge: 10334,
  DuplicateKey: 11000,
  InterruptedAtShutdown: 11600,
  OutOfDiskSpace: 14031,
  ResultTooLarge: 17419,
  DataCorruptionDetected: 366,
  Location15952: 15952,
  Location15955: 15955,
  Location15956: 15956,
  Location15958: 15958,
  Location15975: 15975,
  Location31249: 31249,
  Location31253: 31253,
  Location31254: 31254,
  Location40323: 40323,
  Location40324: 40324,
  IDLFailedToParse: 40414,
  Location51024: 51024,
  Location51091: 51091,
  Location51108: 51108,
  Location51246: 51246,
} as const;

export type ErrorName = keyof typeof errorCodes;

/** An error a client receives as `{ ok: 0, code, codeName, errmsg }`, or as a write error of a bulk. */
export class MongoError extends Error {
  readonly codeName: ErrorName;
  readonly code: number;
  readonly details: Fields;

  constructor(codeName: ErrorName, message: string, details: Fields = {}) {
    super(message);
    this.codeName = codeName;
    this.code = errorCodes[codeName];
    this.details = details;
  }
}

/** Refuses something MongoDB has and this server has not, naming it. */
export function notSupported(what: string): MongoError {
  return new MongoError('CommandNotSupported', `The embedded database does not support ${what}`);
}

/** Refuses a value the protocol does not allow. */
export function badValue(message: string): MongoError {
  return new MongoError('BadValue', message);
}

/** The reply document of a failed command. */
export function errorReply(error: MongoError): Fields {
  return { ok: 0, errmsg: error.message, code: error.code, codeName: error.codeName, ...error.details };
}
