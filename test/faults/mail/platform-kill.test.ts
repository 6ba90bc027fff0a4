import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CounterDocument } from '../../../models/billing/counter.ts';
import type { MessageDocument } from '../../../models/mail/message.ts';
import { clientOf } from '../../support/client.ts';
import { clockEnvironment, noonOfTenth } from '../../support/clock-environment.ts';
import { runJob } from '../../support/operator.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { propertyCases } from '../../support/property-cases.ts';
import { createTenant, databaseUrlOf, type Tenant, withDatabase } from '../../support/tenants.ts';
import { eventually, until } from '../../support/until.ts';
import { type FarEnd, startFarEnd } from './far-end.ts';

const kills = propertyCases(2, 10);
const sends = propertyCases(120, 1000);
const connections = 16;
const meter = 'mail.sendsPerMonth';
const minute = 60_000;
const dataDir = mkdtempSync(join(tmpdir(), 'mail-kill-'));
let farEnd: FarEnd;
let platform: Platform;
let tenant: Tenant;
let templateId: string;

const begun = Date.now();
const startAhead = (milliseconds: number) =>
  startPlatform({
    dataDir,
    // With the service by which a test has a job run at once, where the platform waits for its next minute.
    entry: 'test/support/operated-platform.ts',
    env: { SMTP_URL: farEnd.url, ...clockEnvironment(noonOfTenth + milliseconds, begun) },
  });

const client = () => clientOf({ url: platform.url, orgId: tenant.orgId, apiKey: tenant.apiKey });

beforeAll(async () => {
  farEnd = await startFarEnd((number) => (number % 5 === 0 ? 'slow' : 'accept'));
  platform = await startAhead(0);
  tenant = await createTenant(await databaseUrlOf(platform), { plan: 'pro' });
  const body = { name: 'Order', subject: 'Order {{ number }}', text: 'It is on its way.' };
  const variables = [{ name: 'number', required: true, sample: '1' }];
  templateId = (await client().call('mail.templates.create', { body: { ...body, variables } })).id;
});
afterAll(async () => {
  await platform?.kill();
  await farEnd.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Sends under keys of their own; returns those without a 202, and adds the ids of the others. */
async function send(numbers: number[], accepted: Map<number, string>, isEnough = () => false): Promise<number[]> {
  const remaining = numbers.values();
  const unanswered: number[] = [];
  const connection = async () => {
    for (const number of remaining) {
      const body = { to: `to-${number}@example.com`, templateId, variables: { number: String(number) } };
      const key = { 'Idempotency-Key': `send-${number}` };
      const answer = isEnough()
        ? null
        : await client()
            .attempt('mail.messages.send', { body }, key)
            .catch(() => null);
      if (answer?.status === 202) accepted.set(number, answer.body.messageId);
      else unanswered.push(number);
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  return unanswered;
}

const read = async () =>
  withDatabase(await databaseUrlOf(platform), async (database) => {
    const { orgId } = tenant;
    const messages = await database.collection<MessageDocument>('mail_messages').find({ orgId }).toArray();
    return {
      messages,
      counter: await database.collection<CounterDocument>('billing_counters').findOne({ orgId, meter }),
    };
  });

test(`of ${sends} mails and ${kills} kills each mail is delivered, and counted once`, async () => {
  const accepted = new Map<number, string>();
  let waiting = Array.from({ length: sends }, (_none, number) => number);
  for (let kill = 1; kill <= kills; kill += 1) {
    const enough = (sends * kill) / (kills + 1);
    let killing: Promise<void> | undefined;
    waiting = await send(waiting, accepted, () => {
      if (accepted.size >= enough) killing ??= platform.kill();
      return killing !== undefined;
    });
    await killing;
    // After the last kill what the dead nodes held is free, and so are the keys of unanswered requests.
    platform = await startAhead(kill < kills ? 0 : 6 * minute);
  }
  await eventually(async () => {
    waiting = await send(waiting, accepted);
    expect(waiting).toEqual([]);
  }, minute);
  await until(async () => (await read()).messages.every(({ status }) => status === 'sent'), 2 * minute);

  const { messages } = await read();
  expect(messages.map(({ _id }) => _id).sort()).toEqual([...accepted.values()].sort());
  const delivered = farEnd.accepted.map((messageId) => messageId.slice(0, messageId.indexOf('@')));
  expect(new Set(delivered)).toEqual(new Set(accepted.values()));
  const attempted = new Map(messages.map(({ _id, attempts }) => [_id, attempts]));
  for (const id of new Set(delivered)) {
    const times = delivered.filter((other) => other === id).length;
    expect(times).toBeLessThanOrEqual(attempted.get(id) ?? 0);
  }
  await eventually(async () => {
    await runJob(platform.url, 'billing.reservations');
    expect((await read()).counter!.held).toBe(0);
  }, 4 * minute);
  expect((await read()).counter!.used).toBe(sends);
}, 600_000);
