import type { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import type { Client } from '../../support/client.ts';
import { eventOf } from '../../support/events.ts';
import { openConnection } from '../../support/raw-http.ts';
import { newTenantClient } from '../../support/tenant-client.ts';
import { until } from '../../support/until.ts';

type Sending = { socket: Socket; rest: string; answer: () => string };

/** Sends a batch of 64 KB without its last byte. */
async function sendMost({ url, orgId, apiKey }: Client): Promise<Sending> {
  const payload = { note: 'x'.repeat(1000) };
  const body = JSON.stringify({ events: Array.from({ length: 64 }, () => eventOf(orgId, { payload })) });
  const head = [
    'POST /events/batch HTTP/1.1',
    `Host: ${new URL(url).host}`,
    `Authorization: Bearer ${apiKey}`,
    `x-tenant-id: ${orgId}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  const socket = await openConnection(url, `${head.join('\r\n')}\r\n\r\n${body.slice(0, -1)}`);
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    answer += chunk;
  });
  return { socket, rest: body.slice(-1), answer: () => answer };
}

const isAccepted = ({ answer }: Sending): boolean => /^HTTP\/1\.1 200 /.test(answer());

test('large requests of an organization wait for each other, and not those of another', async () => {
  const [tenant, other] = [await newTenantClient({ plan: 'scale' }), await newTenantClient({ plan: 'scale' })];
  // One after the other, so that these have the places of the organization.
  const slow = [await sendMost(tenant), await sendMost(tenant), await sendMost(tenant)];
  // As long as there is a place, a complete request passes slow ones.
  const quick = await sendMost(tenant);
  quick.socket.write(quick.rest);
  await until(() => isAccepted(quick));
  slow.push(await sendMost(tenant));
  await tenant.call('identity.me.read', {});
  const waiting = await sendMost(tenant);
  waiting.socket.write(waiting.rest);
  const ofOther = await sendMost(other);
  ofOther.socket.write(ofOther.rest);
  await until(() => isAccepted(ofOther));
  // Small requests of the organization do not wait.
  await tenant.call('identity.me.read', {});
  expect(waiting.answer()).toBe('');
  slow[0]!.socket.write(slow[0]!.rest);
  await until(() => isAccepted(slow[0]!) && isAccepted(waiting));
  // A client that leaves gives its place back.
  slow[1]!.socket.destroy();
  const last = [await sendMost(tenant), await sendMost(tenant)];
  for (const { socket, rest } of last) socket.write(rest);
  await until(() => last.every(isAccepted));
});
