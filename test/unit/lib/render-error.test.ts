import { describe, expect, test } from '@jest/globals';
import { apiError } from '../../../lib/contract/errors.ts';
import { renderError } from '../../../lib/contract/render-error.ts';

const requestId = 'req_1';

describe('an error as the client reads it', () => {
  test('has the status, code and sentence of the catalogue', () => {
    expect(renderError(apiError('STORY_NOT_FOUND'), requestId)).toEqual({
      status: 404,
      headers: {},
      body: { error: 'STORY_NOT_FOUND', message: 'There is no story for this person yet.', requestId },
    });
  });

  test('has the details and headers it was thrown with', () => {
    const details = [{ path: 'body.a', message: 'No.' }];
    const { headers, body } = renderError(apiError('INPUT_INVALID', { details, headers: { Allow: 'GET' } }), requestId);
    expect(headers).toEqual({ Allow: 'GET' });
    expect(body.details).toEqual(details);
  });

  test('has the quota that is used up', () => {
    const quota = { meter: 'mail.sendsPerMonth', limit: 500, used: 500, resetsAt: '2030-02-01T00:00:00.000Z' };
    const { status, body } = renderError(apiError('PLAN_LIMIT_EXCEEDED', { quota }), requestId);
    expect([status, body.quota]).toEqual([402, quota]);
  });

  test('reads the same when it was thrown on another node and lost its class', () => {
    const { message, type, code, data } = apiError('RATE_LIMITED', { headers: { 'Retry-After': '1' } });
    expect(renderError(Object.assign(new Error(message), { type, code, data }), requestId)).toMatchObject({
      status: 429,
      headers: { 'Retry-After': '1' },
      body: { error: 'RATE_LIMITED' },
    });
  });

  test.each([
    ['CREDENTIAL_REQUIRED', 'Bearer realm="platform"'],
    ['CREDENTIAL_INVALID', 'Bearer realm="platform", error="invalid_token"'],
  ] as const)('%s challenges as RFC 6750 says', (code, challenge) => {
    expect(renderError(apiError(code), requestId).headers).toEqual({ 'WWW-Authenticate': challenge });
  });

  test.each([
    new Error('connect to mongodb://root:secret@db'),
    Object.assign(new Error('E11000 duplicate key of secret@example.com'), { code: 11000 }),
    Object.assign(new Error('secret'), { type: 'NOT_OF_THE_CATALOGUE', code: 418 }),
    'secret',
    null,
  ])('is INTERNAL and tells nothing of %p', (error) => {
    const rendered = renderError(error, requestId);
    expect(rendered).toMatchObject({ status: 500, body: { error: 'INTERNAL', requestId } });
    expect(JSON.stringify(rendered)).not.toContain('secret');
  });
});
