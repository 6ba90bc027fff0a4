import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { type Service, ServiceBroker } from 'moleculer';
import { z } from 'zod';
import gateway from '../../gateway/gateway.service.ts';
import type { HttpListener } from '../../http/dispatch.ts';
import type { UserCaller } from '../../lib/contract/context.ts';
import { eventsOutput } from '../../lib/contract/contract.ts';
import { defineAction } from '../../lib/contract/define-action.ts';
import { newId } from '../../lib/data/ids.ts';
import { newApiKeyToken } from '../../lib/security/api-key.ts';
import brokerOptions from '../../moleculer.config.ts';
import { takeServer } from '../load/job.ts';

export type EventStreamsAddress = { port: number; apiKeys: string[] };

const keys = 250;

/** The gateway with an event stream, for credentials of one user that are verified in memory and revoked together. */
async function start(): Promise<EventStreamsAddress> {
  const orgId = newId('org');
  const caller: UserCaller = {
    type: 'user',
    id: newId('usr'),
    orgId,
    memberships: [{ orgId, role: 'owner' }],
    scopes: ['svc:admin'],
  };
  let isRevoked = false;
  const broker = new ServiceBroker(brokerOptions());
  const front = broker.createService(gateway) as Service & { site: HttpListener };
  broker.createService({
    name: 'identity',
    actions: {
      'api-keys.verify': () => ({ caller: isRevoked ? null : { ...caller, sessionId: randomUUID() } }),
    },
  });
  broker.createService({
    name: 'streams',
    actions: {
      listen: defineAction({
        rest: 'GET /v1/streams',
        summary: 'Listen',
        permission: 'context.story.read',
        answers: 'events',
        input: {},
        output: eventsOutput,
        handler: ({ caller: { orgId: listener } }) => ({ channels: [`streams ${listener}`] }),
      }),
      revoke: defineAction({
        rest: 'POST /v1/streams/revoke',
        summary: 'Revoke all credentials',
        permission: 'public',
        input: {},
        output: z.void(),
        async handler({ ctx }) {
          isRevoked = true;
          await ctx.broker.broadcast('identity.credentials.changed', { userId: caller.id });
        },
      }),
    },
  });
  await broker.start();
  await broker.waitForServices(['identity', 'streams']);
  const { port } = front.site.listener.server.address() as AddressInfo;
  return { port, apiKeys: Array.from({ length: keys }, () => newApiKeyToken()) };
}

takeServer(start);
