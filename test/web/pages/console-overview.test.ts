import { beforeAll, describe, expect, test } from '@jest/globals';
import { randomId } from '../../../lib/data/ids.ts';
import type { MessageDocument } from '../../../models/mail/message.ts';
import { newMessage } from '../../../services/mail/messages/store.ts';
import { type Event, eventAbout } from '../../support/events.ts';
import { expectPage, newVisitor, type Visitor, wordsOf } from '../../support/pages.ts';
import { sharedPlatform } from '../../support/shared-platform.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { databaseUrlOf, slugOf, withDatabase } from '../../support/tenants.ts';
import { until } from '../../support/until.ts';
import { newUserClient } from '../../support/user-client.ts';

type Tenant = Awaited<ReturnType<typeof newTenantClient>>;
type Role = 'owner' | 'member';

const pathOf = ({ orgId }: Tenant) => `/console/${slugOf(orgId)}`;

async function visitorOf({ orgId }: Tenant, role: Role = 'owner'): Promise<Visitor> {
  return await newVisitor((await newUserClient({ orgId, role })).sessionToken);
}

/** Stores a mail that failed at this time. */
async function storeFailedMail({ orgId }: Tenant, at: Date): Promise<void> {
  const _id = randomId('msg', at);
  const from = { name: 'Acme', address: 'mail@acme.example' };
  const to = { to: 'ida@example.com', recipient: 'ida@example.com' };
  const document = {
    ...newMessage(at),
    _id,
    orgId,
    key: _id,
    from,
    sealedBody: null,
    ...to,
    status: 'failed' as const,
  };
  await withDatabase(await databaseUrlOf(await sharedPlatform()), (database) =>
    database.collection<MessageDocument>('mail_messages').insertOne(document),
  );
}

describe('the overview of an organization', () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await newTenantClient();
  });

  test('shows nothing that needs attention while nothing failed', async () => {
    const page = await (await visitorOf(tenant)).get(pathOf(tenant));
    expectPage(page, 200, /Overview .* Events by day/);
    expect(wordsOf(page)).not.toContain('Needs attention');
  });

  test('ticks the steps that were taken', async () => {
    const own = await newTenantClient();
    const owner = await visitorOf(own);
    expectPage(await owner.get(pathOf(own)), 200, /First steps 1 of 6 done .*Done: Create an API key/);
    await own.call('context.events.create', { body: eventAbout(own.orgId, 'C-1') });
    await until(async () => (await own.call('context.story.customers', { query: {} })).data.length === 1);
    expectPage(await owner.get(pathOf(own)), 200, /3 of 6 done .*Done: Send an event Done: Read a story Upload a file/);
  });

  test('shows what failed of late, with links to the lists, to those who may see it', async () => {
    const failing = await newTenantClient();
    const slug = slugOf(failing.orgId);
    const owner = await visitorOf(failing);
    const day = 86_400_000;
    await storeFailedMail(failing, new Date(Date.now() - 6 * day));
    await storeFailedMail(failing, new Date(Date.now() - 8 * day));
    const event: Event = eventAbout(failing.orgId, 'C-1');
    for (const occurredAt of ['yesterday', 'today']) {
      expect((await failing.send('POST', '/events', { ...event, occurredAt })).status).toBe(400);
    }
    await until(async () => {
      const words = wordsOf(await owner.get(pathOf(failing)));
      return /1 email failed in the last 7 days\. .*2 events were refused .*2 requests failed/.test(words);
    });
    const page = await owner.get(pathOf(failing));
    for (const href of ['messages?outcome=failed&amp;kind=mail', 'events/refused', 'logs/requests']) {
      expect(page.text).toContain(`href="/console/${slug}/${href}"`);
    }
    expectPage(await owner.get(`/console/${slug}/messages?outcome=failed&kind=mail`), 200, /ida@example\.com/);
    const member = await visitorOf(failing, 'member');
    expect(wordsOf(await member.get(pathOf(failing)))).not.toContain('requests failed');
  });
});
