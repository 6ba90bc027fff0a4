import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { eventAbout, newCustomerId, newEmail } from '../../support/events.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { until } from '../../support/until.ts';

const customerId = newCustomerId();
const email = newEmail();
let own: Client;
beforeAll(async () => {
  own = await newTenantClient();
  const payload = { orderId: 'A-1', total: 1299, currency: 'EUR', customer: { name: 'Ada Byron', email } };
  const occurredAt = '2026-03-03T10:00:00.000Z';
  await own.call('context.events.create', {
    body: eventAbout(own.orgId, customerId, { eventName: 'order.created', occurredAt, payload }),
  });
});

const english = {
  title: 'Ada Byron, new customer since March 2026, 1 open order',
  summary: expect.stringContaining('That day they placed 1 order (A-1) worth 1,299.00 EUR. As of 3 March 2026,'),
};
const german = {
  title: 'Ada Byron, Neukunde seit März 2026, 1 offene Bestellung',
  summary:
    `Ada Byron (${email}) wurde am 3. März 2026 Kunde. An diesem Tag ging 1 Bestellung (A-1) über 1.299,00 EUR ein. ` +
    'Stand 3. März 2026: Die Bestellung ist offen.',
};

describe('the parameter language', () => {
  test.each([
    ['without it', {}, english],
    ['en', { language: 'en' as const }, english],
    ['de', { language: 'de' as const }, german],
  ])('%s: a story is read and resolved, and its title listed, in that language', async (_name, query, texts) => {
    expect(await own.call('context.story.read', { path: { customerId }, query })).toMatchObject(texts);
    expect(await own.call('context.story.resolve', { query: { q: email, ...query } })).toMatchObject(texts);
    await until(async () => {
      const { data } = await own.call('context.story.customers', { query });
      return data[0]?.title === texts.title;
    });
  });

  test('does not follow from the language that a client accepts', async () => {
    const headers = { 'accept-language': 'de' };
    const { body } = await own.send<unknown>('GET', `/v1/story/customers/${customerId}`, undefined, headers);
    expect(body).toMatchObject(english);
  });

  test.each(['fr', 'DE', 'de-AT', ''])('%j is refused with the allowed values', async (language) => {
    const details = [{ path: 'query.language', message: 'Must be one of: en, de.' }];
    const refusal = { status: 400, body: { error: 'INPUT_INVALID', details } };
    const query = { language: language as 'de' };
    expect(await own.attempt('context.story.read', { path: { customerId }, query })).toMatchObject(refusal);
    expect(await own.attempt('context.story.resolve', { query: { q: email, ...query } })).toMatchObject(refusal);
    expect(await own.attempt('context.story.customers', { query })).toMatchObject(refusal);
  });
});
