import { describe, expect, test } from '@jest/globals';
import { errorGuide } from '../../../lib/contract/error-guide.ts';
import { apiError, type ErrorCode, errorCatalogue, errorCode, isError } from '../../../lib/contract/errors.ts';
import { asApiError, isDatabaseUnreachable } from '../../../lib/data/database-errors.ts';

const codes = Object.keys(errorCatalogue) as ErrorCode[];

describe('the guide of docs/errors.md', () => {
  test('has exactly the codes of the catalogue, in its order', () => {
    expect(Object.keys(errorGuide)).toEqual(codes);
  });

  test.each(codes)('says of %s in sentences when it happens and what to do', (code) => {
    const sentences = expect.stringMatching(/^.{15,}\.$/);
    expect(errorGuide[code]).toEqual({ when: sentences, remedy: sentences });
  });
});

describe('the catalogue', () => {
  test.each(codes)('has for %s an upper snake case code, a status of refusal and a sentence', (code) => {
    expect(code).toMatch(/^[A-Z]+(?:_[A-Z]+)*$/);
    expect([400, 401, 402, 403, 404, 405, 408, 409, 412, 413, 415, 416, 429, 431, 500, 503, 507]).toContain(
      errorCatalogue[code].status,
    );
    expect(errorCatalogue[code].message).toMatch(/^[A-Z].*[.)>]$/);
  });
});

describe('an error', () => {
  test('carries what survives the way between nodes: type, code and data', () => {
    const error = apiError('INPUT_INVALID', { message: 'No.', details: [{ path: 'body', message: 'No.' }] });
    const travelled = Object.assign(new Error(error.message), { type: error.type, code: error.code, data: error.data });
    expect(errorCode(travelled)).toBe('INPUT_INVALID');
    expect(isError(travelled, 'INPUT_INVALID')).toBe(true);
    expect(travelled).toMatchObject({
      message: 'No.',
      code: 400,
      data: { details: [{ path: 'body', message: 'No.' }] },
    });
  });

  test('keeps its cause for the operator and out of what is sent', () => {
    const error = apiError('INTERNAL', { cause: new Error('the password is hunter2') });
    expect(error.cause).toBeInstanceOf(Error);
    expect(JSON.stringify([error.message, error.data])).not.toContain('hunter2');
  });

  test.each([
    [null],
    [undefined],
    ['NOT_FOUND'],
    [{}],
    [new Error('x')],
    [{ type: 'constructor' }],
    [{ type: 'VALIDATION_ERROR' }],
  ])('that is %p is none of the catalogue', (error) => {
    expect(errorCode(error)).toBeNull();
  });
});

describe('what leaves a service', () => {
  const named = (name: string, extra: object = {}) => Object.assign(new Error(name), { name, ...extra });

  test('is an error of the catalogue as it was thrown', () => {
    const error = apiError('NOT_FOUND');
    expect(asApiError(error)).toBe(error);
  });

  test.each([
    named('MongoServerSelectionError'),
    named('MongoNetworkError'),
    named('MongoPoolClearedError'),
    named('MongoServerError', { code: 14031 }),
    named('MongoServerError', { code: 10107 }),
    named('MongooseServerSelectionError'),
    named('PoolClearedOnNetworkError', { beforeHandshake: false }),
    named('MongoBulkWriteError', { errorResponse: named('MongoNetworkError') }),
    named('Error', { code: 'EPIPE', message: 'This socket has been ended by the other party' }),
    named('Error', { code: 'ECONNRESET' }),
    named('RequestTimeoutError', { retryable: true, code: 504, type: 'REQUEST_TIMEOUT' }),
    named('RequestSkippedError', { retryable: false, code: 514, type: 'REQUEST_SKIPPED' }),
    named('ServiceNotAvailableError', { retryable: true, code: 404 }),
  ])('is UNAVAILABLE with Retry-After for %s', (error) => {
    expect(asApiError(error)).toMatchObject({
      type: 'UNAVAILABLE',
      code: 503,
      data: { headers: { 'Retry-After': '1' } },
      cause: error,
    });
  });

  test.each([
    [named('MongoServerError', { code: 11000, errorResponse: { code: 11000 } })],
    [new TypeError('x is not a function')],
    ['text'],
    [null],
  ])('is INTERNAL, a status and no database code, for %p', (error) => {
    expect(asApiError(error)).toMatchObject({
      type: 'INTERNAL',
      code: 500,
      message: errorCatalogue.INTERNAL.message,
    });
  });

  test('is no lost database unless the error says so', () => {
    expect(isDatabaseUnreachable(new Error('E11000 duplicate key'))).toBe(false);
    expect(isDatabaseUnreachable('MongoNetworkError')).toBe(false);
  });
});
