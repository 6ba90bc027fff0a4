import { describe, expect, test } from '@jest/globals';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, withDatabase } from '../../support/tenants.ts';

const content = (locale: string) => ({ subject: `News in ${locale}`, text: 'Text.' });
const locales = (from: number, count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => `en-${100 + from + at}`).map((tag) => [tag, content(tag)]),
  );

describe('the bounds of a template', () => {
  test('hold for the locales that it has after a change, not only for those of the request', async () => {
    const client = await newTenantClient();
    const body = { name: 'News', ...content('no locale'), locales: locales(0, 20) };
    const { id: templateId } = await client.call('mail.templates.create', { body });
    const path = { templateId };
    const refused = await client.attempt('mail.templates.update', { path, body: { locales: locales(20, 1) } });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: 'INPUT_INVALID', details: [{ path: 'body.locales', message: expect.stringContaining('21') }] },
    });
    const replaced = { 'en-100': null, ...locales(20, 1) };
    const { version } = await client.call('mail.templates.update', { path, body: { locales: replaced } });
    expect(version).toBe(2);
  });

  test('end the versions of one template', async () => {
    const client = await newTenantClient();
    const { id: templateId } = await client.call('mail.templates.create', {
      body: { name: 'News', ...content('all') },
    });
    await withDatabase(await databaseUrlOf(await sharedPlatform()), async (database) => {
      const own = { orgId: client.orgId, _id: templateId } as never;
      await database.collection('mail_templates').updateOne(own, { $set: { latestVersion: 500 } });
    });
    const path = { templateId };
    const refused = await client.attempt('mail.templates.update', { path, body: { subject: 'Other news' } });
    expect(refused).toMatchObject({ status: 409, body: { error: 'LIMIT_REACHED' } });
  });
});
