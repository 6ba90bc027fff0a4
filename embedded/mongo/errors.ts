import type { Fields } from './bson/value.ts';

/** Error codes of the MongoDB protocol that this server uses, by their protocol names. */
const errorCodes = {
  InternalError: 1,
  BadValue: 2,
  FailedToParse: 9,
  Unauthorized: 13,
  TypeMismatch: 14,
  Overflow: 15,
  InvalidLength: 16,
  IllegalOperation: 20,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  CannotBackfillArray: 34,
  ConflictingUpdateOperators: 40,
  FileStreamFailed: 39,
  CursorNotFound: 43,
  NamespaceExists: 48,
  MaxTimeMSExpired: 50,
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
  InvalidPipelineOperator: 168,
  CannotIndexParallelArrays: 171,
  QueryPlanKilled: 175,
  CannotBuildIndexKeys: 201,
  IndexBuildAborted: 276,
  QueryExceededMemoryLimitNoDiskUseAllowed: 292,
  DataCorruptionDetected: 366,
  BSONObjectTooLarge: 10334,
  DuplicateKey: 11000,
  InterruptedAtShutdown: 11600,
  Interrupted: 11601,
  CursorInUse: 12051,
  Location13026: 13026,
  Location13027: 13027,
  Location13068: 13068,
  OutOfDiskSpace: 14031,
  Location15947: 15947,
  Location15952: 15952,
  Location15955: 15955,
  Location15956: 15956,
  Location15958: 15958,
  Location15969: 15969,
  Location15975: 15975,
  Location15983: 15983,
  Location16006: 16006,
  Location16020: 16020,
  Location16410: 16410,
  Location16412: 16412,
  Location16610: 16610,
  Location16612: 16612,
  Location16702: 16702,
  Location16755: 16755,
  Location16764: 16764,
  Location16766: 16766,
  Location16800: 16800,
  Location16801: 16801,
  Location16804: 16804,
  Location16872: 16872,
  Location17080: 17080,
  Location17081: 17081,
  Location17082: 17082,
  Location17083: 17083,
  Location17124: 17124,
  Location17217: 17217,
  Location17261: 17261,
  Location17262: 17262,
  Location17276: 17276,
  ResultTooLarge: 17419,
  Location28664: 28664,
  Location28689: 28689,
  Location28690: 28690,
  Location31249: 31249,
  Location31253: 31253,
  Location31254: 31254,
  Location31303: 31303,
  Location31324: 31324,
  Location34471: 34471,
  Location34473: 34473,
  Location40060: 40060,
  Location40061: 40061,
  Location40062: 40062,
  Location40066: 40066,
  Location40067: 40067,
  Location40068: 40068,
  Location40081: 40081,
  Location40176: 40176,
  Location40228: 40228,
  Location40231: 40231,
  Location40234: 40234,
  Location40235: 40235,
  Location40237: 40237,
  Location40238: 40238,
  Location40272: 40272,
  Location40323: 40323,
  Location40324: 40324,
  Location40353: 40353,
  Location40400: 40400,
  IDLFailedToParse: 40414,
  Location51024: 51024,
  Location51091: 51091,
  Location51108: 51108,
  Location51246: 51246,
  Location51270: 51270,
  Location51272: 51272,
} as const;

type ErrorName = keyof typeof errorCodes;

/** Error that a client receives as `{ ok: 0, code, codeName, errmsg }`, or as a write error of a bulk. */
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

/** Creates the error for a feature of MongoDB that this server lacks; the message names it. */
export function notSupported(what: string): MongoError {
  return new MongoError('CommandNotSupported', `The embedded database does not support ${what}`);
}

/** Creates the error for a value that the protocol does not allow. */
export function badValue(message: string): MongoError {
  return new MongoError('BadValue', message);
}

const interruptions = new Set<ErrorName>(['Interrupted', 'MaxTimeMSExpired', 'InterruptedAtShutdown']);

/** Whether an error interrupts the whole command and not only one of its statements. */
export function isInterruption(error: MongoError): boolean {
  return interruptions.has(error.codeName);
}

/** The reply document of a failed command. */
export function errorReply(error: MongoError): Fields {
  return { ok: 0, errmsg: error.message, code: error.code, codeName: error.codeName, ...error.details };
}
