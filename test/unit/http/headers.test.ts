import { afterEach, expect, jest, test } from '@jest/globals';
import type { HttpRequest } from '../../../http/request.ts';

const { env } = process;
afterEach(() => {
  process.env = env;
});

/** What a platform with these settings says about https in every answer. */
async function transportSecurity(settings: Record<string, string>): Promise<unknown> {
  process.env = { ...env, SECRET_KEY: 'the secret key of the tests of headers', ...settings };
  jest.resetModules();
  const { headersFor } = await import('../../../http/response.ts');
  const request = { requestId: 'req_1', headers: {} } as HttpRequest;
  return headersFor(request)['Strict-Transport-Security'];
}

test.each([
  [{ PUBLIC_URL: 'https://platform.example' }, 'max-age=31536000'],
  [{ PUBLIC_URL: 'HTTPS://platform.example:443/' }, 'max-age=31536000'],
  [{ PUBLIC_URL: 'https://platform.example', HSTS_SUBDOMAINS: 'yes' }, 'max-age=31536000; includeSubDomains'],
  [{ PUBLIC_URL: 'https://platform.example', HSTS_SUBDOMAINS: 'no' }, 'max-age=31536000'],
  [{ PUBLIC_URL: 'http://localhost:3000', HSTS_SUBDOMAINS: 'yes' }, undefined],
])('with %o browsers are told %s', async (settings, value) => {
  expect(await transportSecurity(settings)).toBe(value);
});
