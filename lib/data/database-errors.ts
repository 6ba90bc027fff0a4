import { type ApiError, apiError, errorCode } from '../contract/errors.ts';

const unreachable = new Set([
  'MongoServerSelectionError',
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoNotConnectedError',
  'MongoClientClosedError',
  'MongoTopologyClosedError',
  'MongoPoolClearedError',
  'MongoPoolClosedError',
  'PoolClearedOnNetworkError',
  'MongoServerClosedError',
  'MongoOperationTimeoutError',
  'MongoWaitQueueTimeoutError',
  'MongooseServerSelectionError',
]);

/** The errors of a write to a socket that the peer has closed. The driver passes them on unwrapped. */
const brokenSocketCodes = new Set<unknown>([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** Whether an error means that the database could not be reached, so that the same call may succeed later. */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (unreachable.has(error.name) || /before initial connection|bufferCommands/.test(error.message)) return true;
  if ('code' in error && brokenSocketCodes.has(error.code)) return true;
  // An interrupted bulk write has its own error type, with the network error as its cause.
  return 'errorResponse' in error && isDatabaseUnreachable(error.errorResponse);
}

/** ShutdownInProgress, PrimarySteppedDown, NotWritablePrimary and its kin, InterruptedAtShutdown, OutOfDiskSpace. */
const unableCodes = new Set([91, 189, 10107, 13435, 13436, 11600, 11602, 14031]);

/** Whether the database answered that it cannot run the command now, so that the same call may succeed later. */
export function isDatabaseUnable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && unableCodes.has(error.code as number);
}

/** Whether a write was refused by a unique index (MongoDB error 11000). */
export function isDuplicateKey(error: unknown): boolean {
  return hasCode(error, 11000);
}

/** Whether a command named a collection that does not exist (MongoDB error 26). */
export function isNamespaceNotFound(error: unknown): boolean {
  return hasCode(error, 26);
}

/** Whether the database does not support the command (CommandNotSupported, and NotImplemented of FerretDB). */
export function isNotSupported(error: unknown): boolean {
  return hasCode(error, 115) || hasCode(error, 238);
}

function hasCode(error: unknown, code: number): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}

/**
 * Converts an error to one of the catalogue before it leaves a service. A lost or full database or a lost service is
 * 503; everything else is 500, in particular MongoDB's numeric codes (the circuit breaker would count 11000 as a
 * status).
 */
export function asApiError(error: unknown): ApiError | Error {
  if (error instanceof Error && errorCode(error)) return error;
  if (isDatabaseUnreachable(error) || isDatabaseUnable(error) || isRetryable(error)) {
    return apiError('UNAVAILABLE', { cause: error });
  }
  return apiError('INTERNAL', { cause: error });
}

/**
 * Whether it is a transient error of Moleculer: a call that timed out or was skipped because no time remained for it, a
 * service that no node offers, an open circuit, a full queue.
 */
function isRetryable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('retryable' in error && error.retryable === true) return true;
  return error.name === 'RequestSkippedError' || ('code' in error && error.code === 503);
}
