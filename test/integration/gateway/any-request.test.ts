import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyCodePoint } from '../../support/code-points.ts';
import { eventOf } from '../../support/events.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { newTenantClient } from '../../support/tenant-client.ts';

const methods = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS');
const paths = fc.constantFrom(
  '/events',
  '/events/batch',
  '/identity/me',
  '/applications/app_x/api-keys',
  '/applications/app_x/api-keys/key_x',
  '/v1/story/resolve',
  '/v1/story/customers/x',
  '/v1/story/customers/x/events',
  '/openapi.json',
  '/health/ready',
);
const anyText = fc.string({ unit: anyCodePoint, maxLength: 20 });
const anyPath = fc
  .array(anyText)
  .map((parts) => `/${parts.map((part) => encodeURIComponent(part.toWellFormed())).join('/')}`);
const queries = fc.dictionary(fc.constantFrom('q', 'limit', 'cursor', '$where', 'a[$gt]'), anyText, { maxKeys: 3 });
const bodies = fc.oneof(
  { weight: 3, arbitrary: fc.json() },
  { weight: 2, arbitrary: fc.string({ unit: anyCodePoint }) },
  {
    weight: 5,
    // An event with one field replaced by anything.
    arbitrary: fc.tuple(fc.constantFrom(...Object.keys(eventOf('org_x'))), fc.jsonValue()).map(([field, value]) => ({
      field,
      value,
    })),
  },
);

describe('any request', () => {
  test('is answered, and never with a failure of ours', async () => {
    const own = await newTenantClient();
    const request = fc.record({
      method: methods,
      path: fc.oneof({ weight: 4, arbitrary: paths }, anyPath),
      queries,
      bodies,
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ method, path, queries: query, bodies: body }) => {
        const search = new URLSearchParams(query).toString();
        const sent =
          typeof body === 'string' ? body : JSON.stringify({ ...eventOf(own.orgId), [body.field]: body.value });
        const { status, text } = await own.send(method, search ? `${path}?${search}` : path, sent);
        expect(status).toBeGreaterThanOrEqual(200);
        expect(status).toBeLessThan(500);
        expect(text).not.toMatch(/mongo|Mongo|node_modules|\.ts:|at Object\./);
      }),
      { numRuns: propertyCases(120, 4_000), endOnFailure: true },
    );
  }, 120_000);
});
