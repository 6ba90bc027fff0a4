import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import type { Answer, ErrorBody } from '../../support/http.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import type { Tenant } from '../../support/tenants.ts';
import { newUserClient, type User } from '../../support/user-client.ts';
import { storedUser } from './me-stored.ts';

let tenant: Client & Tenant;
let user: Client & User;
const ids: Record<string, string> = {};

beforeAll(async () => {
  tenant = await newTenantClient();
  user = await newUserClient({ orgId: tenant.orgId, role: 'member' });
  const contact = await user.call('identity.contacts.create', { body: { type: 'chatapp', value: 'ada' } });
  const address = await user.call('identity.addresses.create', {
    body: { type: 'home', addressLine: 'Main Street 1', city: 'Doha', country: 'QA' },
  });
  Object.assign(ids, { contact: contact.contactId, address: address.addressId, session: user.sessionId });
});

type Call = [method: string, path: string, body?: object];

const reads: Call[] = [
  ['GET', '/identity/me/contacts'],
  ['GET', '/identity/me/addresses'],
  ['GET', '/identity/me/sessions'],
  ['GET', '/identity/me/export'],
];
const bodies: Call[] = [
  ['PATCH', '/identity/me', { firstName: 'Ada' }],
  ['POST', '/identity/me/contacts', { type: 'chatapp', value: 'new' }],
  ['PATCH', '/identity/me/contacts/{contact}', { value: 'new' }],
  ['POST', '/identity/me/addresses', { type: 'home', addressLine: 'Main Street 2', city: 'Doha', country: 'QA' }],
  ['PATCH', '/identity/me/addresses/{address}', { city: 'Bath' }],
];
const removals: Call[] = [
  ['DELETE', '/identity/me/contacts/{contact}'],
  ['DELETE', '/identity/me/addresses/{address}'],
  ['DELETE', '/identity/me/sessions/{session}'],
  ['DELETE', '/identity/me/sessions'],
  ['DELETE', '/identity/me'],
];
const writes = [...bodies, ...removals];

const pathOf = (path: string): string => path.replace(/\{(\w+)\}/, (_place, name: string) => ids[name]!);
const send = (client: Client, [method, path, body]: Call, headers = {}) =>
  client.send(method, pathOf(path), body, headers);

/** Sends a request that must be refused, and looks whether anything has changed. */
async function expectRefusal(answer: () => Promise<Answer<ErrorBody>>, status: number, error: string): Promise<void> {
  const before = await storedUser(user.userId);
  const { status: answered, body } = await answer();
  expect({ status: answered, error: body.error }).toEqual({ status, error });
  expect(await storedUser(user.userId)).toEqual(before);
  expect(await user.send('GET', '/identity/me')).toMatchObject({ status: 200 });
}

describe('what a user does with themselves', () => {
  test.each([...reads, ...writes])('%s %s is not for an API key', (...call) =>
    expectRefusal(() => send(tenant, call), 403, 'USER_REQUIRED'),
  );

  test.each([...reads, ...writes])('%s %s needs a credential', (...call) =>
    expectRefusal(() => send(user, call, { cookie: null }), 401, 'CREDENTIAL_REQUIRED'),
  );

  test.each(writes)('%s %s with the cookie is refused from a page of somebody else, and from none', async (...call) => {
    for (const origin of [null, 'https://evil.example', 'null', `${new URL(user.url).origin}.evil.example`]) {
      await expectRefusal(() => send(user, call, { origin }), 403, 'ORIGIN_REFUSED');
    }
  });

  test.each(bodies)('%s %s refuses a field that is not there', (method, path, body) =>
    expectRefusal(() => send(user, [method, path, { ...body, unknown: 1 }]), 400, 'INPUT_INVALID'),
  );

  test.each(bodies)('%s %s refuses what is no JSON, and too much of it', async (...call) => {
    const [method, path] = call;
    const type = { 'content-type': 'text/plain' };
    await expectRefusal(() => send(user, call, type), 415, 'CONTENT_TYPE_UNSUPPORTED');
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    await expectRefusal(() => user.send(method, pathOf(path), 'firstName=Eve', form), 415, 'CONTENT_TYPE_UNSUPPORTED');
    await expectRefusal(() => user.send(method, pathOf(path), '{"firstName":'), 400, 'JSON_MALFORMED');
    const large = JSON.stringify({ firstName: 'x'.repeat(200_000) });
    await expectRefusal(() => user.send(method, pathOf(path), large), 413, 'BODY_TOO_LARGE');
  });

  test.each(reads)('%s %s refuses a parameter that is not there', (method, path) =>
    expectRefusal(() => send(user, [method, `${path}?userId=usr_1`]), 400, 'INPUT_INVALID'),
  );
});
